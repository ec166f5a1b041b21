"""The 3x3 table of referents and realizations: the engines in their cells, and beside them the
published methods of the catalogue."""

from dataclasses import dataclass

from gradcheck.engine import EngineCard
from gradcheck.finding import Verdict
from gradcheck.methods import Method, by_cell, by_reason, methods, why_outside
from gradcheck.report import Report, worst
from gradcheck.taxonomy import TABLE_COLUMNS, TABLE_ROWS, cell

REFERENT = "GC101"


@dataclass(frozen=True)
class Entry:
    """An engine in the table: its anchor, and whether the measurement bears its referent out."""

    anchor: str
    engine: str
    verdict: Verdict | None


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
    """Where each engine's card puts it, and each method of the catalogue its row."""
    cells: dict[tuple[int, int], list[Entry]] = {}
    outside: dict[str, list[Entry]] = {}
    known = cards(report)
    for index, engine in enumerate(report.summary.engines):
        found = [
            one.verdict for one in report.findings if one.engine == engine and one.code == REFERENT
        ]
        judged = worst(found)
        entry = Entry(f"e{index}", engine, None if judged is Verdict.NOT_APPLICABLE else judged)
        card = known.get(engine)
        place = cell(card.referent, card.realization) if card else None
        if place is not None:
            cells.setdefault(place, []).append(entry)
        else:
            outside.setdefault(_why(card), []).append(entry)
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


def _why(card: EngineCard | None) -> str:
    if card is None:
        return "card not read: the engine was not run"
    return why_outside(card.referent, card.realization)
