"""The experiment of the cells as tables for the terminal."""

from collections.abc import Iterable, Sequence

from rich.table import Table

from gradcheck.experiments import cells_text as text
from gradcheck.experiments.cells_record import Cells


def table(found: Cells) -> Table:
    """All rows."""
    return _table(text.ALL, text.HEAD, map(text.cells, found.rows))


def fronts(found: Cells) -> Table:
    """Which rows no other beats in error and in memory both, for each reference."""
    return _table(text.FRONT, text.FRONT_HEAD, text.front_lines(found))


def _table(title: str, head: Sequence[str], lines: Iterable[tuple[str, ...]]) -> Table:
    out = Table(title=title)
    for name in head:
        out.add_column(name, overflow="fold")
    for line in lines:
        out.add_row(*line)
    return out
