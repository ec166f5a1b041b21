"""The catalogue of published methods: what each differentiates, and how, and where that is written.

The rows are in `methods.toml`, beside this file; a new method is one table there. What was not
found in a source is left out and means "unknown".
"""

import functools
import tomllib
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from gradcheck.record import Record
from gradcheck.taxonomy import (
    TABLE_COLUMNS,
    TABLE_ROWS,
    ContactTreatment,
    Realization,
    Referent,
    Retention,
    cell,
)

ROWS = Path(__file__).with_name("methods.toml")
NOT_STATED = "not stated"
UNKNOWN = "unknown"


class Family(StrEnum):
    """What a method simulates."""

    RIGID = "rigid bodies"
    SOFT = "soft bodies and cloth"
    FLUID = "particles and fluids"
    ODE = "ODE solvers"


class Knowledge(StrEnum):
    """How a row is known. `STATED`: only an abstract or a README was open, and it says so."""

    MEASURED = "measured here"
    READ = "read in its paper, documentation or code"
    STATED = "stated by its authors elsewhere"


class Method(Record):
    """One row. None means unknown; `frozen` as on an engine's card: () says "nothing".

    `place` says where in `source` it is written. `engine` is the name of the engine that
    measures it here. `note` says what the fields cannot.
    """

    name: str = Field(min_length=1)
    year: int | None = None
    family: Family
    simulates: str = Field(min_length=1)
    referent: Referent | None = None
    realization: Realization | None = None
    retention: Retention | None = None
    contact: ContactTreatment | None = None
    frozen: tuple[str, ...] | None = None
    source: str = Field(min_length=1)
    place: str = Field(min_length=1)
    knowledge: Knowledge
    engine: str | None = None
    note: str = ""

    @model_validator(mode="after")
    def _measured_by_an_engine(self) -> Self:
        if (self.knowledge is Knowledge.MEASURED) != (self.engine is not None):
            raise ValueError(f"{self.name}: it is measured here by an engine, or not at all")
        return self

    @property
    def cell(self) -> tuple[int, int] | None:
        """Row and column of the 3x3 table, None outside of it."""
        return cell(self.referent, self.realization)

    @property
    def differentiates(self) -> str:
        """What, and how, in words."""
        how = self.realization or f"{UNKNOWN} realization"
        return f"{self.referent or f'{UNKNOWN} referent'}, by {how}"

    @property
    def held(self) -> str:
        """What the backward pass holds constant, in words."""
        return UNKNOWN if self.frozen is None else "; ".join(self.frozen) or "nothing"

    @property
    def outside(self) -> str:
        """Why it has no cell; empty where it has one."""
        return "" if self.cell else why_outside(self.referent, self.realization)


def why_outside(referent: Referent | None, realization: Realization | None) -> str:
    """Why something with these two has no cell of the 3x3 table."""
    if realization is not None and realization not in TABLE_COLUMNS:
        return f"outside the table: {realization}"
    named = (("referent", referent), ("realization", realization))
    return f"{NOT_STATED}: {' and '.join(name for name, value in named if value is None)}"


@functools.cache
def methods() -> tuple[Method, ...]:
    """Every method of the catalogue, in its order."""
    rows = tomllib.loads(ROWS.read_text(encoding="utf-8"))
    return tuple(Method.model_validate(row) for row in rows["method"])


def by_cell(every: Iterable[Method]) -> tuple[tuple[tuple[Method, ...], ...], ...]:
    """The methods of each cell, [row][column]."""
    every = tuple(every)
    return tuple(
        tuple(
            tuple(one for one in every if one.cell == (row, column))
            for column in range(len(TABLE_COLUMNS))
        )
        for row in range(len(TABLE_ROWS))
    )


def by_reason(every: Iterable[Method]) -> dict[str, tuple[Method, ...]]:
    """The methods without a cell, by the reason."""
    found: dict[str, tuple[Method, ...]] = {}
    for one in every:
        if one.outside:
            found[one.outside] = (*found.get(one.outside, ()), one)
    return found
