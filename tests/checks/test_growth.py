"""Growth of costs and sizes with the horizon."""

import math

import pytest

from gradcheck.checks.growth import growth_exponent, per_step, power
from gradcheck.checks.trend import trend

HORIZONS = [1, 2, 4, 8, 16, 32, 64]


@pytest.mark.parametrize("order", [1.0, 2.0, 0.5])
def test_a_power_is_read(order: float) -> None:
    assert power(HORIZONS, [3.0 * n**order for n in HORIZONS]) == pytest.approx(order)
    read = trend(HORIZONS, 0.01, [3.0 * n**order for n in HORIZONS])
    assert read is not None
    assert not read.exponential
    assert read.order == pytest.approx(order)


def test_a_constant_part_does_not_hide_linear_growth() -> None:
    assert growth_exponent(HORIZONS, [1e6 + 8.0 * n for n in HORIZONS]) == pytest.approx(1, abs=0.1)
    assert growth_exponent(HORIZONS, [1e6 + n**2 for n in HORIZONS]) > 1.5
    assert growth_exponent(HORIZONS, [1e6] * 7) == 0.0
    assert per_step(HORIZONS, [1e6 + 8.0 * n for n in HORIZONS]) == pytest.approx(8.0)


@pytest.mark.parametrize("rate", [20.0, -20.0])
def test_an_exponential_is_told_from_a_power(rate: float) -> None:
    read = trend(HORIZONS, 0.01, [math.exp(rate * n * 0.01) for n in HORIZONS])
    assert read is not None
    assert read.exponential
    assert read.rate == pytest.approx(rate)
    assert read.factor() == pytest.approx(math.exp(rate * 0.63))


def test_too_few_horizons_say_nothing() -> None:
    assert trend([1, 2, 4], 0.01, [1.0, 2.0, 4.0]) is None
    assert trend(HORIZONS, 0.01, [0.0] * 7) is None
    assert math.isnan(growth_exponent([1, 2], [1.0, 2.0]))
    assert math.isnan(power([1, 2], [1.0, 2.0]))
