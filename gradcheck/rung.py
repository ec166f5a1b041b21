"""One rung of a horizon ladder: the engine's gradient against differences at that many steps."""

import math
from typing import NamedTuple

from gradcheck.artifact import HorizonRow, Ladder
from gradcheck.evidence import TestbedRecord
from gradcheck.match import NEGLIGIBLE, excess
from gradcheck.plateau import SETTLED


class Rung(NamedTuple):
    """The worst coordinate at one horizon. `error` is relative, beyond the uncertainty of the
    difference, whose own relative uncertainty is `doubt`; none of the coordinates could be judged
    where `input` is None."""

    steps: int
    error: float
    input: str | None
    coordinate: int | None
    gradient: float
    difference: float
    doubt: float

    @property
    def ratio(self) -> float:
        """Engine over differences; NaN where these are zero."""
        return self.gradient / self.difference if self.difference else math.nan


def rungs(ladder: Ladder, testbed: TestbedRecord, name: str | None = None) -> list[Rung]:
    """Every horizon of the ladder, the shortest first; only of the input `name` where given."""
    return [_worst(row, testbed, name) for row in ordered(ladder)]


def ordered(ladder: Ladder) -> list[HorizonRow]:
    """The rows of a ladder, the shortest horizon first."""
    return sorted(ladder.rows, key=lambda row: row.steps)


def size(row: HorizonRow, testbed: TestbedRecord, name: str | None = None) -> float:
    """Largest |g| * scale over coordinates: the change of the loss by a typical change."""
    scales = {one.name: one.scale for one in testbed.inputs}
    entries = [
        abs(entry) * scales[key]
        for key, gradient in row.gradient.items()
        for entry in gradient
        if name in (None, key)
    ]
    return math.nan if any(map(math.isnan, entries)) else max(entries, default=0.0)


def entries(row: HorizonRow, testbed: TestbedRecord) -> list[Rung]:
    """Every coordinate of one horizon that can be judged: off kinks, and with a difference that
    settles or that the gradient is far from. A gradient that is not finite is always judged."""
    scales = {one.name: one.scale for one in testbed.inputs}
    settled = [
        abs(difference) * scales[key]
        for key, values in row.difference.items()
        for difference, doubt in zip(values, row.uncertainty[key], strict=True)
        if doubt <= SETTLED * abs(difference)
    ]
    largest = max(settled, default=0.0)
    found = []
    for key, gradient in row.gradient.items():
        for index, claimed in enumerate(gradient):
            difference, doubt = row.difference[key][index], row.uncertainty[key][index]
            scale = max(abs(difference), NEGLIGIBLE * largest / scales[key])
            known = doubt <= SETTLED * scale or doubt <= SETTLED * abs(claimed - difference)
            if row.kink[key][index] or (math.isfinite(claimed) and not known):
                continue
            error = excess(claimed, difference, doubt, scale)
            share = doubt / scale if scale else 0.0
            found.append(Rung(row.steps, error, key, index, claimed, difference, share))
    return found


def _worst(row: HorizonRow, testbed: TestbedRecord, name: str | None) -> Rung:
    """The first of the worst coordinates; NaN is worse than any number."""
    judged = [entry for entry in entries(row, testbed) if name in (None, entry.input)]
    nothing = Rung(row.steps, 0.0, None, None, math.nan, math.nan, math.nan)
    return max(judged, key=lambda e: (math.isnan(e.error), e.error), default=nothing)
