"""Noise floors of functions whose noise is known."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcheck.measure.noise import floor, line

SPACINGS = 10.0 ** np.arange(-8, -4)


def measured(f: Callable[[Any], Any], spacings: Any = SPACINGS) -> float:
    return float(floor(f(0.7 + line(np.asarray(spacings)))))


def test_a_smooth_function_has_rounding_noise_only() -> None:
    assert 0 < measured(np.sin) < 5e-16
    assert measured(lambda x: np.exp(10 * x)) < 2e-15 * np.exp(7.0)


def test_added_noise_is_measured() -> None:
    rng = np.random.default_rng(0)
    found = measured(lambda x: np.sin(x) + 1e-6 * rng.standard_normal(x.shape))
    assert 0.3e-6 < found < 2e-6


@pytest.mark.parametrize("inside", [True, False])
def test_float32_shows(inside: bool) -> None:
    def f(x: Any) -> Any:
        return np.sin(x.astype(np.float32)) if inside else np.float32(np.sin(x)).astype(float)

    assert 3e-9 < measured(lambda x: np.asarray(f(x), np.float64)) < 1e-7


def test_a_kink_or_a_jump_on_one_side_is_no_noise() -> None:
    assert measured(lambda x: np.where(x > 0.7 + 3e-8, x, 0.0)) < 5e-16
    assert measured(lambda x: np.abs(x - 0.7 - 3e-8)) < 5e-16


def test_what_is_not_finite_is_left_out() -> None:
    assert measured(lambda x: np.full(x.shape, np.nan)) == 0.0
    assert measured(lambda x: np.where(x < 0.7, np.inf, np.sin(x))) < 5e-16
