"""One testbed with every engine that ran on it as a column: verdicts, numbers and figures."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gradcheck.artifact import Basics, Cost, Physics
from gradcheck.evidence import TestbedRecord
from gradcheck.finding import WORST_FIRST, Verdict
from gradcheck.report import worst
from gradcheck.reports.choice import BEARS_ON
from gradcheck.reports.figures.plot import Plot
from gradcheck.reports.figures.scale import varies
from gradcheck.reports.number import number
from gradcheck.reports.pair import Numbered, Pair

SLOPE = ("GC201", "GC202", "GC203", "GC204")
"""The checks that judge a single slope, which the table of slopes marks."""

LEAST_SHARE = 0.25
"""Part of a common linear axis that every engine's points must fill. Below it a curve would be a
flat line, and each figure keeps axes of its own."""

DIGITS = 4


@dataclass(frozen=True)
class Verdicts:
    """One check: what it found of each engine, the worst first; none where it was not asked."""

    code: str
    cells: tuple[tuple[Numbered, ...], ...]


@dataclass(frozen=True)
class Cell:
    """A number of one engine, or words in its place, and the finding that has something against
    it. `aside`: this engine's own reference, where the engines have several."""

    text: str
    finding: Numbered | None = None
    aside: str = ""


@dataclass(frozen=True)
class Quantity:
    """One row of numbers. `reference`: that of the physics, where it is the same for all."""

    label: str
    unit: str
    reference: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Shown:
    """A figure of one engine. `anchor` is its identifier in the page."""

    anchor: str
    pair: Pair
    plot: Plot


@dataclass(frozen=True)
class Figures:
    """The same figure of several engines. `caption` is what all say; `same_axes`: as it says."""

    title: str
    codes: tuple[str, ...]
    caption: str
    same_axes: bool
    shown: tuple[Shown, ...]


@dataclass(frozen=True)
class Bed:
    """One testbed. `pairs` are its columns; `others` have nothing to show and say why."""

    anchor: str
    name: str
    record: TestbedRecord | None
    pairs: tuple[Pair, ...]
    others: tuple[Pair, ...]
    verdicts: tuple[Verdicts, ...]
    inapplicable: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    figures: tuple[Figures, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of all engines."""
        return worst(one.verdict for one in self.pairs if one.verdict is not None)


def beds(names: Sequence[str], rows: Sequence[Sequence[Pair]]) -> list[Bed]:
    """The testbeds in their order, from pairs by engine (row) and testbed (column)."""
    return [_bed(f"t{at}", name, [row[at] for row in rows]) for at, name in enumerate(names)]


def _bed(anchor: str, name: str, column: Sequence[Pair]) -> Bed:
    planned = [one for one in column if one.planned]
    pairs = tuple(one for one in planned if one.findings or one.evidence)
    verdicts, inapplicable = _verdicts(pairs)
    return Bed(
        anchor=anchor,
        name=name,
        record=next((one.evidence.testbed for one in pairs if one.evidence), None),
        pairs=pairs,
        others=tuple(one for one in planned if one not in pairs),
        verdicts=verdicts,
        inapplicable=inapplicable,
        quantities=tuple(_quantities(pairs)),
        figures=tuple(_figures(pairs)),
    )


def _verdicts(pairs: Sequence[Pair]) -> tuple[tuple[Verdicts, ...], tuple[str, ...]]:
    """A row for each check that says something, and the codes of those that say N/A of all."""
    codes = sorted({one.finding.code for pair in pairs for one in pair.findings})
    rows = [Verdicts(code, tuple(_worst_first(pair, (code,)) for pair in pairs)) for code in codes]

    def applies(row: Verdicts) -> bool:
        found = (one.finding.verdict for cell in row.cells for one in cell)
        return any(verdict is not Verdict.NOT_APPLICABLE for verdict in found)

    return tuple(filter(applies, rows)), tuple(row.code for row in rows if not applies(row))


def _worst_first(pair: Pair, codes: Sequence[str]) -> tuple[Numbered, ...]:
    found = (one for one in pair.findings if one.finding.code in codes)
    return tuple(sorted(found, key=lambda one: WORST_FIRST.index(one.finding.verdict)))


def _quantities(pairs: Sequence[Pair]) -> Iterable[Quantity]:
    """The loss, its slope by every coordinate that was compared, and what the gradient costs."""
    if not any(pair.evidence for pair in pairs):
        return
    yield _row("loss", "", [(_loss(pair), None, _true_loss(pair)) for pair in pairs])
    rows = {
        (one.input, one.label): one.unit for pair in pairs for one in pair.inputs if not one.note
    }
    places = [_places(pair) for pair in pairs]
    for (name, label), unit in rows.items():
        if any(label in place for place in places):
            yield _row(
                label,
                f"per {unit}" if unit else "",
                [_slope(pair, name, label) for pair in pairs],
            )
    if any(_ratio(pair) for pair in pairs):
        yield _row(
            "time with gradient / without", "", [(_ratio(pair), None, None) for pair in pairs]
        )


Told = tuple[str, Numbered | None, float | None]
"""A cell's text, the finding against it, and the reference."""


def _row(label: str, unit: str, told: Sequence[Told]) -> Quantity:
    references = ["" if one is None else number(one, DIGITS) for _, _, one in told]
    known = {one for one in references if one}
    same = len(known) == 1
    return Quantity(
        label=label,
        unit=unit,
        reference=known.pop() if same else "",
        cells=tuple(
            Cell(text, finding, "" if same else aside)
            for (text, finding, _), aside in zip(told, references, strict=True)
        ),
    )


def _loss(pair: Pair) -> str:
    basics = pair.evidence.get(Basics) if pair.evidence else None
    return number(basics.values[0], DIGITS) if basics and basics.values else ""


def _true_loss(pair: Pair) -> float | None:
    physics = pair.evidence.get(Physics) if pair.evidence else None
    return physics.truth_value if physics else None


def _places(pair: Pair) -> dict[str, tuple[str, int]]:
    """The input and the index of every coordinate by its label."""
    inputs = pair.evidence.testbed.inputs if pair.evidence else []
    return {label: (one.name, at) for one in inputs for at, label in enumerate(one.labels)}


def _slope(pair: Pair, name: str, label: str) -> Told:
    if any(one.note and one.input == name for one in pair.inputs):
        return "no gradient", None, None
    row = next((one for one in pair.inputs if one.label == label and not one.note), None)
    text = "" if row is None else number(row.gradient, DIGITS)
    return text, _against(pair, name, label), _reference(pair, label)


def _against(pair: Pair, name: str, label: str) -> Numbered | None:
    """The worst finding on the slope by this coordinate that is no pass."""
    for one in _worst_first(pair, SLOPE):
        said = one.finding
        place = said.where.label if said.where else None
        if said.input == name and place in (None, label):
            return one if said.verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.WARN) else None
    return None


def _reference(pair: Pair, label: str) -> float | None:
    physics = pair.evidence.get(Physics) if pair.evidence else None
    place = _places(pair).get(label)
    values = physics.reference.get(place[0], []) if physics and place else []
    return values[place[1]] if place and place[1] < len(values) else None


def _ratio(pair: Pair) -> str:
    cost = pair.evidence.get(Cost) if pair.evidence else None
    last = max(cost.rows, key=lambda row: row.steps) if cost and cost.rows else None
    return number(last.backward / last.forward) if last and last.forward else ""


def _figures(pairs: Sequence[Pair]) -> Iterable[Figures]:
    by_title: dict[str, list[Shown]] = {}
    for pair in pairs:
        for place, plot in enumerate(pair.plots):
            shown = Shown(f"{pair.anchor}-{place}", pair, plot)
            by_title.setdefault(plot.title, []).append(shown)
    for title, shown_here in by_title.items():
        plots, same = on_same_axes([one.plot for one in shown_here])
        captions = {plot.caption for plot in plots}
        yield Figures(
            title=title,
            codes=BEARS_ON.get(title, ()),
            caption=captions.pop() if len(captions) == 1 else "",
            same_axes=same,
            shown=tuple(
                replace(one, plot=plot) for one, plot in zip(shown_here, plots, strict=True)
            ),
        )


def on_same_axes(plots: Sequence[Plot]) -> tuple[list[Plot], bool]:
    """The plots on common axes, and True; as they were, and False, where that would flatten one
    of them or where they have nothing in common."""
    if len(plots) < 2:
        return list(plots), False
    kinds = {(one.x_label, one.y_label, one.x_log, one.y_log, one.x_names) for one in plots}
    ranges = []
    for axis, log in (("x", plots[0].x_log), ("y", plots[0].y_log)):
        extents = [extent for one in plots if (extent := one.extent(axis)) is not None]
        if len(extents) < len(plots) or len(kinds) > 1:
            return list(plots), False
        low, high = min(one for one, _ in extents), max(one for _, one in extents)
        # What is flat anyway loses nothing.
        widths = [end - start for start, end in extents if varies(start, end)]
        if not log and min(widths, default=math.inf) < LEAST_SHARE * (high - low):
            return list(plots), False
        ranges.append((low, high))
    return [replace(one, x_range=ranges[0], y_range=ranges[1]) for one in plots], True
