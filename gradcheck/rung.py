"""One rung of a horizon ladder: the engine's gradient against differences at that many steps."""

import math
from typing import NamedTuple

from gradcheck.artifact import HorizonRow, Ladder
from gradcheck.evidence import TestbedRecord
from gradcheck.match import NEGLIGIBLE, excess
from gradcheck.plateau import SETTLED


class Rung(NamedTuple):
    """The worst coordinate at one horizon. `error` is relative, beyond the uncertainty of the
    difference; None of a coordinate could be judged where `input` is None."""

    steps: int
    error: float
    input: str | None
    coordinate: int | None
    gradient: float
    difference: float

    @property
    def ratio(self) -> float:
        """Engine over differences; NaN where these are zero."""
        return self.gradient / self.difference if self.difference else math.nan


def rungs(ladder: Ladder, testbed: TestbedRecord, name: str | None = None) -> list[Rung]:
    """Every horizon of the ladder, the shortest first; only of the input `name` where given."""
    rows = sorted(ladder.rows, key=lambda row: row.steps)
    return [_rung(row, testbed, name) for row in rows]


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


def _rung(row: HorizonRow, testbed: TestbedRecord, name: str | None) -> Rung:
    scales = {one.name: one.scale for one in testbed.inputs}
    settled = [
        abs(difference) * scales[key]
        for key, values in row.difference.items()
        for difference, doubt in zip(values, row.uncertainty[key], strict=True)
        if doubt <= SETTLED * abs(difference)
    ]
    largest = max(settled, default=0.0)
    worst = Rung(row.steps, 0.0, None, None, math.nan, math.nan)
    for key, gradient in row.gradient.items():
        if name not in (None, key):
            continue
        for index, claimed in enumerate(gradient):
            difference, doubt = row.difference[key][index], row.uncertainty[key][index]
            scale = max(abs(difference), NEGLIGIBLE * largest / scales[key])
            far = doubt <= SETTLED * abs(claimed - difference)
            if row.kink[key][index] or (
                math.isfinite(claimed) and not (doubt <= SETTLED * scale or far)
            ):
                continue
            error = excess(claimed, difference, doubt, scale)
            # `not <=` so that NaN is the worst of all
            if worst.input is None or (not error <= worst.error and not math.isnan(worst.error)):
                worst = Rung(row.steps, error, key, index, claimed, difference)
    return worst
