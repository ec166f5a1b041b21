"""Text as GitHub's Markdown, in which nothing that a name or message holds can be markup.

No tags, links, images, mentions, references to issues, mathematics or table cells come of it.
"""

import re

from gradcheck.reports.legible import legible, one_line

MOST_LETTERS = 600
MOST_CODE = 4000
NOTHING = "<!-- -->"
# Where GitHub makes a mention, a reference or a link of plain text, a comment parts it.
LINKED = re.compile(r"[@#](?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)")
SPECIAL = re.compile(r"[\\`*_\[\]|~]")


def prose(text: str, length: int = MOST_LETTERS) -> str:
    """Text on one line, for the middle of a line or of a table's cell."""
    flat = one_line(text, length)
    flat = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    flat = SPECIAL.sub(r"\\\g<0>", flat).replace("$", "<span>$</span>")
    return LINKED.sub(rf"\g<0>{NOTHING}", flat)


def name(text: str, cell: bool = False) -> str:
    """A name as a span of code; `cell`: in a table, where a bar would end the cell."""
    flat = one_line(text) or "(no name)"
    fence = _fence(flat, 1)
    pad = " " if "`" in flat else ""
    span = f"{fence}{pad}{flat}{pad}{fence}"
    return span.replace("|", r"\|") if cell else span


def block(code: str, language: str = "") -> str:
    """Lines of code, cut where they are endless."""
    text = legible(code).rstrip("\n")
    if len(text) > MOST_CODE:
        text = f"{text[:MOST_CODE]}\n… ({len(text)} characters; all are in report.json)"
    fence = _fence(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _fence(text: str, least: int) -> str:
    """More backticks in a row than there are in the text."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
