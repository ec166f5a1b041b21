"""What the experiment of the cells found, as records."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from gradcheck import whole_file
from gradcheck.evidence import Provenance
from gradcheck.record import Record
from gradcheck.taxonomy import Realization, Referent, Retention

MEASURED = "measured"


class Error(Record):
    """How far a gradient is from a reference, per typical change of each input and relative to the
    reference's largest slope, over all points: the median and the worst. `floor`: how far it
    would be by the reference's own uncertainty, at worst."""

    median: float
    worst: float
    floor: float


class Row(Record):
    """One engine at one budget and horizon. `outcome` is "measured", or why it was not.

    Each referent is in `errors`, or in `unknown` with the reason. `memory`: bytes of the
    gradient's program; None where it is not told. Seconds, the least of repeats, each with what it
    may change by from run to run.
    """

    engine: str
    referent: Referent | None
    realization: Realization | None
    retention: Retention | None
    keep: str
    iterations: int
    steps: int
    errors: dict[Referent, Error] = Field(default_factory=dict)
    unknown: dict[Referent, str] = Field(default_factory=dict)
    memory: float | None = None
    forward: float | None = None
    forward_spread: float | None = None
    backward: float | None = None
    backward_spread: float | None = None
    outcome: str = MEASURED

    @property
    def measured(self) -> bool:
        """Is there a gradient?"""
        return self.outcome == MEASURED


class Cells(Record):
    """All rows of one run. `seeds` of the points at which errors were taken; 0: the testbed's own
    inputs."""

    kind: Literal["cells"] = "cells"
    testbed: str
    command: str
    seeds: list[int]
    provenance: Provenance
    rows: list[Row] = Field(default_factory=list)

    def save(self, path: str | Path) -> None:
        """Write it as JSON, whole or not at all. Raises `BadInput` where that fails."""
        whole_file.write(path, self.model_dump_json(indent=1) + "\n")
