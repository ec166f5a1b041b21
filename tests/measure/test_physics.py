"""References in closed form, and by refining a scheme whose order is known."""

import math
from typing import Any

import numpy as np
import pytest

from gradcheck.engine import Knob, Settings, Unsupported
from gradcheck.measure.physics import measure
from gradcheck.testbed import Family, Input, Truth
from tests.measure.toys import Stepper, Toy, bed, scalar, subject

A, B = Input("a", np.array([1.0, 2.0]), scale=0.1), Input("b", np.array([3.0]))
TRUTH = Truth(
    "a textbook",
    outputs=lambda inputs: np.array([7.0, 8.0]),
    jacobian=lambda inputs: {"a": np.array([[1.0, 2.0], [10.0, 20.0]]), "b": np.ones((2, 1))},
)


def linear() -> Toy:
    return Toy(
        lambda batch, _: 2 * batch["a"][:, 0] + batch["b"][:, 0],
        lambda batch, _: {
            "a": np.ones_like(batch["a"]) * [2.0, 0.0],
            "b": np.ones_like(batch["b"]),
        },
        undifferentiated={},
    )


def test_a_closed_form() -> None:
    testbed = bed(
        A,
        B,
        truth=TRUTH,
        outputs=("y", "z"),
        weights=(1.0, 0.5),
        directions={"normal": {"a": np.array([0.0, 2.0])}},
    )
    physics = measure(subject(linear(), testbed))
    assert (physics.source, physics.exact) == ("a textbook", True)
    assert physics.gradient == {"a": [2.0, 0.0], "b": [1.0]}
    assert physics.reference == {"a": [6.0, 12.0], "b": [1.5]}
    assert physics.uncertainty == {"a": [0.0, 0.0], "b": [0.0]}
    assert physics.directions == {"normal": (0.0, 24.0)}
    assert (physics.value, physics.truth_value) == (5.0, 11.0)
    assert physics.rows == []


def test_a_reference_of_limited_accuracy_and_fewer_inputs() -> None:
    truth = Truth(
        "quadrature",
        outputs=lambda inputs: np.array([7.0]),
        jacobian=lambda inputs: {"b": np.array([[4.0]])},
        accuracy=1e-3,
    )
    physics = measure(subject(linear(), bed(A, B, truth=truth)))
    assert not physics.exact
    assert physics.reference == {"b": [4.0]}
    assert physics.uncertainty == {"b": [0.004]}
    assert list(physics.gradient) == ["b"]


def euler(states: Any, inputs: Any, dt: float) -> Any:
    """x' = x by the explicit Euler method: of first order in dt."""
    return states * (1 + dt)


def test_refinement_converges_at_the_order_of_the_scheme() -> None:
    one = bed(Input("x", np.array([1.0]), scale=0.1), dt=0.1, steps=10)
    physics = measure(subject(Stepper(euler), one))
    assert physics.source == "the engine at dt / 8"
    assert [row.dt for row in physics.rows] == [0.1, 0.05, 0.025, 0.0125]
    slopes = [(1 + row.dt) ** (1 / row.dt) for row in physics.rows]
    for row, slope in zip(physics.rows, slopes, strict=True):
        assert row.gradient["x"] == pytest.approx([slope])
        assert row.difference["x"] == pytest.approx([slope])
    assert physics.reference["x"] == pytest.approx([slopes[3]])
    assert physics.uncertainty["x"] == pytest.approx([slopes[3] - slopes[2]], rel=1e-6)
    assert physics.refinement_errors == pytest.approx([1 - s / slopes[3] for s in slopes])
    assert physics.truth_value is None
    with_truth = bed(Input("x", np.array([1.0])), dt=0.1, steps=10, truth=_exponential())
    found = measure(subject(Stepper(euler), with_truth))
    assert found.refinement_errors == pytest.approx([1 - s / math.e for s in slopes])
    assert found.rows[0].difference == {}


def _exponential() -> Truth:
    return Truth(
        "calculus",
        outputs=lambda inputs: math.e * inputs["x"],
        jacobian=lambda inputs: {"x": np.array([[math.e]])},
    )


def treads(batch: Any, settings: Settings) -> Any:
    """Slope -1 on the whole and +1 on each tread, treads as wide as one time step of motion."""
    assert settings.dt is not None
    tread = 2.0 * settings.dt
    x = batch["x"][:, 0]
    return x - 2 * tread * np.floor(x / tread + 0.3)


def test_a_staircase_is_looked_at_from_afar() -> None:
    engine = Toy(treads, lambda batch, _: {"x": np.ones_like(batch["x"])})
    one = bed(Input("x", np.array([0.501])), dt=1e-3, steps=10, speed=2.0, family=Family.CONTACT)
    physics = measure(subject(engine, one))
    assert physics.gradient == {"x": [1.0]}
    assert physics.reference["x"] == pytest.approx([-1.0], abs=0.05)
    assert physics.uncertainty["x"][0] < 0.1
    assert min(physics.refinement_errors) > 1.9


@pytest.mark.parametrize(("rate", "known"), [(1e4, True), (1e9, False)])
def test_coordinates_left_out_or_unsettled_are_unknown(rate: float, known: bool) -> None:
    def wild(batch: Any, _: Settings) -> Any:
        return np.sin(rate * batch["x"][:, 0]) + batch["x"].sum(axis=1)

    engine = Toy(wild, lambda batch, _: {"x": np.ones_like(batch["x"])})
    physics = measure(subject(engine, bed(Input("x", np.ones(30)), dt=0.1, steps=2)))
    assert np.isinf(physics.uncertainty["x"][2])  # the 24 chosen of 30 leave it out
    if known:  # at steps far below those at which the sine has gone through its whole range
        slope = rate * np.cos(rate) + 1
        assert abs(physics.reference["x"][0] - slope) <= physics.uncertainty["x"][0] < 1e-3 * rate
    else:
        assert np.isnan(physics.reference["x"][0])
        assert np.isinf(physics.uncertainty["x"][0])
    assert physics.uncertainty["x"][29] < 1e-6


def test_reasons() -> None:
    with pytest.raises(Unsupported, match="no closed form"):
        measure(subject(scalar(np.sin, np.cos), bed(Input("x", np.ones(1)))))
    one = bed(Input("x", np.ones(1)), dt=0.1, steps=10)
    with pytest.raises(Unsupported, match="cannot be refined"):
        measure(subject(Stepper(euler, knobs=(Knob.STEPS,)), one))
