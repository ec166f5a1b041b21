"""A page of the catalogue of methods, from its data."""

from collections.abc import Iterable

from gradcheck.methods import UNKNOWN, Family, Knowledge, Method, by_cell, by_reason, methods
from gradcheck.taxonomy import TABLE_COLUMNS, TABLE_ROWS
from tests.docs.markdown import escaped, table

HEAD = """# Published methods

Differentiable simulation methods and engines, each in the 3x3 table of [theory](theory.md): *what*
is differentiated against *how*. `gradcheck list methods` prints the same in a terminal, and a
report shows them beside the engines that it measured.

A row says what its source says, at the place that it names, and nothing more: what was not found
there is "unknown". How a row is known:

- **measured here**: an engine of `gradcheck list engines`, audited by this repository;
- **read**: in the paper, documentation or code, at the place named;
- **stated**: by the authors; only an abstract or a README was open, and the row says so.

Only the first kind is a measurement. A released engine may differ from the version that was read,
and [an audit](tutorial.md) finds out.

A derivative by the implicit function theorem, or by another linear system solved for the adjoint,
stands under *equation-level adjoint* as long as the derivatives of the model that enter it are made
by a tool or given by the user, and under *custom adjoint* where those are written by hand too.
"""
NOTE = """
To add one, write a table in `gradcheck/methods.toml`, run `python -m tests.docs.write`, and send a
pull request: every row needs a source that you opened, and the place in it.
"""
SHORT = {Knowledge.MEASURED: "measured here", Knowledge.READ: "read", Knowledge.STATED: "stated"}
COLUMNS = ("method", "simulates", "differentiated", "states", "contact", "held constant", "known")


def row(one: Method) -> tuple[str, ...]:
    """One line of a family's table."""
    name = f"**{escaped(one.name)}**" + (f" ({one.year})" if one.year else "")
    note = f" *{escaped(one.note)}*" if one.note else ""
    source = one.source if not one.source.startswith("https://") else f"<{one.source}>"
    return (
        name,
        escaped(one.simulates) + "." + note,
        one.differentiates,
        one.retention or UNKNOWN,
        one.contact or UNKNOWN,
        escaped(one.held),
        f"{SHORT[one.knowledge]}: {source}, {escaped(one.place)}",
    )


def names(some: Iterable[Method]) -> str:
    """The methods of one cell, as one text."""
    return "; ".join(escaped(one.name) for one in some) or "none found"


def pages() -> dict[str, str]:
    """The page by its path in docs/."""
    every = methods()
    grid = [
        (f"**{referent}**", *(names(some) for some in cells))
        for referent, cells in zip(TABLE_ROWS, by_cell(every), strict=True)
    ]
    others = [(why, names(some)) for why, some in by_reason(every).items()]
    parts = [HEAD, "\n## The table\n\n", table(("", *TABLE_COLUMNS), grid)]
    parts += ["\nWithout a cell:\n\n", table(("why", "methods"), others)]
    for family in Family:
        rows = [row(one) for one in every if one.family is family]
        parts.append(f"\n## {str(family)[0].upper()}{family[1:]}\n\n{table(COLUMNS, rows)}")
    return {"methods.md": "".join([*parts, NOTE])}
