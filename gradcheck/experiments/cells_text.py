"""The experiment of the cells as lines of text: what the terminal and the page both show."""

from collections.abc import Iterator

from gradcheck.experiments.cells_answer import front, size
from gradcheck.experiments.cells_record import Cells, Row
from gradcheck.taxonomy import Referent

HEAD = ("engine", "keeps", "k", "T", *(f"against {one}" for one in Referent), "memory", "time")
FRONT_HEAD = ("against", *HEAD[:4], "error", "memory", "time")
FRONT = "Beaten by no other of the same k and T, in error and in memory both"
ALL = "All rows"
NOT_KNOWN = "not known"


def cells(row: Row) -> tuple[str, ...]:
    """A row as text."""
    head = row.engine, row.keep, str(row.iterations), str(row.steps)
    if not row.measured:
        return (*head, row.outcome, "", "", "", "")
    memory = "not told" if row.memory is None else size(row.memory)
    return (*head, *(error(row, one) for one in Referent), memory, seconds(row))


def error(row: Row, referent: Referent) -> str:
    """Median and worst; one below its reference's uncertainty is told as that."""
    found = row.errors.get(referent)
    if found is None:
        return NOT_KNOWN
    if found.worst <= found.floor:
        return f"< {found.floor:.0e}"
    middle, worst = f"{found.median:.1e}", f"{found.worst:.1e}"
    return middle if middle == worst else f"{middle} to {worst}"


def seconds(row: Row) -> str:
    """Time of a gradient and what it may change by."""
    if row.backward is None or row.backward_spread is None:
        return ""
    return f"{row.backward * 1e3:.1f} ± {row.backward_spread * 1e3:.1f} ms"


def front_lines(found: Cells) -> Iterator[tuple[str, ...]]:
    """Lines of the table of those that no other beats."""
    for referent in Referent:
        for row in sorted(front(found, referent), key=_by_place):
            text = cells(row)
            yield (str(referent), *text[:4], error(row, referent), *text[-2:])


def _by_place(row: Row) -> tuple[int, int, float]:
    return row.steps, row.iterations, row.memory or 0.0


def notes(found: Cells) -> list[str]:
    """Why what is not known is not, each reason once; and how errors were taken."""
    reasons: dict[tuple[Referent, str], list[Row]] = {}
    for row in found.rows:
        for referent, why in row.unknown.items():
            reasons.setdefault((referent, why), []).append(row)
    every = {row.engine for row in found.rows}
    count = len(found.seeds)
    points = (
        "at the testbed's own inputs"
        if count == 1
        else f"the median and, where it is another, the worst of {count} points: the testbed's own "
        f"inputs, and others within a typical change of them (seeds {_listed(found.seeds[1:])})"
    )
    lines = [
        f"Errors are per typical change of each input, of the reference's largest slope; {points}."
    ]
    for (referent, why), rows in reasons.items():
        places = sorted({(row.iterations, row.steps) for row in rows})
        where = ", ".join(f"k = {k}, T = {steps}" for k, steps in places)
        whose = sorted({row.engine for row in rows})
        of = "" if len(whose) == len(every) else f" of {', '.join(whose)}"
        lines.append(f"Not known{of} against the {referent} at {where}: {why}.")
    if any(row.measured for row in found.rows) and all(row.memory is None for row in found.rows):
        lines.append(
            "No engine tells its memory (Ability.MEMORY): none beats another in error and in "
            "memory both."
        )
    return lines


def _listed(seeds: list[int]) -> str:
    return ", ".join(map(str, seeds))
