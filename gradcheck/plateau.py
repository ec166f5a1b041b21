"""Reading one number off a curve of step sizes: a run of steps that agree, never one step.

Differences err by truncation at large steps and by noise / step at small ones; between them lies
a plateau. Pure numpy; the record that uses it is `gradcheck.curve.Curve`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RUN = 3
"""Steps in a run. Fewer could agree by accident; more would reach into truncation or noise."""

SETTLED = 0.1
"""A reading is settled where its uncertainty is at most this part of what it is held against."""

SCATTER_STEPS = 7
"""Smallest steps from which the noise of the loss is estimated (three of them fix a parabola)."""


class Reading(NamedTuple):
    """Median of a run, how far its members and noise allow it to be off, and the run's ends."""

    value: float
    uncertainty: float
    lowest_step: float
    highest_step: float

    def settled(self, scale: float) -> bool:
        """Whether the uncertainty is at most a tenth of `scale`. NaN is not settled."""
        return self.uncertainty <= SETTLED * abs(scale)

    def differs(self, other: "Reading") -> bool:
        """Whether two readings are settled apart: their distance is ten uncertainties or more."""
        distance = abs(self.value - other.value)
        return distance > 0 and self.uncertainty + other.uncertainty <= SETTLED * distance


UNREAD = Reading(np.nan, np.inf, np.nan, np.nan)


def readings(steps: Floats, slopes: Floats, errors: Floats) -> list[Reading]:
    """One reading for each run of `RUN` neighbouring steps whose slopes are all finite.

    `steps` [n] rise, `slopes` [n] are difference quotients, `errors` [n] what noise does to each.
    A shorter curve is one run. The uncertainty is the largest distance of a member from the
    median plus the largest error by noise.
    """
    runs = []
    length = min(RUN, len(steps))
    for first in range(len(steps) - length + 1 if length else 0):
        part = slice(first, first + length)
        if np.all(np.isfinite(slopes[part])):
            middle = float(np.median(slopes[part]))
            spread = float(np.max(np.abs(slopes[part] - middle)))
            noise = float(np.max(errors[part]))
            runs.append(
                Reading(middle, spread + noise, float(steps[part][0]), float(steps[part][-1]))
            )
    return runs


def read(steps: Floats, slopes: Floats, errors: Floats) -> Reading:
    """The plateau: the run of least uncertainty, unless a run at smaller steps contradicts it.

    A function may have two plateaus (a time-stepped one inside and across its steps; a kink
    close by). The derivative belongs to the lower one, although the upper is less noisy.
    """
    runs = readings(steps, slopes, errors)
    if not runs:
        return UNREAD
    best = min(runs, key=lambda run: run.uncertainty)
    while True:
        below = [run for run in runs if run.lowest_step < best.lowest_step and run.differs(best)]
        if not below:
            return _extend(best, steps, slopes, errors)
        best = min(below, key=lambda run: run.uncertainty)


def _extend(run: Reading, steps: Floats, slopes: Floats, errors: Floats) -> Reading:
    """The same reading with its ends moved out over all neighbours that agree with it."""
    agrees = np.abs(slopes - run.value) <= run.uncertainty + errors
    low = int(np.searchsorted(steps, run.lowest_step))
    high = int(np.searchsorted(steps, run.highest_step))
    while low > 0 and agrees[low - 1]:
        low -= 1
    while high + 1 < len(steps) and agrees[high + 1]:
        high += 1
    return run._replace(lowest_step=float(steps[low]), highest_step=float(steps[high]))


def scatter(steps: Floats, values: Floats) -> float:
    """Noise of `values` [n] at `steps` [n]: what a parabola through the smallest ones leaves.

    Below a millionth of a typical change a smooth loss is a parabola to all digits, so that what
    is left is rounding, an unconverged solver or quantisation, also where repeats are identical.
    The root mean square over the degrees of freedom; 0 where there are too few steps.
    """
    finite = np.isfinite(values)
    h, y = steps[finite][:SCATTER_STEPS], values[finite][:SCATTER_STEPS]
    freedom = len(h) - 3
    if freedom < 1:
        return 0.0
    basis = np.vander(h / h[-1], 3)
    centred = y - y[0]
    scale = float(np.max(np.abs(centred)))
    if scale == 0.0:
        return 0.0
    fit, *_ = np.linalg.lstsq(basis, centred / scale, rcond=None)
    left = centred / scale - basis @ fit
    return scale * float(np.sqrt(left @ left / freedom))
