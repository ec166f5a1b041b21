"""The range of an axis and its few ticks, at places that matplotlib's locators choose.

Locators are asked once, for major ticks: left on an axis they would also look for minor ticks,
which costs more than all the rest of a small figure.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gradcheck.plateau import Floats
from gradcheck.reports.number import number, power

MOST_TICKS = 5
NARROWEST = 1e-5
"""Part of its size below which a range on a linear axis is drawn as a constant: the ticks would
need more digits than there is room for, and what they tell apart is mostly rounding."""

HUGE = 1e300
"""The largest value drawn: beyond it the width of a range may overflow."""


@dataclass(frozen=True)
class Scale:
    """An axis from `low` to `high` (both above zero where `log`)."""

    low: float
    high: float
    log: bool

    @classmethod
    def around(cls, extent: tuple[float, float] | None, log: bool) -> "Scale":
        """A scale that shows the extent with a margin; of nothing at all, a plain one."""
        if extent is None:
            return cls(0.1, 10.0, log) if log else cls(0.0, 1.0, log)
        if log:
            first, last = (math.log10(min(max(one, 1 / HUGE), HUGE)) for one in extent)
            margin = max(0.05 * (last - first), 0.1)
            # Powers of ten outside what a float holds would overflow.
            return cls(10.0 ** max(first - margin, -307.0), 10.0 ** min(last + margin, 307.0), log)
        low, high = (min(max(one, -HUGE), HUGE) for one in extent)
        margin = 0.07 * (high - low) if varies(low, high) else 0.05 * abs(high) or 1.0
        return cls(low - margin, high + margin, log)

    def clip(self, values: Sequence[float] | Floats) -> Floats:
        """The values as they can be drawn: NaN where there is a gap, none beyond `HUGE`.

        Zero and less lie at the low end of a logarithmic axis.
        """
        array = np.asarray(values, np.float64)
        lowest = self.low if self.log else -HUGE
        return np.where(np.isfinite(array), np.clip(array, lowest, HUGE), np.nan)

    def ticks(self, letters: int) -> dict[float, str]:
        """Text by place: at most seven, and together of at most so many letters."""
        return (self._decades() if self.log else {}) or self._round(letters)

    def _decades(self) -> dict[float, str]:
        """Powers of ten; where there is at most one, places between, unless too few or many."""
        from matplotlib.ticker import LogLocator

        # The locator also offers places outside the range, which a float may not hold.
        with np.errstate(over="ignore", under="ignore"):
            powers = self._inside(LogLocator(numticks=MOST_TICKS).tick_values(self.low, self.high))
            if len(powers) >= 2:
                return {one: power(round(math.log10(one))) for one in powers}
            near = LogLocator(subs=(1, 2, 5), numticks=MOST_TICKS).tick_values(self.low, self.high)
        inside = self._inside(near)
        return {one: number(one, 6) for one in inside} if 2 <= len(inside) <= MOST_TICKS else {}

    def _round(self, letters: int) -> dict[float, str]:
        from matplotlib.ticker import MaxNLocator

        ticks: dict[float, str] = {}
        for most in range(MOST_TICKS + 1, 1, -1):
            locator = MaxNLocator(nbins=most, steps=[1, 2, 5, 10])
            places = self._inside(locator.tick_values(self.low, self.high))
            ticks = {one: number(one, _digits(places)) for one in places}
            if sum(len(text) + 2 for text in ticks.values()) <= letters:
                break
        return ticks

    def _inside(self, places: Iterable[float]) -> list[float]:
        return [float(one) for one in places if self.low <= one <= self.high]


def varies(low: float, high: float) -> bool:
    """Is a range on a linear axis more than a constant with rounding?"""
    return high - low > NARROWEST * max(abs(low), abs(high))


def _digits(places: list[float]) -> int:
    """How many digits tell evenly spaced values apart: more where they share the leading ones."""
    if len(places) < 2:
        return 6
    step = places[1] - places[0]
    return 1 + math.ceil(math.log10(max(map(abs, places)) / step))
