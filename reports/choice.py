"""Which figures a document of limited length shows: those that bear on what went wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from gradcheck.finding import WORST_FIRST, Verdict
from gradcheck.report import worst
from gradcheck.reports.figures.plot import Plot
from gradcheck.reports.pair import Pair

BEARS_ON = {
    "Error over step size": ("GC201", "GC202", "GC206", "GC208"),
    "Error against the physics over the time step": ("GC202", "GC101"),
    "Distance to each referent over solver iterations": ("GC101",),
    "Distance to each referent over solver iterations, one step": ("GC101",),
    "Distance to each referent over the solver's tolerance": ("GC101",),
    "Distance to each referent over the solver's tolerance, one step": ("GC101",),
    "Distance to each referent over the time step": ("GC101",),
    "Size over the horizon": ("GC207", "GC301", "GC302"),
    "Loss through contact": ("GC401", "GC402", "GC403"),
    "Slope through contact": ("GC202", "GC401", "GC402", "GC403"),
    "Slope under noise, at equal budget": ("GC501",),
    "Time over the horizon": ("GC601",),
    "Peak memory over the horizon": ("GC602",),
}
"""Titles of figures -> the checks whose outcome they show."""


@dataclass(frozen=True)
class Choice:
    """The plots shown of each pair, worst pairs first, and how many figures there are in all."""

    shown: tuple[tuple[Pair, tuple[Plot, ...]], ...]
    total: int

    @property
    def count(self) -> int:
        """How many figures are shown."""
        return sum(len(plots) for _, plots in self.shown)


def choose(rows: Sequence[Sequence[Pair]], most: int) -> Choice:
    """At most so many plots: by the worst verdict that each bears on, then by that of its pair."""
    every = [(pair, plot) for row in rows for pair in row for plot in pair.plots]
    ranked = sorted(every, key=lambda one: (_rank(_bearing(*one)), _rank(one[0].verdict)))
    kept = {id(plot) for _, plot in ranked[:most]}
    pairs = sorted((pair for row in rows for pair in row), key=lambda one: _rank(one.verdict))
    shown = [(pair, tuple(one for one in pair.plots if id(one) in kept)) for pair in pairs]
    return Choice(tuple((pair, plots) for pair, plots in shown if plots), len(every))


def _bearing(pair: Pair, plot: Plot) -> Verdict:
    codes = BEARS_ON.get(plot.title, ())
    return worst(one.finding.verdict for one in pair.findings if one.finding.code in codes)


def _rank(verdict: Verdict | None) -> int:
    return len(WORST_FIRST) if verdict is None else WORST_FIRST.index(verdict)
