"""Reading one number off a curve of step sizes: a run of steps that agree, never one step.

Differences err by truncation at large steps and by noise / step at small ones; between them lies
a plateau. Pure numpy; the record that uses it is `gradcheck.curve.Curve`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

RUN = 3
"""Steps in a run. Fewer could agree by accident; more would reach into truncation or noise."""

SETTLED = 0.1
"""A reading is settled where its uncertainty is at most this part of what it is held against."""

FLAT, NEARLY = 1e3, 1e-2
"""Over three decades of the step a saturated loss grows by less than two: the attractor of a
chaotic rollout is not reached at once, but nothing smooth is so slow."""

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


class Runs(NamedTuple):
    """All runs of neighbouring steps of one curve: median, uncertainty and first index of each."""

    value: Floats
    uncertainty: Floats
    first: NDArray[np.int64]
    length: int

    def reading(self, index: int, steps: Floats) -> Reading:
        """One run as a reading."""
        first = int(self.first[index])
        return Reading(
            float(self.value[index]),
            float(self.uncertainty[index]),
            float(steps[first]),
            float(steps[first + self.length - 1]),
        )


def runs(slopes: Floats, errors: Floats) -> Runs:
    """One run for each `RUN` neighbouring steps whose slopes are all finite.

    `slopes` [n] are difference quotients at rising steps, `errors` [n] what noise does to each.
    A shorter curve is one run. The uncertainty is the largest distance of a member from the
    median plus the largest error by noise.
    """
    length = min(RUN, len(slopes))
    if length == 0:
        return Runs(np.empty(0), np.empty(0), np.empty(0, np.int64), 0)
    windows = sliding_window_view(slopes, length)
    finite = np.isfinite(windows).all(axis=1)
    windows = windows[finite]
    middle = np.sort(windows, axis=1)[:, length // 2]
    spread = np.abs(windows - middle[:, None]).max(axis=1)
    noise = sliding_window_view(errors, length)[finite].max(axis=1)
    return Runs(middle, spread + noise, np.flatnonzero(finite), length)


def read(steps: Floats, slopes: Floats, errors: Floats) -> Reading:
    """The plateau: the run of least uncertainty, unless a run at smaller steps contradicts it.

    A function may have two plateaus (a time-stepped one inside and across its steps; a kink
    close by). The derivative belongs to the lower one, although the upper is less noisy.
    """
    found = runs(slopes, errors)
    if not len(found.value):
        return UNREAD
    best = int(np.argmin(found.uncertainty))
    while True:
        distance = np.abs(found.value - found.value[best])
        doubt = found.uncertainty + found.uncertainty[best]
        apart = (distance > 0) & (doubt <= SETTLED * distance)
        apart[best:] = False
        if not apart.any():
            return _extend(found.reading(best, steps), steps, slopes, errors)
        best = int(np.argmin(np.where(apart, found.uncertainty, np.inf)))


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


def saturation(steps: Floats, moved: Floats) -> float:
    """The step from which a loss that moved by `moved` [n] at rising `steps` hardly moves farther.

    Saturated is a loss that in every run over `FLAT` and more in the step has moved by `NEARLY`
    of the most; a smooth one moves `FLAT` times as far there. It begins where the loss has moved
    by a tenth of what it typically does from there on. Infinite where there is no such step.
    """
    finite = np.isfinite(moved)
    steps, moved = steps[finite], moved[finite]
    if len(steps) < RUN:
        return float(np.inf)
    first = _far_from(moved, NEARLY * float(moved.max()))
    if not steps[-1] > FLAT * steps[first]:
        return float(np.inf)
    return float(steps[_far_from(moved, SETTLED * float(np.median(moved[first:])))])


def _far_from(moved: Floats, far: float) -> int:
    """The first index from which every run of `moved` [n] has a member above `far`."""
    above = moved > far
    still = np.flatnonzero(~sliding_window_view(above, RUN).any(axis=1))
    start = int(still[-1]) + 1 if len(still) else 0
    return start + int(np.argmax(above[start:]))


def scatter(steps: Floats, values: Floats) -> float:
    """Noise of `values` [n] at `steps` [n]: what a parabola through the smallest ones leaves.

    Below a millionth of a typical change a smooth loss is a parabola to all digits, so that what
    is left is rounding, an unconverged solver or quantisation, also where repeats are identical.
    The root mean square over the degrees of freedom; 0 where there are too few steps.
    """
    finite = np.isfinite(values)
    h, y = steps[finite][:SCATTER_STEPS], values[finite][:SCATTER_STEPS]
    if len(h) < 4:
        return 0.0
    # A constant loses nothing by being taken off first, and would cost digits.
    left = _remainder(tuple(h.tolist())) @ (y - y[0])
    return float(np.sqrt(left @ left / (len(h) - 3)))


def quantum(value: float, sides: Sequence[Floats]) -> float:
    """Step in which a quantised loss moves about `value`; 0 where it is not quantised.

    sides: the losses [n] at rising steps to the right and to the left. A loss that is rounded
    (to float32, to four decimals) repeats itself at small steps, and all its changes are
    multiples of one unit; a kink or a jump close by gives no such grid. The smallest change is
    taken, since rounded inputs or the rounding of several terms move it by more than a unit, on
    the side where it is smaller, since a kink or a jump lies on one.
    """
    changes = [np.abs(side[np.isfinite(side)] - value) for side in sides]
    if not all(len(np.unique(one[:SCATTER_STEPS])) < len(one[:SCATTER_STEPS]) for one in changes):
        return 0.0
    moved = [one[one > 0] for one in changes]
    if not all(len(one) for one in moved):
        return 0.0
    rounding = float(np.finfo(np.float64).eps) * (abs(value) + max(float(m[0]) for m in moved))
    near = np.unique(np.concatenate([one[:SCATTER_STEPS] for one in moved]))
    levels = near[np.diff(near, prepend=0.0) > rounding]
    if len(levels) < 2 or not _on_a_grid(levels, rounding):
        return 0.0
    return min(float(one.min()) for one in moved)


def _on_a_grid(changes: Floats, rounding: float) -> bool:
    """Have rising `changes` [n], each known to `rounding`, a common divisor that is told from 0?

    Euclid's algorithm, with the error of the divisor carried along.
    """
    unit, error = float(changes[0]), rounding
    for change in changes[1:].tolist():
        larger, larger_error = change, rounding
        while True:
            times = np.rint(larger / unit)
            rest = abs(larger - times * unit)
            rest_error = larger_error + times * error
            if not rest_error < SETTLED * unit:
                return False
            if rest <= rest_error:
                break
            larger, larger_error, unit, error = unit, error, rest, rest_error
    return True


@lru_cache(maxsize=64)
def _remainder(steps: tuple[float, ...]) -> Floats:
    """The projection [n, n] of values at `steps` on what no parabola in the step can follow."""
    h = np.array(steps)
    q, _ = np.linalg.qr(np.vander(h / h[-1], 3))
    return np.asarray(np.eye(len(h)) - q @ q.T, np.float64)
