"""How much better the exact derivative does than the other, seed by seed.

An advantage is log10(what the other came to / what the exact one came to) of one seed, target and
budget: of the parameters' error, or of the part of the loss that is left.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from gradcheck.engine import Array
from gradcheck.experiments.target_interval import Interval, interval
from gradcheck.experiments.target_record import Fit, Origin, Outcome, Target

EQUAL = float(np.log10(1.05))
"""Ratios within 5 % count as alike."""


@dataclass(frozen=True)
class Quantity:
    """What fits are compared by. Values below what the last step resolves count as that."""

    name: str
    of: Callable[[Fit], float]
    power: int


ERROR = Quantity("error of the parameters", lambda fit: fit.error, 1)
LOSS = Quantity("loss left", lambda fit: fit.left, 2)
QUANTITIES = (ERROR, LOSS)


class Said(StrEnum):
    """What an interval of a ratio says."""

    EXACT = "smaller with the exact derivative"
    OTHER = "smaller with the other"
    ALIKE = "alike within 5 %"
    UNTOLD = "cannot be told apart"
    UNENDED = "not compared, as no fit of one of them has an end,"


def said(advantage: Interval) -> Said:
    """Of an interval of advantages; of NaNs, that there is none."""
    if np.isnan(advantage.middle):
        return Said.UNENDED
    if max(abs(advantage.low), abs(advantage.high)) <= EQUAL:
        return Said.ALIKE
    if advantage.low > 0:
        return Said.EXACT
    return Said.OTHER if advantage.high < 0 else Said.UNTOLD


class Advantages:
    """Of one quantity, by origin, budget and seed."""

    def __init__(self, found: Target, quantity: Quantity) -> None:
        self.found, self.quantity = found, quantity
        self.floor = found.search.last_step**quantity.power
        self.origins = found.origins()
        self.budgets = [k for k in found.budgets if found.of(found.other, k, self.origins[0])]
        # A fit without an end counts as the worst that any came to.
        ends = [one for one in map(quantity.of, found.fits) if np.isfinite(one)]
        self.worst = max([*ends, self.floor])
        self.all = np.array(
            [[self._of(origin, k) for k in self.budgets] for origin in self.origins]
        )

    def _of(self, origin: Origin, iterations: int) -> Array:
        found = self.found
        exact, other = (
            np.array([self.quantity.of(fit) for fit in found.of(name, iterations, origin)])
            for name in (found.exact, found.other)
        )
        if not (np.isfinite(exact).any() and np.isfinite(other).any()):
            return np.full(len(exact), np.nan)
        exact, other = (np.clip(one, self.floor, self.worst) for one in (exact, other))
        advantages: Array = np.log10(other / exact)
        return advantages

    def at(self, origin: Origin, iterations: int) -> Interval:
        """Over seeds."""
        return interval(self._row(origin, iterations))

    def _row(self, origin: Origin, iterations: int) -> Array:
        row: Array = self.all[self.origins.index(origin), self.budgets.index(iterations)]
        return row

    def by_budget(self, origin: Origin) -> Interval:
        """How it changes from the first budget to the last, paired by seed."""
        first, last = (self._row(origin, k) for k in (self.budgets[0], self.budgets[-1]))
        return interval(first - last)

    def by_origin(self, one: Origin, other: Origin, iterations: int) -> Interval:
        """How it changes from one origin to another, paired by seed."""
        return interval(self._row(one, iterations) - self._row(other, iterations))

    def bounded(self, origin: Origin, iterations: int) -> bool:
        """Did most fits end at an edge of the box, or without an end?"""
        fits = [
            fit
            for name in (self.found.exact, self.found.other)
            for fit in self.found.of(name, iterations, origin)
        ]
        ended = sum(fit.outcome in (Outcome.SETTLED, Outcome.UNSETTLED) for fit in fits)
        return 2 * ended < len(fits)
