"""Vectors of tangent coordinates across several inputs, one of them with a quaternion."""

from typing import Any

import numpy as np

from gradcheck.tangent import Tangent
from gradcheck.testbed import Input

Q = np.array([0.5, 0.5, 0.5, 0.5])
INPUTS = (
    Input("qpos", np.array([1.0, 2.0, 3.0, *Q]), scale=0.1, quaternions=(3,)),
    Input("force", np.arange(4.0).reshape(2, 2), scale=3.0),
)
TANGENT = Tangent(INPUTS)
NOMINAL = {one.name: one.default for one in INPUTS}


def loss(inputs: dict[str, np.ndarray]) -> Any:
    """A smooth function of raw entries, of the last axes."""
    q, f = inputs["qpos"], inputs["force"]
    return np.sin(q @ np.arange(1.0, 8.0)) + np.einsum("...ij->...", f**3)


def gradient(inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    q, f = inputs["qpos"], inputs["force"]
    weights = np.arange(1.0, 8.0)
    return {"qpos": np.cos(q @ weights)[..., None] * weights, "force": 3 * f**2}


def test_sizes_and_scales() -> None:
    assert TANGENT.size == 10
    assert TANGENT.scales.tolist() == [0.1] * 6 + [3.0] * 4


def test_pull_is_the_derivative_along_retract() -> None:
    h = 1e-6
    deltas = h * np.concatenate([np.eye(10), -np.eye(10)])
    values = loss(TANGENT.retract(NOMINAL, deltas))
    pulled = TANGENT.pull(NOMINAL, gradient(NOMINAL))
    assert np.allclose((values[:10] - values[10:]) / (2 * h), pulled, rtol=1e-7, atol=1e-7)


def test_push_is_the_velocity_of_retract() -> None:
    delta = np.linspace(-1, 1, 10)
    h = 1e-6
    ahead, behind = TANGENT.retract(NOMINAL, h * delta), TANGENT.retract(NOMINAL, -h * delta)
    for name, velocity in TANGENT.push(NOMINAL, delta).items():
        assert velocity.shape == NOMINAL[name].shape
        assert np.allclose((ahead[name] - behind[name]) / (2 * h), velocity, atol=1e-9)


def test_a_batch_is_pulled_at_its_own_points() -> None:
    batch = TANGENT.retract(NOMINAL, 0.3 * np.random.default_rng(0).standard_normal((5, 10)))
    pulled = TANGENT.pull(batch, gradient(batch))
    assert pulled.shape == (5, 10)
    for k in range(5):
        one = {name: array[k] for name, array in batch.items()}
        assert np.allclose(pulled[k], TANGENT.pull(one, gradient(one)))


def test_inputs_without_a_gradient_get_zeros() -> None:
    pulled = TANGENT.pull(NOMINAL, {"force": np.ones((2, 2))})
    assert pulled.tolist() == [0.0] * 6 + [1.0] * 4
    assert TANGENT.split(pulled, ["force"]) == {"force": [1.0] * 4}
    assert TANGENT.vector({"force": np.ones(4)}).tolist() == pulled.tolist()
