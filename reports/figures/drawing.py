"""Plots drawn by matplotlib as inline SVG. The library is loaded only when there is a plot."""

import io
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcheck.reports.figures.inline import inline
from gradcheck.reports.figures.palette import INK, LIGHT
from gradcheck.reports.figures.plot import Mark, Plot, Series, short
from gradcheck.reports.figures.scale import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 320, 216
LEFT, RIGHT, TOP, BOTTOM = 60, 312, 30, 180
"""The frame, in pixels from the top left corner."""

POINTS, LINE = 72, 13
X_LETTERS, Y_LETTERS = 44, 99
"""How much text of ticks there is room for along an axis."""

MARKERS = "os^DvP"
SOFT, FAINT = 0.5, 0.15
SETTINGS = {
    "font.size": 10,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "lines.markeredgewidth": 0,
    "lines.dashed_pattern": [3.5, 2],
    "path.simplify": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "gradcheck",
    "text.parse_math": False,
}


def draw(plots: Mapping[str, Plot]) -> dict[str, str]:
    """One `<svg>` element for each plot. Its key starts every identifier in it."""
    if not plots:
        return {}
    import matplotlib

    # What the user has set for figures of their own does not apply.
    settings: Any = {
        key: value
        for key, value in matplotlib.rcParamsDefault.items()
        if not key.startswith(("backend", "date.", "_internal"))
    } | SETTINGS
    sheets: dict[tuple[bool, bool, bool], Sheet] = {}
    out = {}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # Text is measured in matplotlib's font, which may lack a letter that the page's has.
        warnings.filterwarnings("ignore", message="Glyph")
        for name, plot in plots.items():
            kind = (plot.x_log, plot.y_log, bool(plot.x_names))
            if kind not in sheets:
                sheets[kind] = Sheet(plot.x_log, plot.y_log)
            out[name] = sheets[kind].svg(plot, name)
    return out


class Sheet:
    """A figure with one frame, used again for every plot of its kind: to make one is slow."""

    def __init__(self, x_log: bool, y_log: bool) -> None:
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(WIDTH / POINTS, HEIGHT / POINTS), frameon=False)
        self.axes = self.figure.add_axes(
            (
                LEFT / WIDTH,
                1 - BOTTOM / HEIGHT,
                (RIGHT - LEFT) / WIDTH,
                (BOTTOM - TOP) / HEIGHT,
            ),
            autoscale_on=False,
        )
        _prepare(self.axes, x_log, y_log)

    def svg(self, plot: Plot, name: str) -> str:
        """The plot as one `<svg>` element whose identifiers start with `name`."""
        axes = self.axes
        for old in [*axes.lines, *axes.collections, *axes.texts]:
            old.remove()
        y = Scale.around(plot.extent("y"), plot.y_log)
        y_ticks = y.ticks(Y_LETTERS)
        axes.set_ylim(y.low, y.high)
        axes.set_yticks(list(y_ticks), list(y_ticks.values()))
        axes.xaxis.set_label_text(short(plot.x_label, 48))
        axes.yaxis.set_label_text(short(plot.y_label, 48))
        if plot.x_names:
            x = Scale(-0.5, len(plot.x_names) - 0.5, False)
            _name(axes, plot.x_names)
        else:
            x = Scale.around(plot.extent("x"), plot.x_log)
            x_ticks = x.ticks(X_LETTERS)
            axes.set_xticks(list(x_ticks), list(x_ticks.values()))
        axes.set_xlim(x.low, x.high)
        for mark in plot.marks:
            _mark(axes, mark, x)
        for place, series in enumerate(plot.series):
            _series(axes, series, x, y, f"series-{place}")
        out = io.StringIO()
        self.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        titles = {f"series-{at}": short(one.label, 60) for at, one in enumerate(plot.series)}
        return inline(out.getvalue(), name, plot.description, titles)


def _prepare(axes: "Axes", x_log: bool, y_log: bool) -> None:
    """Whatever is the same for every plot of a kind."""
    if x_log:
        axes.set_xscale("log")
    if y_log:
        axes.set_yscale("log")
    axes.minorticks_off()
    axes.patch.set_visible(False)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set(color=INK, alpha=SOFT, linewidth=0.8)
    axes.tick_params(length=0, pad=5, bottom=False, left=False)
    axes.grid(color=INK, alpha=FAINT, linewidth=0.8)
    # At fixed places, so that no text need be measured for them.
    axes.xaxis.set_label_coords(0.5, (BOTTOM - HEIGHT + 16) / (BOTTOM - TOP))
    # Above the frame, where it takes no room from the ticks' texts and reads without a turn.
    axes.yaxis.set_label_coords(-LEFT / (RIGHT - LEFT), (BOTTOM - 10) / (BOTTOM - TOP))
    axes.yaxis.label.set(rotation=0, horizontalalignment="left", verticalalignment="baseline")


def _name(axes: "Axes", names: Sequence[str]) -> None:
    """Names places; where all have no room beside each other, every other one a line lower."""
    texts = [short(name, 12) for name in names]
    crowded = sum(len(text) + 2 for text in texts) > X_LETTERS
    axes.set_xticks(range(len(texts)), texts)
    for place, label in enumerate(axes.get_xticklabels()):
        label.set_y(-LINE / (BOTTOM - TOP) if crowded and place % 2 else 0.0)
    if crowded:
        axes.xaxis.set_label_text("")


def _mark(axes: "Axes", mark: Mark, x: Scale) -> None:
    if not x.low <= mark.at <= x.high:
        return
    axes.axvline(mark.at, color=INK, alpha=SOFT, linewidth=1, linestyle=(0, (3, 2)))
    # Towards the middle, where there is room.
    right = (axes.transScale + axes.transLimits).transform((mark.at, 1.0))[0] > 0.5
    axes.annotate(
        short(mark.label),
        (mark.at, 1.0),
        xycoords=axes.get_xaxis_transform(),
        xytext=(8 if right else -8, 5),
        textcoords="offset points",
        horizontalalignment="right" if right else "left",
        annotation_clip=False,
    )


def _series(axes: "Axes", series: Series, x: Scale, y: Scale, name: str) -> None:
    colour = LIGHT[series.style % len(LIGHT)] if series.style >= 0 else INK
    across, up = x.clip(series.x), y.clip(series.y)
    if series.spread is not None:
        spread = np.asarray(series.spread, np.float64)
        axes.vlines(across, y.clip(up - spread), y.clip(up + spread), color=colour, clip_on=False)
    if series.bars is not None:
        low, high = (y.clip(ends) for ends in zip(*series.bars, strict=True))
        axes.vlines(across, low, high, color=colour, clip_on=False)
    axes.plot(
        across,
        up,
        color=colour,
        linestyle=("--" if series.dashed else "-") if series.line else "none",
        marker=MARKERS[series.style % len(MARKERS)] if series.marker else "none",
        clip_on=False,
        gid=name,
        # Seen even where it coincides with a solid line.
        zorder=3 if series.dashed else 2,
    )
