"""What the gate says in GitHub Actions: annotations on the pull request, and a step's summary.

Workflow commands are lines of standard output that begin with `::`, or hold `##[` anywhere: what
names and messages hold must not become one. Escapes as in the Actions toolkit's `core.error`.
"""

from collections.abc import Iterable

from gradcheck.gate import GateResult
from gradcheck.gate_line import Level, Line
from gradcheck.reports.github import name, prose

SHOWN = 10
"""Annotations of each level that GitHub takes from one step; it drops the others silently."""

SUMMARISED = 30
COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}
DATA = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
PROPERTY = (*DATA, (":", "%3A"), (",", "%2C"))


def annotations(result: GateResult) -> list[str]:
    """Workflow commands, at most ten of a level, and a line where there are more."""
    out = []
    for level in Level:
        lines = [line for line in result.lines if line.level is level]
        out += [_command(line) for line in lines[:SHOWN]]
        if len(lines) > SHOWN:
            out.append(f"{SHOWN} of {len(lines)} {level}s are annotated: GitHub takes no more")
    return out


def harmless(text: str) -> str:
    """One line of log in which nothing is a workflow command."""
    return text.replace("##[", "##\u200b[") if not text.lstrip().startswith("::") else f"|{text}"


def summary(result: GateResult, against: str) -> str:
    """The step's summary in Markdown: the outcome and what led to it."""
    lines = [line for line in result.lines if line.level is not Level.NOTE]
    lines += [line for line in result.lines if line.level is Level.NOTE]
    out = [f"### gradcheck gate: {prose(str(result))}", "", f"Against {name(against)}.", ""]
    out += [_item(line) for line in lines[:SUMMARISED]]
    if len(lines) > SUMMARISED:
        out.append(f"- … and {len(lines) - SUMMARISED} more in the step's log")
    return "\n".join(out) + "\n\n"


def _command(line: Line) -> str:
    title = _escaped(f"gradcheck {line.title}".rstrip(), PROPERTY)
    return f"::{COMMANDS[line.level]} title={title}::{_escaped(line.text, DATA)}"


def _item(line: Line) -> str:
    place = f" {prose(line.title)}:" if line.title else ""
    return f"- **{line.level}**{place} {prose(line.text)}"


def _escaped(text: str, table: Iterable[tuple[str, str]]) -> str:
    for raw, escape in table:
        text = text.replace(raw, escape)
    return text
