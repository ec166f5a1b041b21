"""A check in its own words, read from the sections of its docstring."""

import inspect
import re
import textwrap

from gradcheck.checks.check import AbstractCheck
from gradcheck.report import CheckText

SECTIONS = (
    "What it measures",
    "Why it matters",
    "Failing example",
    "Cure",
    "Limits",
    "References",
)


def sections(check: type[AbstractCheck]) -> dict[str, str]:
    """The text of each section by its heading; the paragraph before the first is under ''."""
    heading = re.compile(rf"\W*({'|'.join(SECTIONS)})\W*")
    found: dict[str, list[str]] = {"": []}
    current = ""
    for line in (inspect.getdoc(check) or "").splitlines():
        if match := heading.fullmatch(line):
            current = match[1]
            found[current] = []
        elif not re.fullmatch(r"[-=~]{3,}", line.strip()):
            found[current].append(line)
    return {name: textwrap.dedent("\n".join(lines)).strip() for name, lines in found.items()}


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a section, each on one line, except code, which stands as it is."""
    found = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        code = any(line.startswith("    ") for line in lines) or "#" in block
        found.append(block if code else " ".join(line.strip() for line in lines))
    return [one for one in found if one]


def check_text(check: type[AbstractCheck]) -> CheckText:
    """What a report says of a check."""
    text = sections(check)
    limit = check.limit
    return CheckText(
        code=check.code,
        title=check.title,
        failure_title=check.failure_title,
        error_title=check.error_title,
        warning_title=check.warning_title,
        measures=text.get("What it measures", ""),
        why=text.get("Why it matters", ""),
        cure=text.get("Cure", ""),
        limit="" if limit is None else f"{limit.value:g} {limit.unit}: {limit.why}",
    )
