"""A plot as one inline `<svg>` element that takes its colours and font from the page.

It has no identifiers, so that any number of figures share a page. Colours are classes `s0` to
`s5` of the style sheet; series differ by marker and dash too.
"""

import math
from collections.abc import Iterator
from html import escape
from itertools import pairwise

from gradcheck.reports.figures.axis import Axis, Tick
from gradcheck.reports.figures.plot import MOST_SERIES, Plot, Series

WIDTH, HEIGHT = 320, 214
LEFT, RIGHT, TOP, BOTTOM = 60, 312, 18, 172
RADIUS = 2.4

Point = tuple[float, float]


def svg(plot: Plot) -> str:
    """The plot as text, without a namespace: it is meant for HTML."""
    x = Axis.around(plot.extent("x"), plot.x_log, LEFT, RIGHT)
    y = Axis.around(plot.extent("y"), plot.y_log, BOTTOM, TOP)
    if plot.x_names:
        x = Axis(-0.5, len(plot.x_names) - 0.5, False, LEFT, RIGHT)
        x_ticks = [Tick(place, short(name, 12)) for place, name in enumerate(plot.x_names)]
    else:
        x_ticks = x.ticks()
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(describe(plot))}">',
        f'<path class="frame" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>',
        *_ticks(x_ticks, x, y.ticks(), y),
        *_labels(plot),
        *(part for mark in plot.marks for part in _mark(mark.at, mark.label, x)),
        *(part for series in plot.series for part in _series(series, x, y)),
        "</svg>",
    ]
    return "".join(parts)


def describe(plot: Plot) -> str:
    """What the figure shows, for those who cannot see it."""
    names = ", ".join(short(series.label) for series in plot.series)
    return f"{plot.title}: {short(plot.y_label)} over {short(plot.x_label, 48)}; {names}"


def short(text: str, length: int = 28) -> str:
    """One line of at most `length` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"


def _ticks(x_ticks: list[Tick], x: Axis, y_ticks: list[Tick], y: Axis) -> Iterator[str]:
    for tick in x_ticks:
        at = f"{x.place(tick.at):.1f}"
        yield f'<path class="frame" d="M{at} {BOTTOM}v4"/>'
        yield f'<text x="{at}" y="{BOTTOM + 15}" class="mid">{escape(tick.text)}</text>'
    for tick in y_ticks:
        height = y.place(tick.at)
        yield f'<path class="grid" d="M{LEFT} {height:.1f}H{RIGHT}"/>'
        yield f'<text x="{LEFT - 5}" y="{height + 3.5:.1f}" class="end">{escape(tick.text)}</text>'


def _labels(plot: Plot) -> Iterator[str]:
    middle = (LEFT + RIGHT) / 2
    x_label, y_label = escape(short(plot.x_label, 48)), escape(short(plot.y_label))
    yield f'<text x="{middle}" y="{HEIGHT - 8}" class="mid">{x_label}</text>'
    yield f'<text transform="translate(11 {(TOP + BOTTOM) / 2}) rotate(-90)" class="mid">'
    yield f"{y_label}</text>"


def _mark(at: float, label: str, x: Axis) -> Iterator[str]:
    if not x.low <= at <= x.high:
        return
    place = x.place(at)
    side, shift = ("end", 8) if place > (LEFT + RIGHT) / 2 else ("", -8)
    yield f'<path class="mark" d="M{place:.1f} {TOP}V{BOTTOM}"/>'
    text = escape(short(label))
    yield f'<text x="{place + shift:.1f}" y="{TOP - 5}" class="{side}">{text}</text>'


def _series(series: Series, x: Axis, y: Axis) -> Iterator[str]:
    style = f"s{series.style % MOST_SERIES}" if series.style >= 0 else "ink"
    # A gap is kept as None, so that no line crosses it.
    places = [
        (x.place(a), y.place(b)) if math.isfinite(a) and math.isfinite(b) else None
        for a, b in zip(series.x, series.y, strict=True)
    ]
    yield f'<g class="{style}"><title>{escape(short(series.label, 60))}</title>'
    if series.line:
        dash = " dash" if series.dashed else ""
        yield f'<path class="line{dash}" d="{_line(places)}"/>'
    if series.spread is not None:
        bars = [
            f"M{x.place(a):.1f} {y.place(b - half):.1f}V{y.place(b + half):.1f}"
            for a, b, half in zip(series.x, series.y, series.spread, strict=True)
            if all(map(math.isfinite, (a, b, half)))
        ]
        yield f'<path class="line" d="{"".join(bars)}"/>'
    if series.marker:
        shape = _SHAPES[series.style % MOST_SERIES]
        dots = (f"M{one[0]:.1f} {one[1]:.1f}{shape}" for one in places if one)
        yield f'<path class="dot" d="{"".join(dots)}"/>'
    yield "</g>"


def _line(places: list[Point | None]) -> str:
    out = []
    pen = "M"
    for one in places:
        if one is None:
            pen = "M"
        else:
            out.append(f"{pen}{one[0]:.1f} {one[1]:.1f}")
            pen = "L"
    return "".join(out)


def _closed(*points: Point) -> str:
    """A closed outline around where the pen is."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(((0.0, 0.0), *points))]
    (x, y), rest = steps[0], steps[1:]
    return f"m{x:.1f} {y:.1f}" + "".join(f"l{a:.1f} {b:.1f}" for a, b in rest) + "z"


_R = RADIUS
_SHAPES = (
    f"m{-_R} 0a{_R} {_R} 0 1 0 {2 * _R} 0a{_R} {_R} 0 1 0 {-2 * _R} 0z",
    _closed((-_R, -_R), (_R, -_R), (_R, _R), (-_R, _R)),
    _closed((0, -1.3 * _R), (1.2 * _R, _R), (-1.2 * _R, _R)),
    _closed((0, -1.4 * _R), (1.4 * _R, 0), (0, 1.4 * _R), (-1.4 * _R, 0)),
    _closed((0, 1.3 * _R), (1.2 * _R, -_R), (-1.2 * _R, -_R)),
    # A plus sign: a bar across, then a bar down.
    _closed((-1.3 * _R, -0.7), (1.3 * _R, -0.7), (1.3 * _R, 0.7), (-1.3 * _R, 0.7))
    + f"m{1.3 * _R - 0.7:.1f} {-1.3 * _R + 0.7:.1f}h1.4v{2.6 * _R:.1f}h-1.4z",
)
