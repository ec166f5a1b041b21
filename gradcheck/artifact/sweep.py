"""One coordinate moved through contact."""

from typing import Literal

from gradcheck.artifact.base import Artifact
from gradcheck.record import Record


class Event(Record):
    """A place on a sweep where value or slope changes abruptly, located by bisection."""

    at: float
    left_value: float
    right_value: float
    left_slope: float
    right_slope: float
    uncertainty: float
    # The engine's own derivative exactly at the event
    gradient: float


class SweepResult(Artifact):
    """One coordinate swept through contact: values, engine gradients and central differences.

    `index` is the tangent coordinate. A difference is NaN where it settles nowhere. `events`: the
    largest, each located. `unsearched`: how many more intervals between `points` hold a value
    that does not follow from the slopes at its ends.
    """

    kind: Literal["sweep"] = "sweep"
    input: str
    index: int
    label: str
    points: list[float]
    values: list[float]
    gradients: list[float]
    differences: list[float]
    # Value at noise-free resolution: what repeats and rounding leave
    noise: float
    events: list[Event]
    unsearched: int = 0
