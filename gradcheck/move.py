"""Two numbers of one quantity, each with the noise that its run recorded: has it moved?

Larger is worse, as for every value of a finding.
"""

import math
from enum import StrEnum
from typing import NamedTuple


class Move(StrEnum):
    """Where a value went."""

    SAME = "within noise"
    BETTER = "lower"
    WORSE = "higher"


class Measured(NamedTuple):
    """A value with its uncertainty; none recorded counts as none."""

    value: float
    uncertainty: float | None = None

    def __str__(self) -> str:
        noise = f" ± {self.uncertainty:.2g}" if self.uncertainty else ""
        return f"{self.value:.4g}{noise}"


def noise_of(old: Measured, new: Measured, times: float) -> float:
    """What both uncertainties together explain: `times` the root of the sum of their squares."""
    return times * math.hypot(old.uncertainty or 0.0, new.uncertainty or 0.0)


def moved(old: Measured, new: Measured, times: float) -> Move:
    """Has the value moved by more than the noise? NaN is worse than any number."""
    if math.isnan(old.value) or math.isnan(new.value):
        if math.isnan(new.value):
            return Move.SAME if math.isnan(old.value) else Move.WORSE
        return Move.BETTER
    if old.value == new.value:
        return Move.SAME
    noise = noise_of(old, new, times)
    if math.isfinite(noise) and abs(new.value - old.value) <= noise:
        return Move.SAME
    return Move.WORSE if new.value > old.value else Move.BETTER


def rounded(measured: Measured) -> Measured:
    """The value to a tenth of its uncertainty, and that to two figures, rounded up.

    A value without uncertainty, or with one of 0, is exact and stays as it is.
    """
    value, uncertainty = measured
    if uncertainty is None or not 0 < uncertainty < math.inf or not math.isfinite(value):
        return measured
    # Rounded to two figures first: what is already rounded is not raised again.
    figures = 1 - math.floor(math.log10(uncertainty))
    short = round(uncertainty, figures)
    if short < uncertainty:
        short = round(short + 10.0**-figures, figures)
    # By the rounded uncertainty, so that to round again changes nothing.
    digits = 1 + math.ceil(-math.log10(short))
    return Measured(round(value, digits), short)
