"""Jumps and kinks of a function of one number: where they are, and both sides of each."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gradcheck.engine import Array
from gradcheck.measure.slopes import runs
from gradcheck.plateau import SETTLED

Function = Callable[[Array], Array]

FINEST = 1e-9
"""Width, relative to the range, to which an event is located."""

SIDES = 10.0 ** np.arange(-7.5, -4.0, 0.5)
"""Steps, relative to the range, of the one-sided slopes beside an event."""

NOISES = 10
"""What a second difference must exceed, in noise floors, to be the sign of an event."""


class Located(NamedTuple):
    """An event between `low` and `high`, with what lies beside it."""

    low: float
    high: float
    left_value: float
    right_value: float
    left_slope: float
    right_slope: float
    uncertainty: float

    @property
    def jump(self) -> float:
        """right_value - left_value, less what the slopes explain."""
        explained = (self.high - self.low) * (self.left_slope + self.right_slope) / 2
        return self.right_value - self.left_value - explained

    @property
    def at(self) -> float:
        """The shortest decimal number in the bracket: a program's threshold is likely one."""
        middle = (self.low + self.high) / 2
        for digits in range(17):
            if self.low <= round(middle, digits) <= self.high:
                return round(middle, digits)
        return middle

    def is_event(self, noise: float) -> bool:
        """Does the value jump, or do the slopes of both sides settle apart?"""
        apart = abs(self.right_slope - self.left_slope)
        width = self.high - self.low
        unexplained = NOISES * noise + width * (apart + 2 * self.uncertainty)
        kink = 2 * self.uncertainty <= SETTLED * apart and apart > 0
        return abs(self.jump) > unexplained or kink


def bracket(
    f: Function, low: Array, high: Array, finest: float, noise: float, sections: int
) -> tuple[Array, Array]:
    """Brackets [k] narrowed to `finest` around the largest second difference in each.

    All brackets are cut into `sections` at once; one whose second differences drown in `noise`
    stays as it is.
    """
    low, high = low.copy(), high.copy()
    active = high - low > finest
    fractions = np.linspace(0, 1, sections + 1)
    while active.any():
        rows = np.flatnonzero(active)
        points = low[rows, None] + (high - low)[rows, None] * fractions
        values = f(points.ravel()).reshape(points.shape)
        with np.errstate(invalid="ignore"):
            odd = np.abs(_detrended(np.diff(values, n=2, axis=1)))
        odd = np.where(np.isfinite(odd), odd, 0.0)
        at = odd.argmax(axis=1)
        seen = odd.max(axis=1) > NOISES * noise
        each = np.arange(len(rows))
        low[rows] = np.where(seen, points[each, at], low[rows])
        high[rows] = np.where(seen, points[each, at + 2], high[rows])
        active[rows] = seen & (high - low > finest)[rows]
    return low, high


def _detrended(rows: Array) -> Array:
    """Rows [k, n] less a line each, through medians: what the bends of a smooth function follow
    in a small bracket. As they are where that makes them larger, as among many jumps."""
    trend = np.median(np.diff(rows, axis=1), axis=1, keepdims=True) * np.arange(rows.shape[1])
    rest = rows - trend - np.median(rows - trend, axis=1, keepdims=True)
    smaller = np.abs(rest).max(axis=1) < np.abs(rows).max(axis=1)
    return np.where(smaller[:, None], rest, rows)


def sides(f: Function, low: Array, high: Array, length: float, noise: float) -> list[Located]:
    """Values and slopes to the left of each `low` [k] and to the right of each `high` [k]."""
    steps = SIDES * length
    moves = np.concatenate([[0.0], steps])
    points = np.stack([low[:, None] - moves, high[:, None] + moves])
    values = f(points.ravel()).reshape(points.shape)
    signs = np.array([-1.0, 1.0])[:, None, None]
    with np.errstate(invalid="ignore"):
        slopes = signs * (values[..., 1:] - values[..., :1]) / steps
    errors = np.broadcast_to(2 * noise / steps, slopes.shape)
    slope, doubt = runs(np.moveaxis(slopes, -1, 0), np.moveaxis(errors, -1, 0))
    return [
        Located(
            low=float(low[k]),
            high=float(high[k]),
            left_value=float(values[0, k, 0]),
            right_value=float(values[1, k, 0]),
            left_slope=float(slope[0, k]),
            right_slope=float(slope[1, k]),
            # Curvature moves the slope by the width of the bracket as it does by a step
            uncertainty=float(doubt[:, k].max() * (1 + (high[k] - low[k]) / steps[0])),
        )
        for k in range(len(low))
    ]


def locate(
    f: Function, low: Array, high: Array, length: float, noise: float, sections: int
) -> list[Located]:
    """The events in the intervals [low, high] [k], at most one of each, the largest first.

    length: of the whole range. One event seen from two intervals counts once; an interval in
    which the function turns out to be smooth gives none.
    """
    if not len(low):
        return []
    width = float(np.max(high - low))
    low, high = bracket(f, low, high, FINEST * length, noise, sections)
    found: list[Located] = []
    every = [one for one in sides(f, low, high, length, noise) if one.is_event(noise)]
    for one in sorted(every, key=lambda one: -_size(one, width)):
        if not any(one.low <= other.high and other.low <= one.high for other in found):
            found.append(one)
    return found


def _size(one: Located, width: float) -> float:
    """What the event does to the function over an interval."""
    return abs(one.jump) + abs(one.right_slope - one.left_slope) * width
