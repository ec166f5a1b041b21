"""What `gradcheck list` and `gradcheck explain` print. Imports what it lists when it lists it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from gradcheck.methods import Method


def engines() -> "RenderableType":
    """The engines that the project's configuration names; every other one by name, with its card;
    those whose library is absent, with the cure; and the faults planted on right engines, for
    testing the audit itself. No code of the user's is run."""
    from rich.console import Group
    from rich.text import Text

    from gradcheck import config, registry
    from gradcheck.engine import BadInput, Unsupported
    from gradcheck.engines.faulty_table import FAULTS

    table = _table("engine", "referent", "realization", "contact")
    absent: list[Text] = []
    faults = _table("engine", "planted fault")
    for name in registry.engine_names():
        if name.startswith("faulty:"):
            faults.add_row(name, FAULTS[name.removeprefix("faulty:")].summary)
            continue
        try:
            card = registry.engine(name).card
        except (Unsupported, BadInput) as error:
            absent.append(Text(f"{name} is not available: {error}"))
            continue
        stated = (card.referent, card.realization, card.contact)
        table.add_row(name, *(str(one) if one else "not stated" for one in stated))
    project = config.find()
    named = _table(f"engine of {project.file.name if project.file else ''}", "made of", "Python")
    for name, said in project.engines.items():
        named.add_row(name, said.target or name, said.python or "")
    return Group(*([named] if project.engines else []), table, *absent, faults)


def testbeds() -> "Table":
    """Every built-in testbed, with its question."""
    from gradcheck import registry

    table = _table("testbed", "family", "question")
    for name in registry.testbed_names():
        testbed = registry.testbed(name)
        table.add_row(name, testbed.family, testbed.question)
    return table


def checks() -> "Table":
    """Every check by code."""
    from gradcheck.checks import CHECKS

    table = _table("code", "name", "what it claims")
    for check in CHECKS:
        table.add_row(check.code, check.name, check.title)
    return table


def methods() -> "RenderableType":
    """The catalogue of published methods: how many stand in each cell of the 3x3 table, and by
    family what each differentiates, how, and where that is written."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    from gradcheck.methods import Family, by_cell, by_reason
    from gradcheck.methods import methods as every
    from gradcheck.taxonomy import TABLE_COLUMNS, TABLE_ROWS

    counts = _table("methods that differentiate the", *(f"by {one}" for one in TABLE_COLUMNS))
    for referent, cells in zip(TABLE_ROWS, by_cell(every()), strict=True):
        counts.add_row(referent, *(str(len(some)) for some in cells))
    for why, some in by_reason(every()).items():
        counts.add_row(f"({why})", str(len(some)))
    parts: list[RenderableType] = [counts]
    for family in Family:
        parts.append(Text(f"\n{family}", "bold underline"))
        for one in every():
            if one.family is family:
                year = f" ({one.year})" if one.year else ""
                known = [f"{one.knowledge}:", one.source, one.place]
                said = Text("\n".join([*_stated(one), *known]))
                name = Text(f"\n{one.name}{year}", "bold")
                parts += [name, Padding(said, (0, 0, 0, 4), expand=False)]
    return Group(*parts)


def _stated(one: "Method") -> list[str]:
    """The lines of a method that say what its gradient is."""
    from gradcheck.methods import UNKNOWN

    lines = [
        one.simulates,
        one.differentiates,
        f"states: {one.retention or UNKNOWN}; contact: {one.contact or UNKNOWN}; "
        f"held constant: {one.held}",
    ]
    return [*lines, one.note] if one.note else lines


def explanation(code: str) -> "RenderableType":
    """The sections of a check's docstring. Raises `BadInput` for an unknown code."""
    from rich.console import Group
    from rich.text import Text

    from gradcheck.checks import by_code
    from gradcheck.explanation import paragraphs, sections

    check = by_code(code)
    parts = [Text(f"{check.code} {check.name}: {check.title}", "bold")]
    for heading, text in sections(check).items():
        if heading:
            parts.append(Text(f"\n{heading}", "bold"))
        parts += [Text(paragraph) for paragraph in paragraphs(text)]
    if check.limit is not None:
        limit = f"{check.limit.value:g} {check.limit.unit}".strip()
        parts.append(Text(f"\nThe limit is {limit}: {check.limit.why}"))
    return Group(*parts)


def _table(*columns: str) -> "Table":
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE)
    for index, column in enumerate(columns):
        table.add_column(column, no_wrap=index == 0)
    return table
