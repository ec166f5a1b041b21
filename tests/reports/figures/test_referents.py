"""The referent figures: the gradient's distance to each reference, by budget and by time step."""

import pytest

from gradcheck.reports.figures.referents import referents
from tests.checks import made_up


def test_a_figure_for_each_knob() -> None:
    budgets, steps = referents(made_up.referents(lambda k: 1.0))
    assert budgets.title == "Distance to each referent over solver iterations"
    assert steps.title == "Distance to each referent over the time step"
    executed, converged, continuous, floor = budgets.series
    assert list(executed.x) == [1.0, 2.0, 4.0, 8.0]
    assert executed.y[0] == pytest.approx(1.0)  # 0.5 off a slope of 0.5
    assert converged.y[0] < 1e-9
    assert continuous.y[0] == pytest.approx(0.001, rel=0.01)
    assert all(y <= 1e-8 for y in floor.y)
    assert list(steps.series[0].x) == [0.005, 0.01]


def test_references_that_are_missing_are_not_drawn() -> None:
    plots = referents(made_up.referents(continuous=None, budgets=()))
    (plot,) = plots
    assert [one.label for one in plot.series] == [
        "from the executed computation",
        "uncertainty of the references",
    ]
