"""What a figure shows as a table to paste into a spreadsheet or read with pandas."""

from collections.abc import Iterator

from gradcheck.reports.figures.plot import Plot, Series

FORMULA = ("=", "+", "-", "@")
"""What a spreadsheet would take for the start of a formula. Engines name their own inputs."""


def tsv(plot: Plot) -> str:
    """One line a point, tabs between: series, x, y, and the half-width of its bar if any has one.

    Numbers are as they were plotted, in full; a point that is not finite is there too.
    """
    spread = any(one.spread is not None for one in plot.series)
    head = ["series", plot.x_label, plot.y_label, *(["half-width"] if spread else [])]
    rows = [row for series in plot.series for row in _rows(plot, series, spread)]
    return "\n".join("\t".join(row) for row in [list(map(_cell, head)), *rows])


def _rows(plot: Plot, series: Series, spread: bool) -> Iterator[list[str]]:
    label = _cell(series.label)
    widths = series.spread if series.spread is not None else [None] * len(series.x)
    for x, y, width in zip(series.x, series.y, widths, strict=True):
        # Named places are drawn a little apart, so that series do not cover each other.
        across = _cell(plot.x_names[round(x)]) if plot.x_names else repr(float(x))
        row = [label, across, repr(float(y))]
        yield [*row, "" if width is None else repr(float(width))] if spread else row


def _cell(text: str) -> str:
    flat = " ".join(text.split())
    return f"'{flat}" if flat.startswith(FORMULA) else flat
