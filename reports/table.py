"""The 3x3 table of referents and realizations: the engines in their cells, and beside them the
published methods of the catalogue."""

from dataclasses import dataclass

from gradcheck.engine import EngineCard
from gradcheck.finding import Verdict
from gradcheck.methods import Method, by_cell, by_reason, methods, why_outside
from gradcheck.report import Report, worst
from gradcheck.reports.observed import Observed, observed
from gradcheck.taxonomy import TABLE_COLUMNS, TABLE_ROWS, cell

REFERENT = "GC101"


@dataclass(frozen=True)
class Entry:
    """An engine in the table: its anchor, whether it stands there as stated or as observed, and,
    of the stated one, whether the measurement bears its referent out."""

    anchor: str
    engine: str
    said: str
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Cell:
    """What stands in one place of the table: engines of this report, and published methods."""

    engines: tuple[Entry, ...] = ()
    published: tuple[Method, ...] = ()


@dataclass(frozen=True)
class Table:
    """Cells [row][column], and what is outside: by other methods, or not stated."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    outside: tuple[tuple[str, Cell], ...]


def cards(report: Report) -> dict[str, EngineCard]:
    """The card of every engine that gave one."""
    return {one.engine: one.card for one in report.evidence}


def table(report: Report) -> Table:
    """Where each engine's card and the measurements put it, and each method of the catalogue."""
    cells: dict[tuple[int, int], list[Entry]] = {}
    outside: dict[str, list[Entry]] = {}
    known = cards(report)
    for index, engine in enumerate(report.summary.engines):
        found = [
            one.verdict for one in report.findings if one.engine == engine and one.code == REFERENT
        ]
        judged = worst(found)
        verdict = None if judged is Verdict.NOT_APPLICABLE else judged
        entry = Entry(f"e{index}", engine, "stated", verdict)
        card = known.get(engine)
        place = cell(card.referent, card.realization) if card else None
        if place is not None:
            cells.setdefault(place, []).append(entry)
        else:
            outside.setdefault(_why(card), []).append(entry)
        if card is not None:
            _place(observed(report, engine), f"e{index}", engine, cells, outside)
    published = by_cell(methods())
    others = by_reason(methods())
    return Table(
        columns=tuple(TABLE_COLUMNS),
        rows=tuple(
            (
                str(name),
                tuple(
                    Cell(tuple(cells.get((row, column), ())), published[row][column])
                    for column in range(len(TABLE_COLUMNS))
                ),
            )
            for row, name in enumerate(TABLE_ROWS)
        ),
        outside=tuple(
            (why, Cell(tuple(outside.get(why, ())), others.get(why, ())))
            for why in {**outside, **others}
        ),
    )


def _place(
    seen: Observed,
    anchor: str,
    engine: str,
    cells: dict[tuple[int, int], list[Entry]],
    outside: dict[str, list[Entry]],
) -> None:
    """Enter an engine where the measurements put it: in several cells where the column is open."""
    if seen.missing or not seen.referents:
        outside.setdefault(seen.missing, []).append(Entry(anchor, engine, "observed"))
        return
    places = [cell(seen.referents[0], one) for one in seen.realizations or ()]
    said = "observed" if len(places) == 1 else f"observed, 1 of {len(places)}"
    for place in places:
        if place is not None:
            cells.setdefault(place, []).append(Entry(anchor, engine, said))


def _why(card: EngineCard | None) -> str:
    if card is None:
        return "card not read: the engine was not run"
    return why_outside(card.referent, card.realization)
