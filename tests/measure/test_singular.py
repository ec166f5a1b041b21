"""Singular values of products that overflow, are ill conditioned, singular or not finite."""

import numpy as np
import pytest

from gradcheck.measure.singular import log_singular


def test_small_products_equal_numpy() -> None:
    jacobians = np.random.default_rng(0).standard_normal((5, 3, 3))
    largest, smallest = log_singular(jacobians, [1, 3, 5])
    product = np.eye(3)
    for k, jacobian in enumerate(jacobians, 1):
        product = jacobian @ product
        if k in (1, 3, 5):
            values = np.log(np.linalg.svd(product, compute_uv=False))
            at = (1, 3, 5).index(k)
            assert largest[at] == pytest.approx(values[0], abs=1e-12)
            assert smallest[at] == pytest.approx(values[-1], abs=1e-12)


def test_no_overflow_and_no_loss_of_the_smallest() -> None:
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    jacobian = turn @ np.diag([3.0, 0.2]) @ turn.T
    largest, smallest = log_singular(np.tile(jacobian, (2000, 1, 1)), [1000, 2000])
    assert largest == pytest.approx([1000 * np.log(3), 2000 * np.log(3)], rel=1e-12)
    assert smallest == pytest.approx([1000 * np.log(0.2), 2000 * np.log(0.2)], rel=1e-12)


def test_singular_and_not_finite_steps() -> None:
    flat = np.array([np.eye(2), np.diag([2.0, 0.0]), np.eye(2)])
    largest, smallest = log_singular(flat, [1, 2, 3])
    assert largest == pytest.approx([0.0, np.log(2), np.log(2)])
    assert smallest == pytest.approx([0.0, -np.inf, -np.inf], abs=1e-12)
    largest, smallest = log_singular(np.zeros((2, 2, 2)), [2])
    assert (largest, smallest) == ([-np.inf], [-np.inf])
    broken = np.array([np.eye(2), np.full((2, 2), np.nan), np.eye(2)])
    largest, smallest = log_singular(broken, [1, 3])
    assert (largest[0], smallest[0]) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert np.isnan([largest[1], smallest[1]]).all()
