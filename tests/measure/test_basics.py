"""Repeats, parity and radial parts, on engines with a memory, a dice and a quaternion."""

from typing import Any

import numpy as np
import pytest

from gradcheck.engine import Settings
from gradcheck.measure.basics import measure
from gradcheck.testbed import Input
from tests.measure.toys import Toy, bed, quadratic, scalar, subject

X = Input("x", np.array([3.0, -1.0]))
A = np.array([[2.0, 1.0], [1.0, 4.0]])


def test_known_numbers() -> None:
    basics = measure(subject(quadratic(A), bed(X)))
    assert basics.inputs == {"x": [3.0, -1.0]}
    assert basics.values == [8.0] * 4
    assert basics.values_with_grad == [8.0] * 3
    assert basics.gradients == [{"x": [5.0, -1.0]}] * 3
    assert basics.raw_gradient == {"x": [5.0, -1.0]}
    assert basics.radial == {}


def test_a_gradient_that_remembers_the_call_before_shows_in_the_repeats() -> None:
    kept: list[Any] = []

    def stale(batch: Any, _: Settings) -> dict[str, Any]:
        kept.append(batch["x"] @ A)
        old = kept[-2] if len(kept) > 1 else kept[-1]
        return {"x": np.broadcast_to(old[-1], batch["x"].shape)}

    engine = quadratic(A)
    engine.grad = stale
    basics = measure(subject(engine, bed(X)))
    assert basics.gradients[0] != basics.gradients[1]


def test_a_batch_that_mixes_its_rows_shows() -> None:
    engine = quadratic(A)
    original = engine.grad
    engine.grad = lambda batch, s: {"x": np.roll(original(batch, s)["x"], 1, axis=0)}
    basics = measure(subject(engine, bed(X)))
    assert basics.gradients[0]["x"] == [5.0, -1.0]
    assert basics.batched["x"] != [5.0, -1.0]
    right = measure(subject(quadratic(A), bed(X)))
    assert right.batched == {"x": [5.0, -1.0]}


def test_a_dice_in_the_gradient_shows_in_the_repeats() -> None:
    rng = np.random.default_rng(0)
    engine = scalar(np.sin, lambda x: np.cos(x) + 1e-9 * rng.standard_normal(x.shape))
    basics = measure(subject(engine, bed(Input("x", np.array([0.7])))))
    assert len({one["x"][0] for one in basics.gradients}) == 3


def test_a_forward_pass_that_gradients_change_shows() -> None:
    engine = scalar(np.sin, np.cos)
    original = engine.grad

    def meddling(batch: Any, settings: Settings) -> dict[str, Any]:
        engine.loss = lambda b, _: np.sin(b["x"][:, 0] + 1e-3)
        return original(batch, settings)

    engine.grad = meddling
    basics = measure(subject(engine, bed(Input("x", np.array([0.7])))))
    assert basics.values[0] == np.sin(0.7)
    assert basics.values_with_grad[0] == np.sin(0.701)


def test_the_radial_part_of_each_quaternion() -> None:
    q = np.array([0.6, 0.8, 0.0, 0.0])

    def grad(batch: Any, _: Settings) -> dict[str, Any]:
        tangent = np.array([-0.8, 0.6, 0.0, 0.0])
        one = np.concatenate([3 * tangent + 4 * q, tangent])
        return {"q": one[None] * np.ones_like(batch["q"])}

    engine = Toy(lambda batch, _: batch["q"][:, 0], grad)
    one = Input("q", np.concatenate([q, q]), quaternions=(0, 4))
    basics = measure(subject(engine, bed(one)))
    assert basics.radial == {"q": pytest.approx(0.8, rel=1e-12)}
    assert len(basics.raw_gradient["q"]) == 8
    assert len(basics.gradients[0]["q"]) == 6


def test_inputs_without_a_gradient_are_named() -> None:
    engine = quadratic(A)
    engine.undifferentiated = {"mass": "it is a constant"}
    basics = measure(subject(engine, bed(X, Input("mass", np.ones(1)))))
    assert basics.undifferentiated == {"mass": "it is a constant"}
    assert list(basics.gradients[0]) == ["x"]
    assert list(basics.inputs) == ["x", "mass"]
