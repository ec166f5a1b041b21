"""The experiment of the cells, as tables for the terminal and the page."""

from collections.abc import Iterator

from rich.table import Table

from gradcheck.experiments.cells_record import Cells, Row
from gradcheck.taxonomy import Referent

HEAD = ("engine", "keeps", "k", "T", *(f"against {one}" for one in Referent), "memory", "time")


def table(found: Cells) -> Table:
    """All rows."""
    out = Table(title="Error of each gradient, per typical change, of the largest slope")
    for name in HEAD:
        out.add_column(name, overflow="fold")
    for row in found.rows:
        out.add_row(*cells(row))
    return out


def cells(row: Row) -> tuple[str, ...]:
    """A row as text; an error below its reference's uncertainty is told as that."""
    head = row.engine, row.keep, str(row.iterations), str(row.steps)
    if row.outcome != "measured":
        return (*head, row.outcome, "", "", "", "")
    errors = []
    for referent in Referent:
        error = row.errors.get(referent)
        if error is None:
            errors.append("not known")
        elif error.value <= error.floor:
            errors.append(f"< {error.floor:.0e}")
        else:
            errors.append(f"{error.value:.1e}")
    memory = "not told" if row.memory is None else f"{row.memory / 1024:.0f} KiB"
    return (*head, *errors, memory, f"{row.backward * 1e3:.1f} ms")


def fronts(found: Cells) -> Table:
    """Which rows no other beats in error and in memory both, for each reference."""
    out = Table(title="Beaten by no other of the same k and T, in error and in memory both")
    for name in ("against", *HEAD[:4], "error", "memory"):
        out.add_column(name, overflow="fold")
    for line in front_lines(found):
        out.add_row(*line)
    return out


def front_lines(found: Cells) -> Iterator[tuple[str, ...]]:
    """Lines of that table."""
    for referent in Referent:
        for row in found.front(referent):
            text = cells(row)
            place = 4 + list(Referent).index(referent)
            yield (str(referent), *text[:4], text[place], text[7])
