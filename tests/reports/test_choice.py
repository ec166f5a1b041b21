"""Which figures a document shows."""

from collections.abc import Sequence
from functools import cache

from gradcheck.report import Report
from gradcheck.reports.choice import BEARS_ON, choose
from gradcheck.reports.pair import Numbered, Pair, pairs
from tests.reports import sample


@cache
def rows() -> Sequence[Sequence[Pair]]:
    report: Report = sample.report()
    return pairs(report, [Numbered(f"f{at}", one) for at, one in enumerate(report.findings)])


def test_every_figure_has_checks_that_it_bears_on() -> None:
    titles = {plot.title for row in rows() for pair in row for plot in pair.plots}
    # No engine of the sample has a knob for its solver's tolerance.
    assert titles == {title for title in BEARS_ON if "tolerance" not in title}
    assert {code for codes in BEARS_ON.values() for code in codes} <= set(sample.TITLES)


def test_figures_of_what_failed_come_first() -> None:
    choice = choose(rows(), 2)
    assert choice.count == 2
    shown = [
        (pair.engine, pair.testbed, plot.title) for pair, plots in choice.shown for plot in plots
    ]
    assert ("flipped", "bounce", "Error over step size") in shown
    assert all(engine in ("flipped", "silent") for engine, _, _ in shown)


def test_no_more_than_allowed_and_none_twice() -> None:
    every = choose(rows(), 10_000)
    assert every.count == every.total > 24
    few = choose(rows(), 24)
    assert few.count == 24
    assert few.total == every.total
    assert choose(rows(), 0).shown == ()
