"""Curves of known functions, read by the curve itself."""

from typing import Any

import numpy as np
import pytest

from gradcheck.artifact import Agreement
from gradcheck.engine import Ability, Settings, Unsupported
from gradcheck.measure.agreement import measure
from gradcheck.subject import Profile
from gradcheck.testbed import Input
from tests.measure.toys import Toy, bed, quadratic, scalar, subject

A = np.array([[2.0, 1.0], [1.0, 4.0]])
X = Input("x", np.array([3.0, -1.0]), scale=0.1)


def test_coordinates_and_random_directions_of_a_quadratic() -> None:
    engine = quadratic(A)
    agreement = measure(subject(engine, bed(X)))
    assert [curve.role for curve in agreement.curves] == ["coordinate"] * 2 + ["random"] * 3
    assert len(agreement.curves[0].steps) == 18
    for curve in agreement.curves:
        slope = curve.program()
        exact = float(np.array([5.0, -1.0]) @ curve.direction["x"])
        assert curve.gradient == pytest.approx(exact, rel=1e-14)
        assert abs(slope.value - exact) <= slope.uncertainty < 1e-7 * abs(exact)
    assert agreement.curves[0].direction == {"x": [0.1, 0.0]}
    assert agreement.curves[0].scale == 0.1
    assert 0 < agreement.curves[0].noise < 1e-14
    assert agreement.truncated == {}


def test_all_curves_come_from_one_batch_and_one_gradient() -> None:
    engine = quadratic(A)
    measure(subject(engine, bed(X)))
    assert engine.calls["gradients"] == 1
    assert engine.calls["values"] == 5 * 18 * 2 + 4 + 18


def test_the_full_profile_looks_closer() -> None:
    agreement = measure(subject(quadratic(A), bed(X), profile=Profile.FULL))
    assert len(agreement.curves) == 2 + 4 + 1
    assert len(agreement.curves[0].steps) == 27


def test_many_coordinates_are_sampled_and_said_so() -> None:
    engine = Toy(
        lambda batch, _: batch["x"].sum(axis=1), lambda batch, _: {"x": np.ones_like(batch["x"])}
    )
    agreement = measure(subject(engine, bed(Input("x", np.zeros(100)))))
    assert agreement.truncated == {"x": (24, 100)}
    assert [curve.index for curve in agreement.curves if curve.role == "coordinate"][-1] == 99


def test_noise_is_recorded() -> None:
    rng = np.random.default_rng(0)
    engine = scalar(lambda x: np.sin(x) + 1e-6 * rng.standard_normal(x.shape), np.cos)
    curve = measure(subject(engine, bed(Input("x", np.array([0.7]))))).curves[0]
    assert 3e-7 < curve.noise < 3e-6
    slope = curve.program()
    assert abs(slope.value - np.cos(0.7)) <= slope.uncertainty < 0.1


def test_a_wrong_gradient_stays_beside_a_right_slope() -> None:
    curve = measure(
        subject(scalar(np.sin, lambda x: -np.cos(x)), bed(Input("x", np.array([0.7]))))
    ).curves[0]
    assert curve.gradient == -np.cos(0.7)
    assert curve.program().value == pytest.approx(np.cos(0.7), rel=1e-8)


def test_a_kink_and_a_jump() -> None:
    at = bed(Input("x", np.array([0.2])))

    def curve(f: Any) -> Any:
        return measure(subject(scalar(f, np.zeros_like), at)).curves[0]

    assert curve(lambda x: np.maximum(0.0, x - 0.2)).kink()
    assert curve(lambda x: np.where(x < 0.2, 0.0, 1.0)).jump()
    assert not curve(lambda x: np.maximum(0.0, x - 0.7)).kink()


def staircase(x: Any) -> Any:
    """Slope -1 on the whole, +1 on every tread of 1/100."""
    tread = np.floor(100 * x + 0.3)
    return x - 2 * tread / 100


def test_program_and_physics_are_told_apart_at_the_boundary() -> None:
    one = Input("x", np.array([0.5]), scale=0.5, reach=2.0)
    testbed = bed(one, dt=0.01, steps=10, speed=2.0)
    curve = measure(subject(scalar(staircase, np.ones_like), testbed)).curves[0]
    assert curve.boundary == pytest.approx(0.02)
    assert curve.program().value == pytest.approx(0.5, rel=1e-6)
    physics = curve.physics()
    assert physics is not None
    assert physics.value == pytest.approx(-0.5, rel=0.1)
    assert physics.uncertainty < 0.05


def test_other_modes_are_recorded_where_declared() -> None:
    engine = scalar(np.sin, np.cos, abilities=(Ability.FORWARD_MODE, Ability.COMPLEX))
    agreement = measure(subject(engine, bed(Input("x", np.array([0.7]), scale=0.1))))
    curve = agreement.curves[0]
    assert curve.forward_mode == pytest.approx(0.1 * np.cos(0.7), rel=1e-15)
    assert curve.complex_step == pytest.approx(0.1 * np.cos(0.7), rel=1e-15)
    assert agreement.forward_mode_reason is None


def test_forward_mode_is_left_out_where_another_program_is_dear() -> None:
    engine = scalar(np.sin, np.cos, abilities=(Ability.FORWARD_MODE,))
    engine.slow_build = True
    agreement = measure(subject(engine, bed(Input("x", np.array([0.7])))))
    assert agreement.curves[0].forward_mode is None
    assert "quick" in (agreement.forward_mode_reason or "")


def test_complex_step_along_a_quaternion() -> None:
    """The rotated x axis of q, of which the complex step must equal the difference."""

    def loss(batch: Any, _: Settings) -> Any:
        w, x, y, z = batch["q"].T
        return 2 * (x * y + w * z)

    def grad(batch: Any, _: Settings) -> Any:
        w, x, y, z = batch["q"].T
        return {"q": 2 * np.stack([z, y, x, w], axis=1)}

    one = Input("q", np.array([0.5, 0.5, -0.5, 0.5]), quaternions=(0,))
    for curve in measure(subject(Toy(loss, grad, abilities=(Ability.COMPLEX,)), bed(one))).curves:
        assert curve.complex_step == pytest.approx(curve.gradient, rel=1e-12)
        assert curve.program().value == pytest.approx(curve.gradient, rel=1e-8, abs=1e-9)


def test_not_finite_numbers_survive() -> None:
    engine = scalar(np.log, lambda x: np.full_like(x, np.nan))
    with np.errstate(invalid="ignore", divide="ignore"):
        agreement = measure(subject(engine, bed(Input("x", np.array([0.1])))))
    curve = agreement.curves[0]
    assert np.isnan(curve.gradient)
    assert np.isnan(curve.minus[-1])
    assert curve.program().value == pytest.approx(10, rel=1e-7)
    again = Agreement.model_validate_json(agreement.model_dump_json())
    assert np.isnan(again.curves[0].gradient)


def test_an_engine_without_gradients_says_so() -> None:
    engine = scalar(np.sin, np.cos, undifferentiated={"x": "no"})
    with pytest.raises(Unsupported, match="differentiates no input"):
        measure(subject(engine, bed(Input("x", np.array([0.1])))))
