"""Numbers: few digits, a typographic minus, powers of ten, and no surprise at the extremes."""

import math

import pytest

from gradcheck.reports.number import number, power


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (-0.25, "\N{MINUS SIGN}0.25"),
        (3.14e-7, "3.14 \N{MULTIPLICATION SIGN} 10⁻⁷"),
        (-1e-6, "\N{MINUS SIGN}10⁻⁶"),
        (math.nan, "NaN"),
        (-math.inf, "\N{MINUS SIGN}∞"),
        (1e22, "10²²"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_powers() -> None:
    assert [power(one) for one in (0, 1, 2, -10)] == ["1", "10", "10²", "10⁻¹⁰"]
