"""Sweeps through contact, without contact, and over a staircase."""

from typing import Any

import numpy as np
import pytest

from gradcheck.artifact import SweepResult
from gradcheck.engine import Settings, Unsupported
from gradcheck.measure.sweep import measure, tangent_index
from gradcheck.testbed import Input, Sweep
from tests.measure.toys import Toy, bed, scalar, subject

X = Input("x", np.array([0.5]))


def swept(f: Any, g: Any = np.ones_like, low: float = -1.0, high: float = 1.0) -> SweepResult:
    return measure(subject(scalar(f, g), bed(X, sweep=Sweep("x", 0, low, high))))


def test_a_push_across_a_gap() -> None:
    sweep = swept(lambda x: np.maximum(0.0, x - 0.2), lambda x: (x > 0.2).astype(float))
    assert (sweep.input, sweep.index, sweep.label) == ("x", 0, "x[0]")
    assert len(sweep.points) == len(sweep.values) == len(sweep.gradients) == 84
    inside = np.abs(np.array(sweep.points) - 0.2) > 1e-9
    assert np.allclose(np.array(sweep.differences)[inside], np.array(sweep.gradients)[inside])
    (event,) = sweep.events
    assert event.at == 0.2
    assert (event.left_slope, event.right_slope) == pytest.approx((0.0, 1.0), abs=1e-7)
    assert event.uncertainty < 1e-6
    assert event.gradient == 0.0
    assert sweep.unsearched == 0


def test_a_step_is_a_jump() -> None:
    (event,) = swept(lambda x: np.where(x > 1 / 3, 1.0, 0.0), np.zeros_like).events
    assert event.at == pytest.approx(1 / 3, abs=2e-9)
    assert event.right_value - event.left_value == 1.0
    assert (event.left_slope, event.right_slope) == (0.0, 0.0)


@pytest.mark.parametrize("f", [np.sin, np.exp, lambda x: np.sin(20 * x), lambda x: 4 * x - 1])
def test_a_smooth_sweep_has_no_events(f: Any) -> None:
    assert swept(f).events == []


def test_differences_are_the_programs_slope() -> None:
    sweep = swept(np.sin, np.cos)
    assert np.allclose(sweep.differences, np.cos(sweep.points), atol=1e-8)
    assert 0 < sweep.noise < 1e-15


def staircase(x: Any) -> Any:
    """Slope +1 on treads of 1/200, -1 on the whole."""
    return x - 2 * np.floor(200 * x + 0.3) / 200


def test_of_many_events_the_largest_are_located_and_the_rest_counted() -> None:
    sweep = swept(lambda x: staircase(x) + 0.5 * (x > 0.777))
    assert len(sweep.events) == 6
    assert sweep.unsearched > 60
    assert sweep.events[0].at == pytest.approx(0.777, abs=2e-9)
    for event in sweep.events[1:]:
        assert event.right_value - event.left_value == pytest.approx(-0.01, abs=1e-6)
        assert event.left_slope == pytest.approx(1.0, abs=1e-6)
        assert (200 * event.at + 0.3) % 1 == pytest.approx(0.0, abs=1e-5) or (
            200 * event.at + 0.3
        ) % 1 == pytest.approx(1.0, abs=1e-5)


def test_a_jump_on_a_point_has_no_slope_but_an_event() -> None:
    place = swept(np.sin).points[30]
    sweep = swept(lambda x: x + (x >= place))
    assert np.flatnonzero(np.isnan(sweep.differences)).tolist() == [30]
    (event,) = sweep.events
    assert event.at == pytest.approx(place, abs=2e-9)
    assert event.right_value - event.left_value == pytest.approx(1.0, abs=1e-12)


def test_one_entry_of_many_moves_behind_a_quaternion() -> None:
    def loss(batch: Any, _: Settings) -> Any:
        return np.abs(batch["q"][:, 5] - 0.3) + batch["q"][:, 0]

    def grad(batch: Any, _: Settings) -> Any:
        out = np.zeros_like(batch["q"])
        out[:, 5] = np.sign(batch["q"][:, 5] - 0.3)
        return {"q": out}

    one = Input("q", np.array([1.0, 0, 0, 0, 7.0, 8.0]), quaternions=(0,))
    sweep = measure(subject(Toy(loss, grad), bed(one, sweep=Sweep("q", 5, 0.0, 1.0))))
    assert (sweep.index, sweep.label) == (4, "q[5]")
    assert sweep.values[0] == 1.3
    assert sweep.gradients[0] == -1.0
    assert sweep.events[0].at == 0.3
    with pytest.raises(Unsupported, match="quaternion"):
        tangent_index(one, 2)


def test_reasons() -> None:
    with pytest.raises(Unsupported, match="has no sweep"):
        measure(subject(scalar(np.sin, np.cos), bed(X)))
    held = scalar(np.sin, np.cos, undifferentiated={"x": "no"})
    with pytest.raises(Unsupported, match="no gradient by x"):
        measure(subject(held, bed(X, sweep=Sweep("x", 0, 0.0, 1.0))))
