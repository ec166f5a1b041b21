"""Medians over seeds with their bootstrap intervals. Efron and Tibshirani, 1993, chapter 13."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import Array

RESAMPLES = 2000
TAIL = 0.025
FEWEST = 6
"""Seeds for a 95 % interval of a median: of fewer, all lie on one side of it in 2 (1/2)^n > 5 %."""


class Interval(NamedTuple):
    """A median, and where 95 % of the medians of resampled seeds lie. May be infinite."""

    middle: float
    low: float
    high: float

    def map(self, factor: float) -> "Interval":
        """Of factor ** each, for intervals of logs."""
        return Interval(*(float(factor**one) for one in self))


def resampled(count: int) -> NDArray[np.intp]:
    """Seeds [resamples, count] drawn with repeats: the same wherever there are so many seeds."""
    return np.random.default_rng(0).integers(0, count, (RESAMPLES, count))


def interval(values: Array) -> Interval:
    """Of values [seeds]."""
    medians = np.median(values[resampled(len(values))], axis=1)
    # Without interpolation, which has no value between two infinite ones.
    low = np.quantile(medians, TAIL, method="lower")
    high = np.quantile(medians, 1 - TAIL, method="higher")
    return Interval(float(np.median(values)), float(low), float(high))
