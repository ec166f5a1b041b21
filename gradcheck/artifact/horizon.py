"""Gradients and step Jacobians over the horizon."""

from typing import Literal

from pydantic import Field

from gradcheck.artifact.base import Artifact
from gradcheck.record import Record


class HorizonRow(Record):
    """One horizon: gradient by coordinate, and central differences with their uncertainty."""

    steps: int
    value: float
    gradient: dict[str, list[float]]
    difference: dict[str, list[float]]
    uncertainty: dict[str, list[float]]
    # By input: does the coordinate sit on a kink at this horizon (one-sided slopes apart)?
    kink: dict[str, list[bool]]


class Ladder(Record):
    """Horizons at one dt; the first ladder with the singular values of the product of step
    Jacobians, where these are shown.

    `log_singular` are natural logarithms [row][k] of the largest and smallest singular value.
    """

    dt: float
    rows: list[HorizonRow]
    log_largest: list[float]
    log_smallest: list[float]


class Horizon(Artifact):
    """Gradients over growing horizons; a second ladder at half the time step where possible.

    The first ladder is refined by bisection wherever the disagreement with differences changes
    most, so the first horizon that disagrees is in it.
    """

    kind: Literal["horizon"] = "horizon"
    ladders: list[Ladder]
    second_reason: str | None = None


class Steps(Artifact):
    """Each step's Jacobian by the engine against differences of that step, along the rollout.

    `errors` [steps]: max |J - D| over max |D| of each step; `uncertainty` [steps] likewise that
    of D. `entries`: the worst (row, column) by step. `transposed`: max |J - Dᵀ| / max |D|.
    `indices`: which steps, from 0; all of them unless there are too many to measure.
    """

    kind: Literal["steps"] = "steps"
    dt: float
    errors: list[float]
    uncertainty: list[float]
    entries: list[tuple[int, int]]
    transposed: list[float]
    indices: list[int] = Field(default_factory=list)
