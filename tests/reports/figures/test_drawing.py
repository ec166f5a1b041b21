"""Drawn figures: gaps at NaN, nothing outside the frame, text escaped, fit for any page."""

import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib as mpl
import pytest

from gradcheck.reports.figures.drawing import BOTTOM, LEFT, RIGHT, TOP, draw
from gradcheck.reports.figures.plot import GLYPHS, Mark, Plot, Series

TITLE = "the line"


def plot(*series: Series, log: bool = False, marks: tuple[Mark, ...] = ()) -> Plot:
    return Plot(
        title="A",
        caption="",
        x_label="across",
        y_label="up",
        series=series,
        x_log=log,
        y_log=log,
        marks=marks,
    )


def svg(shown: Plot) -> str:
    return draw({"f": shown})["f"]


def line(text: str) -> str:
    """The path of the line called `TITLE`."""
    found = re.search(rf'<title>{TITLE}</title><path d="([^"]*)"', text)
    assert found
    return found[1]


def points(path: str) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in re.findall(r"[ML] (\S+) (\S+)", path)]


def words(text: str) -> list[str]:
    return [one.text or "" for one in ET.fromstring(text).iter("text")]


def test_points_fill_the_frame_and_stay_in_it() -> None:
    found = points(line(svg(plot(Series(TITLE, [0.0, 1.0, 2.0], [3.0, -1.0, 5.0])))))
    assert len(found) == 3
    assert all(LEFT <= x <= RIGHT and TOP <= y <= BOTTOM for x, y in found)
    assert found[2][1] < found[0][1] < found[1][1]


def test_a_gap_is_left_where_a_value_is_not_finite() -> None:
    shown = plot(Series(TITLE, [0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, math.nan, math.inf, 2.0]))
    text = svg(shown)
    assert [name for name in line(text) if name.isalpha()] == ["M", "L", "M"]
    assert text.count("<use ") == 3
    assert "nan" not in text.lower()
    assert shown.lost == 2


def test_zero_lies_on_the_lower_edge_of_a_logarithmic_axis() -> None:
    shown = plot(Series(TITLE, [1.0, 10.0], [0.0, 1e-3]), log=True)
    assert points(line(svg(shown)))[0][1] == BOTTOM
    assert shown.floored == 1


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "values", [[math.nan, math.nan], [0.0, 0.0], [], [-1.7e308, 1.7e308], [5e-324, 1.7e308]]
)
def test_the_extremes_still_give_a_figure(values: list[float], log: bool) -> None:
    text = svg(plot(Series(TITLE, [1.0 + one for one in range(len(values))], values), log=log))
    ET.fromstring(text)
    assert "inf" not in text


def test_names_are_escaped_shortened_and_not_read_as_formulas() -> None:
    name = "<b>&$x^2$ 日本 ${y}" + "n" * 500
    shown = Plot("A", "", name, name, (Series(name, [0.0], [1.0]),), marks=(Mark(0.0, "<i>$"),))
    text = svg(shown)
    assert any(one.startswith("<b>&$x^2$ 日本 ${y}n") for one in words(text))
    assert "<i>$" in words(text)
    assert "<b>" not in text
    assert len(text) < 5000


def test_a_mark_outside_the_frame_is_left_out() -> None:
    one = Series(TITLE, [0.0, 1.0], [0.0, 1.0])
    assert "here" in words(svg(plot(one, marks=(Mark(0.5, "here"),))))
    assert "there" not in words(svg(plot(one, marks=(Mark(5.0, "there"),))))
    assert "nowhere" not in words(svg(plot(one, marks=(Mark(math.nan, "nowhere"),))))


@pytest.mark.parametrize(("at", "anchor"), [(4.0, "start"), (6.0, "end")])
def test_the_word_of_a_mark_reaches_towards_the_middle(at: float, anchor: str) -> None:
    text = svg(plot(Series(TITLE, [0.0, 10.0], [0.0, 1.0]), marks=(Mark(at, "here"),)))
    (word,) = (one for one in ET.fromstring(text).iter("text") if one.text == "here")
    assert word.attrib.get("style") == f"text-anchor: {anchor}"


def test_an_interval_is_drawn_around_its_point() -> None:
    shown = plot(Series(TITLE, [0.0, 1.0], [1.0, 2.0], line=False, spread=[0.5, math.nan]))
    text = svg(shown)
    places = re.findall(r'<use x="(\S+)" y="(\S+)"', text)
    bars = [points(one) for one in re.findall(r'<path d="([^"]*)" style="[^"]*--s0', text)]
    assert len(places) == 2
    assert len(bars) == 1
    (x, low), (also_x, high) = bars[0]
    assert x == also_x == pytest.approx(float(places[0][0]))
    assert (low + high) / 2 == pytest.approx(float(places[0][1]), abs=0.1)
    assert low > high


def test_crowded_names_stand_on_two_lines() -> None:
    series = (Series(TITLE, [0.0, 1.0, 2.0, 3.0], [1.0] * 4, line=False),)

    def heights(names: tuple[str, ...]) -> set[str]:
        shown = Plot("A", "", "x", "y", series, x_names=names)
        tree = ET.fromstring(svg(shown))
        return {one.attrib["y"] for one in tree.iter("text") if one.text in names}

    assert len(heights(("a", "b", "c", "d"))) == 1
    assert len(heights(tuple(f"velocity[{one}]" for one in range(4)))) == 2


def test_identifiers_belong_to_the_figure() -> None:
    shown = plot(Series(TITLE, [0.0, 1.0], [0.0, 1.0]), Series("b", [0.0], [1.0], style=1))
    drawn = draw({"one": shown, "two": shown})
    found = {name: re.findall(r' id="([^"]*)"', text) for name, text in drawn.items()}
    assert len(found["one"]) == 2
    assert all(one.startswith("one-") for one in found["one"])
    assert not set(found["one"]) & set(found["two"])
    for name, text in drawn.items():
        assert set(re.findall(r'href="#([^"]*)"', text)) == set(found[name])


def test_nothing_refers_to_another_place() -> None:
    text = svg(plot(Series(TITLE, [0.0, 1.0], [0.0, 1.0])))
    for word in ("http", "url(", "xmlns", "<!", "<?", "<style", "metadata", "font-family"):
        assert word not in text


def test_a_figure_scales_and_says_what_it_shows() -> None:
    root = ET.fromstring(svg(plot(Series(TITLE, [0.0], [1.0]))))
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == "A: up over across; the line"
    assert "viewBox" in root.attrib
    assert not {"width", "height"} & set(root.attrib)


def test_colours_follow_the_page() -> None:
    text = svg(plot(Series(TITLE, [0.0, 1.0], [0.0, 1.0]), marks=(Mark(0.5, "here"),)))
    assert not re.search(r"(?<!, )#[0-9a-f]{6}", text)
    assert "currentColor" in text


def test_a_figure_does_not_depend_on_the_one_before_or_on_the_users_settings() -> None:
    one, other = (plot(Series(TITLE, [0.0, 1.0], [0.0, end]), log=end > 1) for end in (1.0, 9.0))
    alone = draw({"f": one})["f"]
    with mpl.rc_context({"lines.linewidth": 9, "axes.grid": False, "svg.fonttype": "path"}):
        assert draw({"a": other, "b": one, "f": one})["f"] == alone


def test_series_differ_without_colour() -> None:
    shown = plot(*(Series(str(at), [0.0, 1.0], [0.0, 1.0], style=at) for at in range(6)))
    shapes = re.findall(r'<defs><path d="([^"]*)"', svg(shown))
    assert len(set(shapes)) == len(GLYPHS) == 6


def test_the_library_is_loaded_only_to_draw() -> None:
    code = (
        "import sys; from gradcheck.reports.figures.drawing import draw; draw({});"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_pyplot_is_never_loaded() -> None:
    code = (
        "import sys; from gradcheck.reports.figures.drawing import draw;"
        "from gradcheck.reports.figures.plot import Plot, Series;"
        "draw({'f': Plot('A', '', 'x', 'y', (Series('s', [0.0], [1.0]),))});"
        "print('matplotlib.figure' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
