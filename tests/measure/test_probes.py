"""Every bad stretch of 1/500 of a coordinate's range is met, and located."""

from typing import Any

import numpy as np
import pytest

from gradcheck.engine import Knob, Settings
from gradcheck.measure.probes import RADIUS, measure, points
from gradcheck.testbed import Input
from tests.measure.toys import Toy, bed, scalar, subject

X = Input("x", np.array([2.0, 3.0, 4.0]), scale=0.5)
P = Input("p", np.array([1.0]), scale=0.1)


def product(
    bad: Any = lambda batch, settings: np.zeros(len(batch["p"]), bool), **options: Any
) -> Toy:
    """p * sum(x), with a NaN in the gradient by p where `bad`."""

    def grad(batch: Any, settings: Settings) -> Any:
        x, p = batch["x"], batch["p"]
        spoilt = np.where(bad(batch, settings)[:, None], np.nan, x.sum(axis=1, keepdims=True))
        return {"x": p * np.ones_like(x), "p": spoilt}

    return Toy(lambda batch, _: batch["p"][:, 0] * batch["x"].sum(axis=1), grad, **options)


def test_all_is_finite() -> None:
    probes = measure(subject(product(), bed(X, P)))
    assert (probes.count, probes.bad_values, probes.bad_gradients) == (1024, 0, 0)
    assert probes.first_bad is None
    assert probes.first_bad_horizon is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("centre", np.linspace(-0.498, 0.498, 7))
def test_one_in_500_of_a_range_is_always_met(centre: float, seed: int) -> None:
    def bad(batch: Any, _: Settings) -> Any:
        inside = (batch["x"][:, 1] - 3.0) / (2 * RADIUS * 0.5)
        return np.abs(inside - centre) <= 1 / 1000

    probes = measure(subject(product(bad), bed(X, P), seed))
    assert 1 <= probes.bad_gradients <= 4
    assert probes.bad_values == 0
    assert probes.bad_inputs == ["p"]
    assert probes.bad_forward is False
    assert probes.first_bad is not None
    assert abs((probes.first_bad["x"][1] - 3.0) / 0.5 - centre) <= 1 / 1000


@pytest.mark.parametrize("since", [1, 2, 7, 99, 100])
def test_the_fewest_steps_are_found(since: int) -> None:
    engine = product(lambda batch, s: (batch["p"][:, 0] > 1.01) & (s.steps >= since))
    probes = measure(subject(engine, bed(X, P, dt=0.1, steps=100)))
    assert probes.first_bad_horizon == since
    engine = product(lambda batch, s: batch["p"][:, 0] > 1.01, knobs=(Knob.DT,))
    assert measure(subject(engine, bed(X, P, dt=0.1, steps=100))).first_bad_horizon is None


def test_a_loss_that_is_not_finite_is_told_from_a_gradient() -> None:
    engine = scalar(lambda x: np.where(x < 0.1, np.inf, x), np.ones_like)
    probes = measure(subject(engine, bed(Input("x", np.array([0.5])))))
    assert probes.bad_values == pytest.approx(102, abs=1)
    assert probes.bad_gradients == 0
    assert probes.bad_forward is True
    assert probes.bad_inputs == []


def test_the_engine_bounds_the_number() -> None:
    engine = product()
    engine.probe_limit = 100
    assert measure(subject(engine, bed(X, P))).count == 64


def test_points_fill_each_stratum_once_in_any_dimension() -> None:
    for size in (3, 30_000):
        found = points(size, 64, np.random.default_rng(0))
        assert found.shape == (64, size)
        strata = np.sort(np.floor((found / RADIUS + 1) * 32), axis=0)
        assert (strata == np.arange(64)[:, None]).all()
