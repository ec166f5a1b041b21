"""Jumps and kinks of known place and size."""

from typing import Any

import numpy as np
import pytest

from gradcheck.measure.events import Located, locate


def found(f: Any, low: float = -0.05, high: float = 0.15, noise: float = 1e-16) -> list[Located]:
    return locate(f, np.array([low]), np.array([high]), 2.0, noise, 16)


@pytest.mark.parametrize("at", [0.0, 0.05, 1 / 30, 0.1 + 1e-12])
def test_a_kink(at: float) -> None:
    (one,) = found(lambda x: np.sin(3 * x) + 2 * np.maximum(0.0, x - at))
    assert one.low <= at <= one.high
    assert one.high - one.low <= 2e-9
    assert one.left_slope == pytest.approx(3 * np.cos(3 * at), abs=1e-5)
    assert one.right_slope == pytest.approx(3 * np.cos(3 * at) + 2, abs=1e-5)
    assert abs(one.left_slope - 3 * np.cos(3 * at)) <= one.uncertainty
    assert abs(one.jump) < 1e-8


@pytest.mark.parametrize("size", [1.0, -3e-6])
def test_a_jump(size: float) -> None:
    (one,) = found(lambda x: np.sin(3 * x) + size * (x > 1 / 30), 0.0, 0.05)
    assert one.low <= 1 / 30 <= one.high
    assert one.jump == pytest.approx(size, rel=1e-2)
    assert one.right_slope == pytest.approx(one.left_slope, rel=1e-4)


def test_smooth_functions_have_none() -> None:
    for f in (np.sin, np.exp, lambda x: np.tanh(20 * x), lambda x: 3 * x, np.zeros_like):
        assert found(f) == []
    rng = np.random.default_rng(0)
    assert found(lambda x: x + 1e-9 * rng.standard_normal(x.shape), noise=1e-9) == []


@pytest.mark.parametrize("width", [0.0031, 0.0042, 0.0055, 0.013])
def test_among_many_jumps_one_is_found(width: float) -> None:
    (one,) = found(lambda x: x - 2 * width * np.floor(x / width + 0.3), 0.0, 0.025)
    assert one.jump == pytest.approx(-2 * width, rel=1e-9)


def test_one_event_seen_from_two_intervals_counts_once() -> None:
    low, high = np.array([-0.1, 0.0]), np.array([0.1, 0.2])
    assert len(locate(lambda x: np.abs(x - 0.05), low, high, 2.0, 1e-16, 16)) == 1


def test_the_largest_comes_first() -> None:
    low, high = np.array([0.0, 1.0]), np.array([0.2, 1.2])
    one, two = locate(lambda x: np.maximum(0, x - 0.1) + 5.0 * (x > 1.1), low, high, 2.0, 1e-16, 16)
    assert (one.at, two.at) == (1.1, 0.1)


def test_what_is_not_finite_is_no_event() -> None:
    assert found(lambda x: np.where(x > 0, np.nan, x)) == []


def test_at_is_the_shortest_decimal() -> None:
    assert Located(0.19999999, 0.20000001, 0, 0, 0, 0, 0).at == 0.2
    assert Located(-1e-9, 1e-9, 0, 0, 0, 0, 0).at == 0.0
    assert Located(1.23456781, 1.23456783, 0, 0, 0, 0, 0).at == 1.23456782
