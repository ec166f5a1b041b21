"""A comparison of audits on the terminal: circumstances, what differs, what only some hold."""

from collections.abc import Sequence

from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gradcheck.changes import Cell, Changes, Kind, Row
from gradcheck.merged import Audit, Difference
from gradcheck.reports.legible import one_line
from gradcheck.verdicts import COLOURS

SHOWN = 30
NAME, VALUE = 32, 60


def render(
    audits: Sequence[Audit],
    changes: Changes,
    differences: Sequence[Difference],
    everything: bool = False,
) -> RenderableType:
    """All of it. `everything`: rows that are the same too, and no end to them."""
    verdicts, values = changes.of(Kind.VERDICT), changes.of(Kind.VALUE)
    same = changes.of(Kind.NOTHING)
    rows = [*verdicts, *values, *same] if everything else [*verdicts, *values][:SHOWN]
    parts: list[RenderableType] = [_audits(audits), _circumstances(audits, differences)]
    if rows:
        parts.append(_table(changes.columns, rows))
    more = len(verdicts) + len(values) - len(rows)
    if more > 0:
        parts.append(Text(f"… and {more} more that differ; --all shows them", "dim"))
    parts += [
        Text(f"only in {', '.join(_short(one) for one in held)}: {_place(engine, testbed)}", "dim")
        for engine, testbed, held in changes.alone[: None if everything else SHOWN]
    ]
    if not everything and len(changes.alone) > SHOWN:
        left = len(changes.alone) - SHOWN
        parts.append(Text(f"… and {left} more that not all hold; --all shows them", "dim"))
    parts.append(Text())
    counted = (
        f"different verdicts: {len(verdicts)}; different values: {len(values)}; "
        f"the same: {len(same)}"
    )
    parts.append(Text(counted, "bold" if verdicts else ""))
    return Group(*parts)


def _audits(audits: Sequence[Audit]) -> Table:
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for name in ("audit", "verdict", "counts", "started"):
        table.add_column(name)
    for audit in audits:
        summary = audit.report.summary
        table.add_row(
            Text(_short(audit.label)),
            Text(summary.verdict, COLOURS[summary.verdict]),
            Text(summary.told),
            Text(one_line(audit.report.provenance.started)),
        )
    return table


def _circumstances(audits: Sequence[Audit], differences: Sequence[Difference]) -> RenderableType:
    if not differences:
        return Text("\nsame versions, machine, seed, settings and limits\n")
    table = Table(
        box=SIMPLE, show_edge=False, pad_edge=False, title="\nNot the same", title_justify="left"
    )
    table.add_column("what")
    for audit in audits:
        table.add_column(_short(audit.label))
    for one in differences:
        table.add_row(Text(_short(one.what)), *(Text(one_line(it, VALUE)) for it in one.values))
    return table


def _table(columns: Sequence[str], rows: Sequence[Row]) -> Table:
    table = Table(
        box=SIMPLE, show_edge=False, pad_edge=False, title="\nWhat differs", title_justify="left"
    )
    for name in ("where", "check"):
        table.add_column(name)
    for column in columns:
        table.add_column(_short(column))
    for row in rows:
        check = " ".join(filter(None, (row.code, row.subject)))
        unit = f" ({one_line(row.unit)})" if row.unit else ""
        table.add_row(
            Text(_place(row.engine, row.testbed)),
            Text(f"{_short(check)}{unit}"),
            *(_cell(cell) for cell in row.cells),
        )
    return table


def _cell(cell: Cell | None) -> Text:
    return Text("absent", "dim") if cell is None else Text(cell.text, COLOURS[cell.verdict])


def _place(engine: str, testbed: str) -> str:
    return f"{_short(engine)} on {_short(testbed)}" if engine else _short(testbed)


def _short(text: str) -> str:
    return one_line(text, NAME)
