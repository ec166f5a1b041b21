"""The gradient beside three references, at several settings."""

from enum import StrEnum
from typing import Literal

from gradcheck.artifact.base import Artifact
from gradcheck.record import Record
from gradcheck.taxonomy import Referent


class Slopes(Record):
    """Slopes of one reference along the directions [n], per typical change, with uncertainties
    (infinite where the reference has none)."""

    value: list[float]
    uncertainty: list[float]


class Setting(StrEnum):
    """What was changed for a row of `Referents`."""

    IN_USE = "in use"
    ITERATIONS = "iterations"
    TOLERANCE = "tolerance"
    DT = "dt"


class ReferentRow(Record):
    """The engine's gradient along the directions [n] at one setting, beside the references.

    `at` is the value of what was changed (0 for the setting in use). `references` has those that
    could be had at this setting.
    """

    setting: Setting
    at: float
    steps: int
    dt: float
    gradient: list[float]
    references: dict[Referent, Slopes]
    residual: float | None = None


class Referents(Artifact):
    """Directional derivatives at several solver budgets, horizons and time steps, each beside that
    of the program, of the converged equation, of the physics.

    `made` says how each reference was had, `absent` why one could not be.
    """

    kind: Literal["referents"] = "referents"
    labels: list[str]
    rows: list[ReferentRow]
    made: dict[Referent, str]
    absent: dict[Referent, str]
