"""GC206: repeatable."""

import math
from typing import final

from gradcheck.artifact import Basics
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict, Where


@final
class GC206Repeatable(AbstractCheck):
    """The same inputs give the same loss and the same gradient, to the last bit.

    What it measures
    ----------------
    The largest difference between repeats of the loss and of each gradient entry, relative to
    the entry.

    Why it matters
    --------------
    A gradient that changes from call to call cannot be debugged, and its noise is invisible to
    every comparison with a tolerance. The common causes are state kept between calls (a warm
    start, a buffer not cleared) and unordered sums.

    Failing example
    ---------------
        self.warm_start = solution       # the next call starts elsewhere

    Cure
    ----
    Reset solver state and gradient buffers at each call. Use deterministic reductions, or state
    the noise.

    Limits
    ------
    Zero: on one device the same program with the same inputs is the same computation. Few
    repeats can miss a rare race.

    References
    ----------
    Ahrens, Demmel, Nguyen, Algorithms for Efficient Reproducible Floating Point Summation,
    ACM TOMS 46 (2020).
    """

    code = "GC206"
    name = "repeatable"
    needs = ("basics",)
    title = "Loss and gradient are repeatable"
    failure_title = "Loss or gradient change from call to call"
    error_title = "Repeatability was not measured"
    limit = Limit(value=0, unit="relative", why="the same computation gives the same bits")

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: the number that changes most."""
        basics = self.needed(evidence, Basics)
        repeats = min(len(basics.values), len(basics.gradients))
        if repeats < 2:
            return [self.finding(evidence, Verdict.ERROR, "nothing was repeated")]
        rows: list[tuple[str, str | None, int | None, list[float]]] = [
            ("the loss", None, None, basics.values),
            ("the loss with its gradient", None, None, basics.values_with_grad),
        ]
        for one in evidence.testbed.inputs:
            columns = zip(*(g[one.name] for g in basics.gradients if one.name in g), strict=True)
            rows += [
                (f"the gradient by {one.labels[index]}", one.name, index, list(column))
                for index, column in enumerate(columns)
            ]
        spreads = [_spread(row[3]) for row in rows]
        worst = max(range(len(rows)), key=lambda i: (math.isnan(spreads[i]), spreads[i]))
        title, name, index, numbers = rows[worst]
        if spreads[worst] <= 0:
            said = f"loss and gradient are the same bits in {repeats} repeats"
            return [self.finding(evidence, Verdict.PASS, said, value=0.0)]
        if math.isnan(spreads[worst]):
            said = f"{title} is not a number in {repeats} repeats: nothing to compare"
        else:
            said = (
                f"{title} is {numbers[0]:.17g}, then {_other(numbers):.17g}, over {repeats} repeats"
            )
        where = Where(input=name, coordinate=index)
        return [
            self.finding(
                evidence, Verdict.FAIL, said, input=name, value=spreads[worst], where=where
            )
        ]


def _spread(numbers: list[float]) -> float:
    """Largest difference over the largest size; 0 for equal numbers, NaN where one is NaN."""
    if all(number == numbers[0] for number in numbers):
        return 0.0
    if any(map(math.isnan, numbers)):
        return math.nan
    return (max(numbers) - min(numbers)) / max(map(abs, numbers))


def _other(numbers: list[float]) -> float:
    return next((number for number in numbers if number != numbers[0]), numbers[0])
