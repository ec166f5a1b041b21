"""The step-size figure tells a right gradient from a wrong one, and shows the worst first."""

import math

from gradcheck.artifact import Agreement
from gradcheck.reports.figures.step_curve import step_curve, worst_first
from gradcheck.reports.glossary import SPEED_DT
from tests.reports import sample


def agreement(claims: list[float]) -> Agreement:
    one = sample.testbed("bounce").inputs[0]
    curves = [sample.curve(f"c{place}", one, 0, claim, -1.0) for place, claim in enumerate(claims)]
    return Agreement(engine="e", testbed="bounce", steps=1, dt=0.1, curves=curves, truncated={})


def test_a_right_gradient_falls_and_a_wrong_one_stays_level() -> None:
    (plot,) = step_curve(agreement([-1.0, 1.0]))
    wrong, right = plot.series[:2]
    assert min(right.y) < 1e-9
    assert all(abs(error - 2.0) < 0.3 for error in wrong.y)


def test_curves_come_worst_first_and_nan_is_worst() -> None:
    found = worst_first(agreement([-1.0, -1.1, math.nan, 1.0]))
    assert [one.label for one in found] == ["c2", "c3", "c1", "c0"]


def test_the_noise_and_the_time_step_are_marked() -> None:
    (plot,) = step_curve(agreement([-1.0]))
    assert plot.series[-1].label.startswith("noise of the loss")
    assert [(mark.at, mark.label) for mark in plot.marks] == [(4e-3, SPEED_DT)]


def test_the_caption_says_how_many_curves_are_left_out() -> None:
    (plot,) = step_curve(agreement([-1.0] * 9))
    assert "The 6 worst of 9 curves." in plot.caption
