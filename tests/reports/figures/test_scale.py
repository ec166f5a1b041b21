"""Ticks: few, inside the axis, told apart, and short enough to stand side by side."""

import math

import pytest

from gradcheck.reports.figures.scale import Scale


@pytest.mark.parametrize(
    ("low", "high", "log"),
    [
        (0.0, 1.0, False),
        (-3e-9, 4e-9, False),
        (1e300, 1.7e308, False),
        (-1.7e308, 1.7e308, False),
        (1.00001, 1.00002, False),
        (1000.0, 1000.5, False),
        (5.0, 5.0, False),
        (0.0, 0.0, False),
        (1e-17, 1.0, True),
        (3.0, 7.0, True),
        (3.0, 3.1, True),
        (5.0, 5.0, True),
        (1.0, 128.0, True),
        (1e-300, 1e300, True),
        (5e-324, 1.0, True),
    ],
)
def test_ticks_are_few_and_lie_inside(low: float, high: float, log: bool) -> None:
    scale = Scale.around((low, high), log)
    assert scale.low < scale.high
    ticks = scale.ticks(44)
    assert 2 <= len(ticks) <= 7
    assert all(scale.low <= at <= scale.high for at in ticks)
    assert len(set(ticks.values())) == len(ticks)
    assert sum(map(len, ticks.values())) <= 44


@pytest.mark.parametrize("log", [False, True])
def test_the_extent_has_a_margin(log: bool) -> None:
    scale = Scale.around((2.0, 9.0), log)
    assert scale.low < 2.0
    assert scale.high > 9.0


def test_the_text_of_a_tick_is_its_value() -> None:
    texts = Scale.around((-0.3, 1.2), False).ticks(99)
    assert [float(text.replace("\N{MINUS SIGN}", "-")) for text in texts.values()] == (
        pytest.approx(list(texts))
    )


def test_decades_are_powers_of_ten() -> None:
    ticks = Scale.around((1e-9, 1.0), True).ticks(44)
    assert all(math.log10(at) == pytest.approx(round(math.log10(at))) for at in ticks)
    assert list(ticks.values())[-1] == "1"


def test_nothing_has_a_plain_scale() -> None:
    assert Scale.around(None, False) == Scale(0.0, 1.0, False)
    assert Scale.around(None, True) == Scale(0.1, 10.0, True)


def test_a_range_of_rounding_is_drawn_as_a_constant() -> None:
    scale = Scale.around((1.0, 1.0 + 1e-11), log=False)
    assert scale.high - scale.low > 0.05
    assert all(len(text) <= 6 for text in scale.ticks(99).values())
