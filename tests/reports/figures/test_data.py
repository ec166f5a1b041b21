"""A figure's data as text: every point of it, in full."""

import io
import math

import pandas as pd

from gradcheck.reports.figures.data import tsv
from gradcheck.reports.figures.plot import Plot, Series


def plot(*series: Series, names: tuple[str, ...] = ()) -> Plot:
    return Plot("A", "", "across (m)", "up", series, x_names=names)


def test_every_point_is_there_in_full() -> None:
    text = tsv(plot(Series("a", [0.1, 1 / 3], [1e-300, math.nan]), Series("b", [2.0], [-math.inf])))
    assert text.splitlines() == [
        "series\tacross (m)\tup",
        "a\t0.1\t1e-300",
        "a\t0.3333333333333333\tnan",
        "b\t2.0\t-inf",
    ]
    table = pd.read_csv(io.StringIO(text), sep="\t")
    assert list(table.columns) == ["series", "across (m)", "up"]
    assert table["across (m)"][1] == 1 / 3


def test_bars_have_their_half_width() -> None:
    text = tsv(plot(Series("a", [0.0], [1.0], spread=[0.5]), Series("b", [0.0], [1.0])))
    assert text.splitlines()[1:] == ["a\t0.0\t1.0\t0.5", "b\t0.0\t1.0\t"]
    assert text.splitlines()[0].endswith("\thalf-width")


def test_a_named_place_is_told_by_its_name() -> None:
    text = tsv(plot(Series("a", [-0.2, 1.2], [1.0, 2.0]), names=("left", "right")))
    assert text.splitlines()[1:] == ["a\tleft\t1.0", "a\tright\t2.0"]


def test_a_name_is_one_cell_and_no_formula() -> None:
    text = tsv(plot(Series("=HYPERLINK(1)\t2\n3", [0.0], [1.0])))
    assert text.splitlines()[1] == "'=HYPERLINK(1) 2 3\t0.0\t1.0"
