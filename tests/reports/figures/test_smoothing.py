"""The smoothing figure: intervals of 95 %, and the exact value where there is one."""

import pytest

from gradcheck.artifact import Smoothing, SmoothRow
from gradcheck.reports.figures.smoothing import smoothing


def row(exact: float | None) -> SmoothRow:
    return SmoothRow(
        label="x[0]",
        input="x",
        index=0,
        sigma=0.1,
        budget=8,
        first_mean=1.0,
        first_error=0.1,
        first_variance=1.0,
        first_count=2,
        zeroth_mean=2.0,
        zeroth_error=0.2,
        zeroth_variance=1.0,
        zeroth_count=4,
        reference_mean=3.0,
        reference_error=0.3,
        exact=exact,
    )


def test_means_have_their_intervals() -> None:
    rows = [row(None), row(4.0)]
    (plot,) = smoothing(Smoothing(engine="e", testbed="t", gradient_cost=4.0, rows=rows))
    first, zeroth, reference = plot.series
    assert (list(first.y), list(zeroth.y)) == ([1.0, 1.0], [2.0, 2.0])
    assert list(reference.y) == [3.0, 4.0]
    assert first.spread == pytest.approx([0.196, 0.196])
    assert reference.spread == pytest.approx([0.588, 0.0])
    assert plot.x_names == ("x[0]", "x[0]")


def test_no_rows_give_no_figure() -> None:
    assert smoothing(Smoothing(engine="e", testbed="t", gradient_cost=1.0, rows=[])) == []
