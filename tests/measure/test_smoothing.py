"""Slopes of smoothed functions whose closed form is known."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from gradcheck.artifact import SmoothRow
from gradcheck.engine import Settings, Unsupported
from gradcheck.measure.smoothing import evaluations, gradient_cost, measure, noise
from gradcheck.taxonomy import Realization, Retention
from gradcheck.testbed import Family, Input, Sweep, Truth
from tests.measure.toys import Toy, bed, scalar, subject

X = Input("x", np.array([0.0]))
SIGMA = 0.1


def row(f: Any, g: Any, seed: int = 0, **changes: Any) -> SmoothRow:
    testbed = bed(X, noise={"x": SIGMA}, **changes)
    (found,) = measure(subject(scalar(f, g), testbed, seed)).rows
    return found


def near(mean: float, error: float, exact: float) -> bool:
    return abs(mean - exact) <= 4 * error


@pytest.mark.parametrize("seed", range(3))
def test_a_push_across_a_gap(seed: int) -> None:
    """The slope of E max(0, x + w - g) is Phi((x - g) / sigma): both estimates are right."""
    exact = float(norm.cdf(-0.2 / SIGMA))
    found = row(lambda x: np.maximum(0, x - 0.2), lambda x: (x > 0.2) * 1.0, seed)
    assert exact == pytest.approx(0.022750, abs=1e-6)
    assert found.budget == 16384
    assert (found.first_count, found.zeroth_count) == (4096, 8192)
    assert near(found.first_mean, found.first_error, exact)
    assert near(found.zeroth_mean, found.zeroth_error, exact)
    assert near(found.reference_mean, found.reference_error, exact)
    assert 0 < found.reference_error < found.zeroth_error
    assert found.first_variance == pytest.approx(exact * (1 - exact), rel=0.2)
    assert found.first_error == pytest.approx((found.first_variance / 4096) ** 0.5)
    assert found.exact is None


@pytest.mark.parametrize("seed", range(3))
def test_a_step_has_a_slope_that_no_gradient_sees(seed: int) -> None:
    exact = float(norm.pdf(0.0) / SIGMA)
    found = row(lambda x: (x > 0) * 1.0, np.zeros_like, seed)
    assert (found.first_mean, found.first_error) == (0.0, 0.0)
    assert near(found.zeroth_mean, found.zeroth_error, exact)
    assert found.zeroth_error < 0.02 * exact


def test_an_exact_value_is_the_reference() -> None:
    truth = Truth(
        "made up",
        outputs=lambda inputs: inputs["x"],
        jacobian=lambda inputs: {"x": np.ones((1, 1))},
        smoothed=lambda inputs: {"x": np.array([1.25])},
    )
    found = row(lambda x: x, np.ones_like, truth=truth)
    assert (found.exact, found.reference_mean, found.reference_error) == (1.25, 1.25, 0.0)


def test_every_coordinate_of_every_noisy_input_gets_a_row() -> None:
    def loss(batch: Any, _: Settings) -> Any:
        return batch["a"] @ np.array([1.0, 2.0]) + 3 * batch["b"][:, 0] + batch["c"][:, 0]

    def grad(batch: Any, _: Settings) -> Any:
        one = np.ones((len(batch["a"]), 1))
        return {"a": one * [1.0, 2.0], "b": 3 * one, "c": one}

    a, b, c = Input("a", np.zeros(2)), Input("b", np.zeros(1)), Input("c", np.zeros(1))
    testbed = bed(a, b, c, noise={"a": 0.1, "b": 0.2})
    smoothing = measure(subject(Toy(loss, grad), testbed))
    assert [(r.label, r.sigma) for r in smoothing.rows] == [
        ("a[0]", 0.1),
        ("a[1]", 0.1),
        ("b[0]", 0.2),
    ]
    for r, exact in zip(smoothing.rows, (1.0, 2.0, 3.0), strict=True):
        assert (r.first_mean, r.first_error) == (exact, 0.0)
        assert near(r.zeroth_mean, r.zeroth_error, exact)


def test_equal_budget_counts_gradients_by_their_kind() -> None:
    wide = bed(Input("x", np.zeros(5)), Input("held", np.zeros(3)))

    def cost(**card: Any) -> float:
        engine = scalar(np.sin, np.cos, undifferentiated={"held": "no"}, **card)
        return gradient_cost(subject(engine, wide))

    assert cost() == 4.0
    assert cost(realization=Realization.GENERATED, retention=Retention.STORE_ALL) == 4.0
    assert cost(realization=Realization.GENERATED, retention=Retention.NOTHING) == 6.0
    assert cost(realization=Realization.DIFFERENCES) == 10.0


def test_the_budget_falls_with_steps_and_dear_gradients() -> None:
    def budget(probes: int = 1024, **changes: Any) -> int:
        engine = scalar(np.sin, np.cos)
        engine.probe_limit = probes
        return evaluations(subject(engine, bed(X, **changes)))

    assert budget() == 16384
    assert budget(dt=0.1, steps=20) == 2048
    assert budget(dt=0.1, steps=480) == 128
    assert budget(dt=0.1, steps=10_000) == 128
    assert budget(probes=128, dt=0.1, steps=20) == 256


def test_contact_without_noise_gets_some_on_its_sweep() -> None:
    one = Input("x", np.array([0.0, 1.0]), scale=0.5)
    testbed = bed(one, family=Family.CONTACT, sweep=Sweep("x", 1, 0.0, 2.0))
    sigma, coordinates = noise(subject(scalar(np.sin, np.cos), testbed))
    assert sigma.tolist() == [0.05, 0.05]
    assert coordinates == [("x", 1)]


def test_nan_survives_and_repeats_are_the_same() -> None:
    found = row(np.sin, lambda x: x * np.nan)
    assert np.isnan(found.first_mean)
    assert np.isfinite(found.zeroth_mean)
    assert row(np.sin, np.cos, 3) == row(np.sin, np.cos, 3)
    assert row(np.sin, np.cos, 3) != row(np.sin, np.cos, 4)


def test_reasons() -> None:
    with pytest.raises(Unsupported, match="neither noise nor a contact"):
        measure(subject(scalar(np.sin, np.cos), bed(X)))
    held = scalar(np.sin, np.cos, undifferentiated={"x": "no"})
    with pytest.raises(Unsupported, match="no input that has noise"):
        measure(subject(held, bed(X, noise={"x": 0.1})))
