"""Estimates of the slope of the mean under noise."""

from typing import Literal

from gradcheck.artifact.base import Artifact
from gradcheck.record import Record


class SmoothRow(Record):
    """Estimates of the slope of the mean loss under noise along one input, at equal budget.

    budget: loss evaluations (a gradient costs `gradient_cost` of them). Means with standard
    errors and per-sample variances; `first` by the engine's gradient, `zeroth` by antithetic
    score-function differences. `exact` is the testbed's quadrature or closed form, if any;
    `reference` a zeroth-order estimate with 16 times the budget otherwise.
    """

    label: str
    input: str
    index: int
    sigma: float
    budget: int
    first_mean: float
    first_error: float
    first_variance: float
    first_count: int
    zeroth_mean: float
    zeroth_error: float
    zeroth_variance: float
    zeroth_count: int
    reference_mean: float
    reference_error: float
    exact: float | None = None


class Smoothing(Artifact):
    """First-order against zeroth-order estimates of a smoothed gradient."""

    kind: Literal["smoothing"] = "smoothing"
    gradient_cost: float
    rows: list[SmoothRow]
