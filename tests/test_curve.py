"""Slopes read off curves whose answer is known: smooth, kinked, jumping, noisy, tiny and huge."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcheck.curve import Curve, Slope

HALF, THIRD = 2, 3


def curve(
    f: Callable[[float], float],
    x: float = 0.0,
    gradient: float = 0.0,
    *,
    per_decade: int = HALF,
    boundary: float | None = None,
    noise: float = 0.0,
    steps: list[float] | None = None,
) -> Curve:
    """The curve of f at x over steps 1e-9 ... 10^-0.5."""
    if steps is None:
        count = round(8.5 * per_decade) + 1
        steps = [float(h) for h in 10.0 ** np.linspace(-9, -0.5, count)]
    return Curve(
        label="x[0]",
        role="coordinate",
        input="x",
        index=0,
        direction={"x": [1.0]},
        scale=1.0,
        gradient=gradient,
        value=float(f(x)),
        steps=steps,
        plus=[float(f(x + h)) for h in steps],
        minus=[float(f(x - h)) for h in steps],
        noise=noise,
        boundary=boundary,
    )


def holds(slope: Slope, truth: float, relative: float) -> bool:
    """The truth lies within the uncertainty, and that within `relative` of the truth."""
    return (
        abs(slope.value - truth) <= slope.uncertainty
        and slope.uncertainty <= relative * abs(truth)
        and slope.highest_step > 2 * slope.lowest_step
    )


SMOOTH: dict[str, tuple[Callable[[float], float], float, float, float]] = {
    # f, x, f'(x), the relative uncertainty that is good enough
    "sine": (np.sin, 0.7, np.cos(0.7), 1e-8),
    "cube": (lambda x: x**3, 1.0, 3.0, 1e-8),
    "steep exponential": (lambda x: np.exp(30 * x), 0.5, 30 * np.exp(15.0), 1e-8),
    "fast sine": (lambda x: np.sin(300 * x), 0.1, 300 * np.cos(30.0), 1e-7),
    "tiny": (lambda x: 1e-12 * np.sin(x), 0.7, 1e-12 * np.cos(0.7), 1e-8),
    "huge": (lambda x: 1e12 * np.sin(x), 0.7, 1e12 * np.cos(0.7), 1e-8),
    "linear": (lambda x: -4 * x, 0.3, -4.0, 1e-8),
    "offset 1e8": (lambda x: 1e8 + x, 0.0, 1.0, 1e-6),
    "offset 1e12": (lambda x: 1e12 + x, 0.0, 1.0, 1e-2),
    "logarithm, NaN at large steps": (lambda x: np.log(x) if x > 0 else np.nan, 0.1, 10.0, 1e-8),
    "float32": (lambda x: float(np.sin(np.float32(x))), 0.7, np.cos(0.7), 1e-4),
    "float32 inside": (lambda x: 0.3 * np.sin(float(np.float32(x))), 0.7, 0.3 * np.cos(0.7), 1e-4),
    "two scales": (lambda x: x + 1e-6 * np.tanh(x / 1e-5), 0.0, 1.1, 1e-3),
    "kink 1e-4 away": (lambda x: max(x - 1e-4, 0.0) + x, 0.0, 1.0, 1e-8),
    "kink 1e-7 away": (lambda x: max(x - 1e-7, 0.0) + x, 0.0, 1.0, 1e-8),
    "jump 1e-7 away": (lambda x: float(x > 1e-7) + x, 0.0, 1.0, 1e-8),
}


@pytest.mark.parametrize("per_decade", [HALF, THIRD])
@pytest.mark.parametrize("name", SMOOTH)
def test_a_derivative_is_read_within_its_uncertainty(name: str, per_decade: int) -> None:
    f, x, truth, relative = SMOOTH[name]
    one = curve(f, x, per_decade=per_decade)
    assert holds(one.program(), truth, relative)
    assert not one.kink()
    assert not one.jump()
    assert one.physics() is None


@pytest.mark.parametrize("per_decade", [HALF, THIRD])
@pytest.mark.parametrize(
    "f", [lambda x: 0.0, lambda x: 3.7, lambda x: x * x, lambda x: x**3, lambda x: x * abs(x)]
)
def test_zero_slopes_are_zero_within_a_small_uncertainty(
    f: Callable[[float], float], per_decade: int
) -> None:
    one = curve(f, per_decade=per_decade)
    slope = one.program()
    assert abs(slope.value) <= slope.uncertainty < 1e-7
    assert not one.kink()
    assert not one.jump()


def test_movement_tells_a_dead_input_from_a_flat_one() -> None:
    assert curve(lambda x: 3.7).movement() == 0.0
    assert curve(lambda x: 1.0 + x * x).movement() == pytest.approx(10**-0.5, rel=1e-9)
    assert curve(lambda x: max(0.0, x - 0.2)).movement() > 0.3


@pytest.mark.parametrize("per_decade", [HALF, THIRD])
@pytest.mark.parametrize(
    ("left", "right"),
    [(-1.0, 1.0), (0.0, 1.0), (-1.357e-7, -2.304e-4), (2.0, 2.1), (-1e-12, 1e-12), (0.0, 1e12)],
)
def test_a_kink_gives_both_slopes(left: float, right: float, per_decade: int) -> None:
    one = curve(lambda x: left * x if x < 0 else right * x, per_decade=per_decade)
    assert one.kink()
    assert not one.jump()
    below, above = one.one_sided()
    assert below.value == pytest.approx(left, rel=1e-9, abs=1e-9 * abs(right))
    assert above.value == pytest.approx(right, rel=1e-9)
    assert one.program().value == pytest.approx((left + right) / 2, rel=1e-9)


def test_the_calibrated_kink() -> None:
    one = curve(lambda x: 1.0 + (-1.357e-7 if x < 0 else -2.304e-4) * x)
    below, above = one.one_sided()
    assert one.kink()
    assert below.value == pytest.approx(-1.357e-7, rel=1e-6)
    assert above.value == pytest.approx(-2.304e-4, rel=1e-6)
    assert one.program().value == pytest.approx(-1.152e-4, rel=1e-3)


@pytest.mark.parametrize("per_decade", [HALF, THIRD])
@pytest.mark.parametrize("slope", [0.0, 1.0, -3.0])
@pytest.mark.parametrize("size", [0.1, -1.0, 1e3])
def test_a_jump_is_named_and_is_no_kink(size: float, slope: float, per_decade: int) -> None:
    one = curve(lambda x: slope * x + size * (x > 0), per_decade=per_decade)
    assert one.jump()
    assert not one.kink()
    assert one.jump_size() == pytest.approx(size, rel=1e-6)


def spread_out(x: float) -> float:
    """Chaotic for steps above 1e-9: another place on [-1, 1] for each."""
    return float(np.sin(3e8 * x) if abs(x) < 1e-9 else np.sin(1e12 * x * x + 3e8 * x))


def test_differences_of_a_saturated_loss_are_no_reference() -> None:
    one = curve(spread_out)
    assert one.saturation() <= 1e-8
    assert not one.program().uncertainty < np.inf
    # Noise far below what the loss moves by elsewhere says that the slope is small, and is heard.
    small = one.model_copy(update={"extent": 1e4})
    assert small.saturation() == np.inf


@pytest.mark.parametrize(
    "f", [lambda x: x, lambda x: x * x, np.sign, lambda x: 0.0, lambda x: np.nan]
)
def test_smooth_and_broken_losses_do_not_saturate(f: Callable[[float], float]) -> None:
    assert curve(f).saturation() == np.inf


def test_a_jump_below_the_boundary_is_judged_on_steps_of_the_program() -> None:
    one = curve(lambda x: x + 1e-3 * (x > 0), boundary=4e-3)
    assert one.jump()


# Solver noise (testbeds.md, calibration): tolerance 1e-9 and a right gradient.


def noisy(x: float) -> float:
    """A sine with an error of 7e-10, irregular in x and the same in every repeat."""
    sign = np.random.default_rng(hash(x) % 2**32).choice([-1.0, 1.0])
    return float(np.sin(x) + 7e-10 * sign)


def test_solver_noise_is_not_a_wrong_slope() -> None:
    one = curve(noisy, 0.7, np.cos(0.7))
    error = np.abs(one.central() - np.cos(0.7))
    assert error[:3].max() > 0.05  # what the smallest steps alone would say
    assert holds(one.program(), float(np.cos(0.7)), 1e-4)
    assert not one.kink()
    assert not one.jump()
    assert 1e-10 < one.noise_floor() < 5e-9


def test_a_constant_solver_offset_is_not_a_jump() -> None:
    one = curve(lambda x: np.sin(x) + 7e-10 * (x > 0.7), 0.7)
    assert holds(one.program(), float(np.cos(0.7)), 1e-5)
    assert not one.jump()


def test_pure_noise_does_not_settle() -> None:
    random = np.random.default_rng(3)
    one = curve(lambda x: float(random.normal()))
    slope = one.program()
    assert not slope.uncertainty <= 0.1 * abs(slope.value)
    assert not one.jump()


QUANTISED: dict[str, tuple[Callable[[float], float], float]] = {
    "float32": (lambda x: float(np.float32(0.3 + np.sin(x))), 2.98e-8),
    "two decimals": (lambda x: round(0.5 + x, 2), 1e-2),
    "three float32 steps": (lambda x: 3 * float(np.float32(0.3 + np.sin(x))), 8.94e-8),
}


@pytest.mark.parametrize("per_decade", [HALF, THIRD])
@pytest.mark.parametrize("name", QUANTISED)
def test_the_noise_of_a_rounded_loss_is_its_smallest_step(name: str, per_decade: int) -> None:
    f, unit = QUANTISED[name]
    one = curve(f, per_decade=per_decade)
    assert 0.99 * unit <= one.noise_floor() <= 10 * unit
    assert not one.kink()
    assert not one.jump()


@pytest.mark.parametrize("per_decade", [HALF, THIRD])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: 3.7,
        np.sin,
        lambda x: 1.0 + x * x,
        lambda x: -4 * x,
        lambda x: max(0.0, x),
        lambda x: max(0.0, x - 1e-4),
        lambda x: np.sign(x) * max(0.0, abs(x) - 1e-4),
        lambda x: float(x > 0),
        lambda x: float(x > 1e-5) + 2 * float(x > 1e-3),
        lambda x: float(abs(x) > 1e-5),
    ],
)
def test_a_kink_or_a_jump_is_not_taken_for_rounding(
    f: Callable[[float], float], per_decade: int
) -> None:
    assert curve(f, per_decade=per_decade).quantum() <= 1e-15


# Taylor remainders under halving (testbeds.md, calibration): f = x + x².


@pytest.mark.parametrize(
    ("wrong", "first", "last"), [(0.0, 2.0, 2.0), (0.03, 1.96, 1.16), (0.1, 1.88, 1.05)]
)
def test_taylor_orders_under_halving(wrong: float, first: float, last: float) -> None:
    steps = [2.0**-k for k in range(8, -1, -1)]
    one = curve(lambda x: x + x * x, gradient=1.0 - wrong, steps=steps)
    orders = [order for _, order in one.taylor_orders()]
    assert len(orders) == 8
    assert orders[0] == pytest.approx(first, abs=0.006)
    assert orders[-1] == pytest.approx(last, abs=0.006)


def test_taylor_orders_stop_at_the_noise() -> None:
    assert curve(lambda x: 2 * x, gradient=2.0).taylor_orders() == []
    orders = curve(np.exp, gradient=1.0).taylor_orders()
    assert 5 <= len(orders) < 17
    assert orders[-1][1] == pytest.approx(2.0, abs=0.1)


# Two scales: `wall` and `bounce` of testbeds.md.


def wall(variant: str, dt: float) -> Callable[[float], float]:
    """Final position over the initial one; semi-implicit Euler, v0 = -1, T = 2."""

    def final(q: float) -> float:
        v = -1.0
        for _ in range(round(2.0 / dt)):
            if variant == "penalty":
                v += dt * (-v - 50 * q) * (q < 0)
            q += dt * v
            if variant == "ideal" and q < 0 and v < 0:
                v = -v
        return q

    return final


@pytest.mark.parametrize(
    ("variant", "dt", "below", "above"),
    [
        ("ideal", 0.001, 1.0, -1.0),
        ("penalty", 0.01, -1.020, -0.803),
        ("penalty", 0.001, -0.815, -0.801),
    ],
)
def test_wall_has_two_plateaus(variant: str, dt: float, below: float, above: float) -> None:
    one = curve(wall(variant, dt), 0.2537, boundary=dt)
    assert one.program().value == pytest.approx(below, abs=6e-4)
    assert one.program().uncertainty < 1e-4
    physics = one.physics()
    assert physics is not None
    assert abs(physics.value - above) <= physics.uncertainty + 6e-4
    assert physics.uncertainty < 0.1


@pytest.mark.parametrize(("variant", "below"), [("ideal", 1.0), ("penalty", -2.298)])
def test_a_coarse_wall_has_no_room_for_an_upper_plateau(variant: str, below: float) -> None:
    # At dt = 0.1 one time step of motion is 0.1, and at 0.25 the start is inside the wall.
    one = curve(wall(variant, 0.1), 0.2537, boundary=0.1)
    assert one.program().value == pytest.approx(below, abs=6e-4)
    assert one.physics() is None


def bounce(y0: float) -> float:
    """Final height without time of impact: r 0.1, v -2, T 1, 480 steps, elastic."""
    y, v = y0, -2.0
    for _ in range(480):
        y += v / 480
        if y < 0.1 and v < 0:
            v = -v
    return y


def test_bounce_agrees_with_automatic_differentiation_below_and_physics_above() -> None:
    one = curve(bounce, 1.0007, gradient=1.0, boundary=2.0 / 480)
    assert holds(one.program(), 1.0, 1e-6)
    physics = one.physics()
    assert physics is not None
    assert abs(physics.value + 1.0) <= physics.uncertainty < 0.1
    assert not one.jump()
    assert not one.kink()


# Properties.

scales = st.floats(-12, 12).map(lambda e: 10.0**e)
slopes = st.floats(0.1, 10.0) | st.floats(-10.0, -0.1)


@settings(max_examples=60, deadline=None)
@given(scale=scales, slope=slopes, bend=st.floats(-5, 5), per_decade=st.sampled_from([2, 3]))
def test_scaling_the_loss_scales_the_reading(
    scale: float, slope: float, bend: float, per_decade: int
) -> None:
    def f(x: float) -> float:
        return scale * (slope * x + bend * x * x + float(np.sin(3 * x)) / 10)

    one = curve(f, per_decade=per_decade)
    truth = scale * (slope + 0.3)
    read = one.program()
    # f(0) is exact, so that nothing but rounding of relative size 1e-16 is in the way
    assert abs(read.value - truth) <= read.uncertainty + 1e-9 * scale
    assert read.uncertainty <= 1e-6 * scale
    assert not one.kink()
    assert not one.jump()


@settings(max_examples=60, deadline=None)
@given(
    noise=st.floats(-13, -5).map(lambda e: 10.0**e),
    seed=st.integers(0, 10_000),
    slope=slopes,
    per_decade=st.sampled_from([2, 3]),
)
def test_unmeasured_noise_never_makes_a_false_slope(
    noise: float, seed: int, slope: float, per_decade: int
) -> None:
    random = np.random.default_rng(seed)
    one = curve(
        lambda x: slope * x + np.cos(x) + noise * random.uniform(-1, 1), per_decade=per_decade
    )
    read = one.program()
    assert abs(read.value - slope) <= 4 * read.uncertainty
    assert not one.jump()
    assert not one.kink()


@settings(max_examples=60, deadline=None)
@given(left=slopes, right=slopes, bend=st.floats(-3, 3), scale=scales)
def test_kinks_show_whatever_the_scale(
    left: float, right: float, bend: float, scale: float
) -> None:
    one = curve(lambda x: scale * ((left if x < 0 else right) * x + bend * x * x))
    apart = abs(left - right) > 1e-4
    assert one.kink() == apart or abs(left - right) < 1e-3
    below, above = one.one_sided()
    assert abs(below.value - scale * left) <= below.uncertainty + 1e-9 * scale
    assert abs(above.value - scale * right) <= above.uncertainty + 1e-9 * scale


def test_nothing_finite_reads_as_nan_and_infinitely_uncertain() -> None:
    slope = curve(lambda x: np.nan).program()
    assert np.isnan(slope.value)
    assert np.isinf(slope.uncertainty)
    # a bound `value <= limit` fails on both
    assert not abs(slope.value) <= 1.0


def test_a_curve_survives_json() -> None:
    one = curve(lambda x: np.nan if x > 0.1 else x, gradient=float("nan"))
    again = Curve.model_validate_json(one.model_dump_json())
    assert np.isnan(again.gradient)
    assert again.program() == one.program()
