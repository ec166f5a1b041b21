"""When a gradient agrees, differs, or cannot be told; and that no test is void unseen."""

from collections.abc import Callable

import numpy as np
import pytest

from gradcheck.match import Outcome, alternatives_pass, excess, judge, matches
from tests.checks import made_up as m

LIMIT = 1e-5


def outcome(f: Callable[[float], float], gradient: float, largest: float = 1.0) -> Outcome:
    one = m.curve(
        lambda x0, x1, p: f(x0 - m.X[0]),
        {"x": [1.0, 0.0]},
        gradient,
        label="x[0]",
        name="x",
        index=0,
    )
    return judge(one, one.program(), largest, LIMIT).outcome


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("wrong", [0.0, -1.0, 2.0, 1.001, 0.5])
def test_wrong_is_wrong_at_any_scale(scale: float, wrong: float) -> None:
    def f(x: float) -> float:
        return scale * (float(np.sin(3 * x)) + x * x)

    assert outcome(f, 3 * scale, scale) is Outcome.AGREES
    assert outcome(f, 3 * scale * wrong, scale) is Outcome.DIFFERS


def test_a_flat_point_is_known_to_be_flat() -> None:
    assert outcome(lambda x: x**3, 0.0) is Outcome.AGREES
    assert outcome(lambda x: x**3, 1e-3) is Outcome.DIFFERS
    assert outcome(lambda x: x**4, 0.0, largest=0.0) is Outcome.AGREES


def test_rounding_beside_larger_slopes_counts_as_zero() -> None:
    assert outcome(lambda x: 0.3 + 0.0 * x, 1e-17) is Outcome.AGREES
    assert outcome(lambda x: 0.3 + 0.0 * x, 1e-3) is Outcome.DIFFERS


def test_a_slope_below_the_noise_is_void_and_no_pass() -> None:
    def f(x: float) -> float:
        return 1e9 + 2e-7 * x

    assert outcome(f, 2e-7, largest=0.0) is Outcome.VOID
    # a tolerance that 0 would pass: the checker calibration's last row
    assert alternatives_pass(2e-7, 2e-7, 0.0, 1.0, 1e-3)
    assert not alternatives_pass(2e-7, 2e-7, 0.0, 2e-7, 1e-3)


def test_points_without_a_derivative_are_named() -> None:
    assert outcome(abs, 1.0) is Outcome.KINK
    assert outcome(abs, 57.0) is Outcome.KINK
    assert outcome(lambda x: float(x > 0), 0.0) is Outcome.JUMP


def test_nothing_finite_to_compare_with() -> None:
    assert outcome(lambda x: np.nan, 1.0) is Outcome.UNSETTLED
    assert outcome(lambda x: x, np.nan) is Outcome.DIFFERS
    assert outcome(lambda x: x, np.inf) is Outcome.DIFFERS


def single(x: float) -> float:
    """exp(-x²) in float32, with x rounded to it first."""
    at = np.float32(x)
    return float(np.exp(-at * at))


@pytest.mark.parametrize("x", [0.3, 1.2, -2.3, 3.1])
def test_a_right_gradient_of_a_float32_loss_is_not_called_wrong(x: float) -> None:
    right = -2 * x * float(np.exp(-x * x))

    def f(move: float) -> float:
        return single(x + move)

    def along(size: float) -> m.Loss:
        return lambda x0, x1, p: f(size * (x0 - m.X[0]))

    limit = 1e-5
    for size in (1.0, 0.1):
        moved = m.curve(
            along(size),
            {"x": [1.0, 0.0]},
            size * right,
            label="x[0]",
            name="x",
            index=0,
        )
        assert moved.quantum() >= float(np.spacing(np.float32(moved.value))) / 2
        assert judge(moved, moved.program(), 0.0, limit).outcome is Outcome.AGREES
    for wrong in (0.0, -1.0, 2.0, 1.05):
        assert outcome(f, right * wrong, largest=0.0) is Outcome.DIFFERS


@pytest.mark.parametrize("slope", [0.3, -0.03, 3.0])
def test_a_loss_rounded_to_four_digits_is_not_flat(slope: float) -> None:
    def f(x: float) -> float:
        return round(0.4567 + slope * x + 0.1 * x * x, 4)

    assert outcome(f, slope, largest=0.0) in (Outcome.AGREES, Outcome.VOID, Outcome.UNSETTLED)
    assert outcome(f, 3 * slope, largest=0.0) is not Outcome.AGREES


@pytest.mark.parametrize(
    "f",
    [
        lambda x: 0.3,
        lambda x: 0.3 + max(0.0, x - 0.1),
        lambda x: 0.3 + np.sign(x) * max(0.0, abs(x) - 0.01),
        lambda x: 0.3 + float(x > 0.1),
        lambda x: 0.3 + float(abs(x) > 0.1),
    ],
)
def test_a_loss_at_rest_is_known_to_be_flat(f: Callable[[float], float]) -> None:
    assert outcome(f, 0.0) is Outcome.AGREES
    assert outcome(f, 0.5) is Outcome.DIFFERS


def test_excess_takes_the_uncertainty_off_and_never_hides_nan() -> None:
    assert excess(1.5, 1.0, 0.1, 2.0) == pytest.approx(0.2)
    assert excess(1.05, 1.0, 0.1, 2.0) == 0.0
    assert excess(1.0, 0.0, 0.1, 0.0) == np.inf
    assert np.isnan(excess(np.nan, 1.0, 0.1, 1.0))
    assert np.isnan(excess(1.0, 1.0, np.nan, 1.0))


def test_matches_are_those_of_the_artifact_asked_for() -> None:
    right, wrong = m.evidence(), m.evidence(m.agreement(gradient={"x": [9.0, 9.0], "p": [9.0]}))
    assert {match.outcome for match in matches(right)} == {Outcome.AGREES}
    assert {match.outcome for match in matches(wrong)} == {Outcome.DIFFERS}
    assert matches(m.evidence(without=("agreement",))) == ()
