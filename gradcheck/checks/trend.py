"""How a size grows or decays over a horizon: by a power of it, or exponentially."""

import math
from typing import NamedTuple

import numpy as np


class Trend(NamedTuple):
    """Least-squares fits of log(size): over time (rate, per second) and over log(steps) (order).

    `exponential` says which of the two leaves less; `error` is the standard error of the rate.
    """

    rate: float
    order: float
    exponential: bool
    first: float
    last: float
    error: float

    def factor(self) -> float:
        """The fitted growth from the first to the last time."""
        return math.exp(min(self.rate * (self.last - self.first), 700.0))

    def doubt(self) -> float:
        """The standard error of that factor, relative to it."""
        return self.error * (self.last - self.first)


def trend(steps: list[int], dt: float, sizes: list[float]) -> Trend | None:
    """The trend of positive finite sizes; None for fewer than four of them.

    dt 0 counts time in steps.
    """
    told = [(n, s) for n, s in zip(steps, sizes, strict=True) if 0 < s < math.inf]
    if len(told) < 4:
        return None
    n = np.array([one for one, _ in told], np.float64)
    size = np.log([one for _, one in told])
    time = n * (dt if dt > 0 else 1.0)
    rate, rest, error = _line(time, size)
    order, rest_of_order, _ = _line(np.log(n), size)
    return Trend(rate, order, rest < rest_of_order, float(time[0]), float(time[-1]), error)


def _line(
    x: np.ndarray[tuple[int], np.dtype[np.float64]], y: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> tuple[float, float, float]:
    """Slope of the least-squares line, the sum of squares that it leaves, and the slope's
    standard error."""
    centred, height = x - x.mean(), y - y.mean()
    width = float(centred @ centred)
    slope = float(centred @ height) / width
    left = height - slope * centred
    rest = float(left @ left)
    return slope, rest, math.sqrt(rest / (len(x) - 2) / width)
