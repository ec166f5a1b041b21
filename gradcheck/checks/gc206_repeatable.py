"""GC206: repeatable."""

import math
from typing import NamedTuple, final

from gradcheck.artifact import Basics
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict, Where

BATCH = Limit(
    value=1e-9,
    unit="relative",
    why="alone and in a batch may be two programs, which add in another order",
)


class Apart(NamedTuple):
    """One entry of the gradient, alone and out of a batch, with their relative difference."""

    error: float
    input: str
    coordinate: int
    alone: float
    batched: float


@final
class GC206Repeatable(AbstractCheck):
    """The same inputs give the same loss and the same gradient, alone and among others.

    What it measures
    ----------------
    The largest difference between repeats of the loss and of each gradient entry, relative to
    the entry; and between the gradient alone and out of a batch that holds another point too,
    relative to its largest entry.

    Why it matters
    --------------
    A gradient that changes from call to call cannot be debugged, and its noise is invisible to
    every comparison with a tolerance. The common causes are state kept between calls (a warm
    start, a buffer not cleared), one buffer for all rows of a batch, and unordered sums.

    Failing example
    ---------------
        self.warm_start = solution       # the next call starts elsewhere

    Cure
    ----
    Reset solver state and gradient buffers at each call. Use deterministic reductions, or state
    the noise.

    Limits
    ------
    Zero between repeats: on one device the same program with the same inputs is the same
    computation. NaN in every repeat is the same (GC204 fails it). Few repeats can miss a rare
    race. 1e-9 between single and batch, which may be two programs that add in another order.

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
    compared = False
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
        mixed = self._mixed(evidence, basics)
        if mixed is not None:
            return [mixed]
        spreads = [_spread(row[3]) for row in rows]
        finite = all(math.isfinite(number) for row in rows for number in row[3])
        worst = max(range(len(rows)), key=lambda i: (math.isnan(spreads[i]), spreads[i]))
        title, name, index, numbers = rows[worst]
        if spreads[worst] <= 0:
            said = f"loss and gradient are the same bits in {repeats} repeats"
            if not finite:
                said += ", some of them not finite"
            return [self.finding(evidence, Verdict.PASS, said, value=0.0, uncertainty=0.0)]
        said = f"{title} is {numbers[0]:.17g}, then {_other(numbers):.17g}, over {repeats} repeats"
        where = Where(input=name, coordinate=index)
        return [
            self.finding(
                evidence,
                Verdict.FAIL,
                said,
                input=name,
                value=spreads[worst],
                uncertainty=spreads[worst],  # of so few repeats, it is known to about itself
                where=where,
            )
        ]

    def _mixed(self, evidence: Evidence, basics: Basics) -> Finding | None:
        """A failure where a batch with another point in it changes the gradient; else None."""
        worst = Apart(0.0, "", 0, 0.0, 0.0)
        for name, rows in basics.batched.items():
            alone = basics.gradients[0].get(name, [])
            size = max((abs(x) for x in alone if math.isfinite(x)), default=0.0)
            for index, (one, other) in enumerate(zip(alone, rows, strict=True)):
                if _same(one, other):
                    continue
                apart = abs(one - other)
                error = apart / size if size else apart
                # One of the two is NaN: as far apart as can be
                error = math.inf if math.isnan(error) else error
                if error > worst.error:
                    worst = Apart(error, name, index, one, other)
        if worst.error <= BATCH.value:
            return None
        (record,) = [one for one in evidence.testbed.inputs if one.name == worst.input]
        label = record.labels[worst.coordinate]
        said = (
            f"the gradient by {label} is {worst.alone:.17g} alone, and {worst.batched:.17g} out of "
            "a batch with another point: the rows of a batch are mixed up"
        )
        return self.finding(
            evidence,
            Verdict.FAIL,
            said,
            input=worst.input,
            value=worst.error,
            uncertainty=BATCH.value,
            limit=BATCH,
            where=Where(input=worst.input, coordinate=worst.coordinate),
        )


def _spread(numbers: list[float]) -> float:
    """Largest difference over the largest size; 0 for equal numbers, NaN where some are NaN."""
    if all(_same(number, numbers[0]) for number in numbers):
        return 0.0
    if not all(map(math.isfinite, numbers)):
        return math.nan
    return (max(numbers) - min(numbers)) / max(map(abs, numbers))


def _same(one: float, other: float) -> bool:
    """Are both the same number, or both NaN?"""
    return one == other or (math.isnan(one) and math.isnan(other))


def _other(numbers: list[float]) -> float:
    return next((number for number in numbers if not _same(number, numbers[0])), numbers[0])
