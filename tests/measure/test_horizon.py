"""Ladders of maps whose growth is known, and the first horizon that disagrees."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcheck.artifact import Horizon
from gradcheck.direction import chosen
from gradcheck.engine import Array, Knob, Unsupported
from gradcheck.measure.horizon import horizons, measure
from gradcheck.testbed import Input
from tests.measure.toys import Stepper, bed, scalar, subject

X = Input("x", np.array([0.4, 0.3]), scale=0.1)
BED = bed(X, dt=0.01, steps=100)


def growth(states: Any, inputs: Any, dt: float) -> Any:
    """x' = x, y' = -2 y by the explicit Euler method."""
    return states * np.array([1 + dt, 1 - 2 * dt])


def logistic(states: Any, inputs: Any, dt: float) -> Any:
    return 3.9 * states * (1 - states)


def pendulum(states: Any, inputs: Any, dt: float) -> Any:
    angle, rate = states[..., 0], states[..., 1]
    rate = rate - dt * 9.81 * np.sin(angle)
    return np.stack([angle + dt * rate, rate], axis=-1)


def run(
    step: Any = pendulum, spoil: Callable[[int, Array], Array] | None = None, **options: Any
) -> Horizon:
    return measure(subject(Stepper(step, spoil=spoil, **options), BED))


def test_horizons_are_octaves_with_the_last() -> None:
    assert horizons(100, halves=True) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 100]
    assert horizons(5, halves=False) == [1, 2, 4, 5]
    assert horizons(1, halves=True) == [1]


def test_a_right_gradient_agrees_at_every_horizon_and_needs_no_refinement() -> None:
    horizon = run()
    ladder = horizon.ladders[0]
    assert [row.steps for row in ladder.rows] == horizons(100, halves=True)
    for row in ladder.rows:
        for g, d, u in zip(
            row.gradient["x"], row.difference["x"], row.uncertainty["x"], strict=True
        ):
            assert abs(g - d) <= u < 1e-7
        assert row.kink == {"x": [False, False]}


def test_growth_and_its_second_ladder() -> None:
    horizon = run(growth)
    first, second = horizon.ladders
    assert second.dt == first.dt / 2
    assert [row.steps for row in second.rows] == horizons(100, halves=False)
    last = first.rows[-1]
    assert last.gradient["x"] == pytest.approx([1.01**100, 0.0], rel=1e-12)
    assert last.value == pytest.approx(0.4 * 1.01**100, rel=1e-12)
    assert first.log_largest[-1] == pytest.approx(100 * np.log(1.01), rel=1e-10)
    assert first.log_smallest[-1] == pytest.approx(100 * np.log(0.98), rel=1e-10)
    assert second.log_largest == []
    assert horizon.second_reason is None


def test_chaos_grows_at_the_lyapunov_rate_of_both() -> None:
    rows = run(logistic).ladders[0].rows
    per_step = np.log(abs(rows[-1].gradient["x"][0])) / 100
    assert 0.4 < per_step < 0.6
    # Differences end where the horizon has eaten all digits, and say so.
    assert rows[6].uncertainty["x"][0] < 1e-3 * abs(rows[6].difference["x"][0])
    assert rows[-1].uncertainty["x"][0] == np.inf
    assert np.isnan(rows[-1].difference["x"][0])
    assert rows[-1].uncertainty["x"][1] < 1e-8  # the loss does not depend on the second one


@pytest.mark.parametrize("since", [1, 2, 5, 37, 71, 99])
def test_the_first_horizon_that_disagrees_is_in_the_ladder(since: int) -> None:
    horizon = run(spoil=lambda k, j: -j if k == since else j)
    steps = [row.steps for row in horizon.ladders[0].rows]
    assert since in steps
    assert since + 1 in steps
    good = horizon.ladders[0].rows[steps.index(since)]
    bad = horizon.ladders[0].rows[steps.index(since + 1)]
    assert good.gradient["x"][0] == pytest.approx(good.difference["x"][0], rel=1e-6)
    assert bad.gradient["x"][0] == pytest.approx(-bad.difference["x"][0], rel=1e-6)
    assert len(steps) <= 14 + 14


def test_the_first_nan_is_in_the_ladder() -> None:
    horizon = run(spoil=lambda k, j: j * np.nan if k == 41 else j)
    steps = [row.steps for row in horizon.ladders[0].rows]
    assert {41, 42} <= set(steps)
    assert np.isnan(horizon.ladders[0].rows[steps.index(42)].gradient["x"]).all()
    assert np.isnan(horizon.ladders[0].log_largest[-1])


def test_a_kink_is_flagged_where_it_lies() -> None:
    one = bed(Input("x", np.array([0.0])), dt=0.1, steps=8)
    engine = scalar(np.abs, np.ones_like)
    for row in measure(subject(engine, one)).ladders[0].rows:
        assert row.kink == {"x": [True]}
    smooth = scalar(lambda x: x + x**2, lambda x: 1 + 2 * x)
    for row in measure(subject(smooth, one)).ladders[0].rows:
        assert row.kink == {"x": [False]}


def test_coordinates_beyond_the_budget_are_unknown_not_wrong() -> None:
    def shrink(states: Any, inputs: Any, dt: float) -> Any:
        return states * (1 - dt)

    wide = bed(Input("x", np.ones(30)), dt=0.1, steps=2)
    row = measure(subject(Stepper(shrink), wide)).ladders[0].rows[0]
    known = [i for i, u in enumerate(row.uncertainty["x"]) if np.isfinite(u)]
    assert known == chosen(30, 8)
    assert np.isnan(row.difference["x"][1])
    assert len(row.gradient["x"]) == 30


def test_reasons() -> None:
    horizon = run(knobs=(Knob.STEPS,), abilities=())
    assert horizon.second_reason == "toy has no knob 'dt'"
    assert horizon.ladders[0].log_largest == []
    with pytest.raises(Unsupported, match="no knob 'steps'"):
        run(knobs=(Knob.DT,))
    with pytest.raises(Unsupported, match="without time steps"):
        measure(subject(Stepper(pendulum), bed(X)))
