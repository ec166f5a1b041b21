"""The horizon figure: norms over time on each time step."""

import numpy as np
import pytest

from gradcheck.artifact import Horizon, HorizonRow, Ladder
from gradcheck.reports.figures.horizon import horizon


def ladder(dt: float) -> Ladder:
    rows = [
        HorizonRow(
            steps=steps,
            value=0.0,
            gradient={"x": [3.0 * steps], "v": [4.0 * steps]},
            difference={"x": [3.0 * steps], "v": [0.0]},
            uncertainty={"x": [0.0], "v": [0.0]},
            kink={"x": [False], "v": [False]},
        )
        for steps in (1, 2)
    ]
    return Ladder(dt=dt, rows=rows, log_largest=[], log_smallest=[])


def test_norms_are_over_all_inputs_and_times_are_in_seconds() -> None:
    (plot,) = horizon(Horizon(engine="e", testbed="t", ladders=[ladder(0.1), ladder(0.05)]))
    first, differences, second = plot.series
    assert list(first.x) == pytest.approx([0.1, 0.2])
    assert list(second.x) == pytest.approx([0.05, 0.1])
    assert list(first.y) == pytest.approx([5.0, 10.0])
    assert list(differences.y) == pytest.approx([3.0, 6.0])


def test_differences_at_some_coordinates_are_drawn_with_the_gradient_there() -> None:
    one = ladder(0.1)
    for row in one.rows:
        row.difference["v"], row.uncertainty["v"] = [np.nan], [np.inf]
    (plot,) = horizon(Horizon(engine="e", testbed="t", ladders=[one]))
    whole, differences, same = plot.series
    assert list(whole.y) == pytest.approx([5.0, 10.0])
    assert list(differences.y) == pytest.approx([3.0, 6.0])
    assert list(same.y) == pytest.approx([3.0, 6.0])
    assert differences.label == "differences, where measured"
    assert plot.lost == 0


def test_a_horizon_without_any_difference_is_a_lost_point() -> None:
    one = ladder(0.1)
    for name in ("x", "v"):
        one.rows[1].difference[name], one.rows[1].uncertainty[name] = [np.nan], [np.inf]
    (plot,) = horizon(Horizon(engine="e", testbed="t", ladders=[one]))
    assert list(plot.series[1].y)[:1] == pytest.approx([5.0 * 0.6])
    assert plot.lost == 2


def test_an_empty_ladder_gives_no_figure() -> None:
    assert horizon(Horizon(engine="e", testbed="t", ladders=[])) == []


def test_the_shortest_failing_horizon_is_marked_in_seconds() -> None:
    artifact = Horizon(engine="e", testbed="t", ladders=[ladder(0.1)])
    (plot,) = horizon(artifact, first_bad=2)
    (mark,) = plot.marks
    assert mark.label == "first bad"
    assert mark.at == pytest.approx(0.2)
