"""Figures: ticks at round places, gaps at NaN, nothing outside the frame, text escaped."""

import math
import re
import xml.etree.ElementTree as ET

import pytest

from gradcheck.reports.figures.axis import Axis, number
from gradcheck.reports.figures.plot import Mark, Plot, Series
from gradcheck.reports.figures.svg import BOTTOM, LEFT, RIGHT, TOP, svg


def plot(*series: Series, log: bool = False, marks: tuple[Mark, ...] = ()) -> Plot:
    return Plot(
        title="A",
        caption="",
        x_label="x",
        y_label="y",
        series=series,
        x_log=log,
        y_log=log,
        marks=marks,
    )


def lines(text: str) -> list[str]:
    return re.findall(r'<path class="line(?: dash)?" d="([^"]*)"', text)


def points(path: str) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in re.findall(r"[ML](\S+?) ([^ML]+)", path)]


@pytest.mark.parametrize(
    ("low", "high", "log"),
    [
        (0.0, 1.0, False),
        (-3e-9, 4e-9, False),
        (1e300, 1.7e308, False),
        (1e-17, 1.0, True),
        (3.0, 7.0, True),
        (1e-300, 1e300, True),
        (5.0, 5.0, False),
        (5.0, 5.0, True),
    ],
)
def test_ticks_are_few_and_lie_inside(low: float, high: float, log: bool) -> None:
    axis = Axis.around((low, high), log, LEFT, RIGHT)
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 6
    assert all(axis.low <= tick.at <= axis.high for tick in ticks)
    assert len({tick.text for tick in ticks}) == len(ticks)
    assert LEFT <= axis.place(low) <= axis.place(high) <= RIGHT


def test_points_fill_the_frame_and_stay_in_it() -> None:
    path = lines(svg(plot(Series("s", [0.0, 1.0, 2.0], [3.0, -1.0, 5.0]))))[0]
    assert len(points(path)) == 3
    assert all(LEFT <= x <= RIGHT and TOP <= y <= BOTTOM for x, y in points(path))
    assert points(path)[2][1] < points(path)[0][1] < points(path)[1][1]


def test_a_gap_is_left_where_a_value_is_not_finite() -> None:
    one = Series("s", [0.0, 1.0, 2.0, 3.0], [1.0, math.nan, math.inf, 2.0])
    shown = plot(one)
    assert lines(svg(shown))[0].count("M") == 2
    assert "nan" not in svg(shown)
    assert "inf" not in svg(shown)
    assert shown.lost == 2


def test_zero_lies_on_the_lower_edge_of_a_logarithmic_axis() -> None:
    shown = plot(Series("s", [1.0, 10.0], [0.0, 1e-3]), log=True)
    assert points(lines(svg(shown))[0])[0][1] == BOTTOM
    assert shown.floored == 1


@pytest.mark.parametrize("values", [[math.nan, math.nan], [0.0, 0.0], []])
def test_nothing_to_show_still_gives_a_figure(values: list[float]) -> None:
    ET.fromstring(svg(plot(Series("s", list(map(float, range(len(values)))), values), log=True)))


def test_names_are_escaped_and_shortened() -> None:
    text = svg(plot(Series("<b>&" + "n" * 500, [0.0], [1.0]), marks=(Mark(0.0, "<i>"),)))
    ET.fromstring(text)
    assert "<b>" not in text
    assert "<i>" not in text
    assert len(text) < 3000


def test_a_mark_outside_the_frame_is_left_out() -> None:
    one = Series("s", [0.0, 1.0], [0.0, 1.0])
    assert 'class="mark"' in svg(plot(one, marks=(Mark(0.5, "here"),)))
    assert 'class="mark"' not in svg(plot(one, marks=(Mark(5.0, "there"),)))
    assert 'class="mark"' not in svg(plot(one, marks=(Mark(math.nan, "nowhere"),)))


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
