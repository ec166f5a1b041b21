"""Plain text of the code as Markdown: nothing in it is markup by accident, references are links."""

import re
from collections.abc import Iterable

ARXIV = re.compile(r"arXiv (\d{4}\.\d{5})")
CODE = re.compile(r"\bGC\d{3}\b")


def escaped(text: str) -> str:
    """Text in which only `code` between backticks is markup."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if index % 2 else re.sub(r"([\\*_\[\]])", r"\\\1", part).replace("<", "&lt;")
        for index, part in enumerate(parts)
    )


def linked(text: str, checks: dict[str, str]) -> str:
    """Escaped text with papers and checks as links. `checks`: the page of each code."""
    text = ARXIV.sub(r"[arXiv \1](https://arxiv.org/abs/\1)", text)
    return CODE.sub(
        lambda found: f"[{found[0]}]({checks[found[0]]})" if found[0] in checks else found[0], text
    )


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table, with a line end."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(map(cell, line)) + " |\n" for line in lines)
