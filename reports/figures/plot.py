"""What a figure shows, as data: series of points on two axes, with lines that mark a place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradcheck.plateau import Floats
from gradcheck.reports.legible import legible

# Told apart by marker and dash as well as by colour.
GLYPHS = ("●", "■", "▲", "◆", "▼", "✚")
MOST_SERIES = len(GLYPHS)


@dataclass(frozen=True)
class Series:
    """Points (x, y) of one quantity; a non-finite point is a gap.

    `style` picks colour and marker; `dashed` is for a reference or a second estimate; `spread`
    is a half-width drawn as an error bar, `bars` are the ends of one.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    style: int = 0
    line: bool = True
    marker: bool = True
    dashed: bool = False
    spread: Sequence[float] | None = None
    bars: Sequence[tuple[float, float]] | None = None

    @property
    def glyph(self) -> str:
        """The mark that stands for it in a legend."""
        return GLYPHS[self.style % MOST_SERIES] if self.marker else ("╌╌" if self.dashed else "──")


@dataclass(frozen=True)
class Mark:
    """A place on the x axis with a word for it, empty where a neighbour's says it."""

    at: float
    label: str


@dataclass(frozen=True)
class Plot:
    """One small figure. `lost` is how many points cannot be shown because they are not finite.

    `x_range` and `y_range` are what an axis shows in place of the extent of this figure's own
    points, so that figures of several engines can stand side by side on the same axes.
    """

    title: str
    caption: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_log: bool = False
    y_log: bool = False
    marks: tuple[Mark, ...] = ()
    x_names: tuple[str, ...] = ()
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None

    @property
    def description(self) -> str:
        """What the figure shows, for those who cannot see it."""
        names = ", ".join(short(one.label) for one in self.series)
        return f"{self.title}: {short(self.y_label)} over {short(self.x_label, 48)}; {names}"

    @property
    def lost(self) -> int:
        """Points that are NaN or infinite, of all series."""
        return sum(int(np.count_nonzero(~np.isfinite(one.y))) for one in self.series)

    @property
    def floored(self) -> int:
        """Points that a logarithmic axis can only show on its lower edge: zeros."""
        return sum(
            int(np.count_nonzero(np.asarray(one.y) <= 0)) for one in self.series if self.y_log
        )

    def extent(self, axis: str) -> tuple[float, float] | None:
        """Lowest and highest value that can be shown along `axis` ("x" or "y"), or None."""
        given = self.x_range if axis == "x" else self.y_range
        if given is not None:
            return given
        log = self.x_log if axis == "x" else self.y_log
        parts: list[NDArray[np.float64]] = [np.zeros(0)]
        for one in self.series:
            values = np.asarray(getattr(one, axis), np.float64)
            parts.append(values)
            if axis == "y" and one.spread is not None:
                spread = np.asarray(one.spread, np.float64)
                parts += [values - spread, values + spread]
            if axis == "y" and one.bars is not None:
                parts.append(np.ravel(one.bars))
        return _extent(np.concatenate(parts), log)


def _extent(values: Floats, log: bool) -> tuple[float, float] | None:
    shown = values[np.isfinite(values) & ((values > 0) | (not log))]
    return (float(shown.min()), float(shown.max())) if shown.size else None


def short(text: str, length: int = 28) -> str:
    """One line of at most `length` characters."""
    flat = legible(" ".join(text.split()))
    return flat if len(flat) <= length else flat[: length - 1] + "…"
