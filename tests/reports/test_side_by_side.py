"""One testbed, its engines as columns."""

import math
from collections.abc import Sequence

import pytest

from gradcheck.artifact import Agreement, Basics, Physics
from gradcheck.finding import Verdict
from gradcheck.report import Report
from gradcheck.reports.figures.plot import Plot, Series
from gradcheck.reports.pair import Numbered, pairs
from gradcheck.reports.side_by_side import Bed, Quantity, beds, on_same_axes
from tests.reports import sample


def laid(report: Report) -> list[Bed]:
    findings = [Numbered(f"f{at}", one) for at, one in enumerate(report.findings)]
    return beds(report.summary.testbeds, pairs(report, findings))


@pytest.fixture(scope="module")
def bounce() -> Bed:
    return laid(sample.report(testbeds=("bounce",)))[0]


def row(bed: Bed, label: str) -> Quantity:
    return next(one for one in bed.quantities if one.label == label)


def test_engines_that_ran_are_columns_and_the_rest_say_why() -> None:
    bed = laid(sample.report())[3]
    assert [one.engine for one in bed.pairs] == ["exact", "flipped", "silent"]
    assert [one.engine for one in bed.others] == ["differences"]
    assert bed.others[0].note.startswith("unsupported: ")


def test_a_job_that_was_lost_says_so() -> None:
    bed = laid(sample.report(testbeds=("double_pendulum",)))[0]
    assert [(one.engine, one.verdict) for one in bed.others] == [("differences", Verdict.ERROR)]


def test_every_check_has_a_row_and_what_applies_to_none_is_named(bounce: Bed) -> None:
    assert [one.code for one in bounce.verdicts] == [one for one in sample.TITLES if one != "GC209"]
    assert bounce.inapplicable == ("GC209",)
    agreement = next(one for one in bounce.verdicts if one.code == "GC201")
    assert [cell[0].finding.verdict for cell in agreement.cells] == [
        Verdict.PASS,
        Verdict.FAIL,
        Verdict.PASS,
        Verdict.PASS,
    ]


def test_slopes_stand_beside_the_physics_and_the_wrong_one_is_marked(bounce: Bed) -> None:
    wrong = row(bounce, "position[1]")
    assert (wrong.reference, wrong.unit) == ("\N{MINUS SIGN}1", "per m")
    assert [one.text for one in wrong.cells] == ["\N{MINUS SIGN}1", "1"] + ["\N{MINUS SIGN}1"] * 2
    marked = [one.finding and one.finding.finding.code for one in wrong.cells]
    assert marked == [None, "GC201", None, None]
    # It was located at the other coordinate of the input.
    assert not any(one.finding for one in row(bounce, "position[0]").cells)


def test_a_reference_of_its_own_stands_with_each_engine() -> None:
    report = sample.report(("exact", "silent"), ("bounce",))
    physics = report.evidence[1].get(Physics)
    assert physics is not None
    physics.reference["position"][1] = -3.0
    shown = row(laid(report)[0], "position[1]")
    assert shown.reference == ""
    assert [one.aside for one in shown.cells] == ["\N{MINUS SIGN}1", "\N{MINUS SIGN}3"]


def test_the_loss_and_the_cost_are_told(bounce: Bed) -> None:
    assert row(bounce, "loss").reference == "1.2"
    assert {one.text for one in row(bounce, "loss").cells} == {"1.2"}
    assert {one.text for one in row(bounce, "time with gradient / without").cells} == {"3.66"}


def test_an_input_without_a_gradient_is_told_in_words() -> None:
    report = sample.report(("exact", "silent"), ("bounce",))
    basics, agreement = (report.evidence[1].get(kind) for kind in (Basics, Agreement))
    assert isinstance(basics, Basics)
    assert isinstance(agreement, Agreement)
    basics.undifferentiated["position"] = "the engine cannot"
    agreement.curves[:] = [one for one in agreement.curves if one.input != "position"]
    shown = row(laid(report)[0], "position[1]")
    assert [one.text for one in shown.cells] == ["\N{MINUS SIGN}1", "no gradient"]


def test_the_same_figure_of_all_engines_is_one_row_on_the_same_axes(bounce: Bed) -> None:
    figures = {one.title: one for one in bounce.figures}
    curves = figures["Error over step size"]
    assert [one.pair.engine for one in curves.shown] == list(sample.ENGINES)
    assert curves.same_axes
    assert len({one.plot.extent("y") for one in curves.shown}) == 1
    assert curves.codes[0] == "GC201"


def plot(values: Sequence[float], log: bool = False) -> Plot:
    return Plot("A", "", "x", "y", (Series("s", [0.0, 1.0], values),), y_log=log)


def test_axes_are_shared_unless_that_would_flatten_a_figure() -> None:
    narrow, wide = plot([0.0, 1.0]), plot([0.0, 100.0])
    assert on_same_axes([narrow, wide]) == ([narrow, wide], False)
    plots, same = on_same_axes([narrow, plot([0.5, 2.0])])
    assert same
    assert [one.extent("y") for one in plots] == [(0.0, 2.0)] * 2


def test_what_is_flat_anyway_shares_the_axes() -> None:
    _, same = on_same_axes([plot([-1.0, 1.0]), plot([1.0, 1.0 + 1e-12])])
    assert same


def test_logarithmic_axes_are_always_shared() -> None:
    plots, same = on_same_axes([plot([1e-9, 1.0], log=True), plot([1e3, 2e3], log=True)])
    assert same
    assert {one.extent("y") for one in plots} == {(1e-9, 2e3)}


def test_a_figure_with_nothing_to_show_shares_nothing() -> None:
    assert not on_same_axes([plot([0.0, 1.0]), plot([math.nan, math.nan])])[1]
    assert not on_same_axes([plot([0.0, 1.0])])[1]
