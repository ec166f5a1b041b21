"""The report as GitHub's Markdown: a comment on a pull request, or the summary of a CI step.

It fits a comment. What is least needed is left out first, and a line says how much that is.
"""

from collections.abc import Sequence

from gradcheck.finding import Verdict
from gradcheck.report import Report
from gradcheck.reports.badge import WORDS, headline, meaning
from gradcheck.reports.github import block, name, prose
from gradcheck.reports.pair import Numbered, Pair, pairs
from gradcheck.reports.wording import (
    ATTENTION,
    Group,
    LeftOut,
    groups,
    heading,
    left_out,
    measured_text,
)

LIMIT = 65536
"""Characters of a comment on GitHub; here of bytes, which are never fewer."""

RESERVE = 400
"""Bytes for the line that tells what was left out."""

MOST_PLACES = 10
SYMBOLS: dict[Verdict | None, str] = {
    Verdict.FAIL: "❌",
    Verdict.ERROR: "⛔",
    Verdict.WARN: "⚠️",
    Verdict.PASS: "✅",
    Verdict.NOT_APPLICABLE: "➖",
    None: "",
}


class Room:
    """How many bytes are left."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def take(self, text: str) -> bool:
        """Whether there is room for the text, which is then taken."""
        size = len(text.encode()) + len("\n\n")
        fits = size <= self.left
        self.left -= size if fits else 0
        return fits


def markdown(report: Report, limit: int = LIMIT) -> str:
    """The report as text of at most `limit` bytes."""
    room = Room(limit - RESERVE)
    head = _head(report)
    room.take(head)
    parts = [head]
    lost: list[str] = []

    def add(text: str, called: str) -> None:
        if text and room.take(text):
            parts.append(text)
        elif text:
            lost.append(called)

    add(_matrix(report), "the table of verdicts")
    again = _again(report)
    kept_again = room.take(again)
    bad = groups(one for one in report.findings if one.verdict in ATTENTION)
    shown = [one for one in bad if room.take(_line(one, report))]
    details = {id(one): _details(one, report) for one in shown}
    # Taken only now: that a finding is named comes before how another one is reproduced.
    detailed = {id(one) for one in shown if details[id(one)] and room.take(details[id(one)])}
    for one in shown:
        parts.append(_line(one, report))
        if id(one) in detailed:
            parts.append(details[id(one)])
    add(_not_run(left_out(report)), "what was not run")
    if kept_again:
        parts.append(again)
    if len(shown) < len(bad):
        lost.insert(0, f"{len(bad) - len(shown)} of {len(bad)} findings")
    if unsaid := sum(bool(text) for text in details.values()) - len(detailed):
        lost.append(f"place, cure and script of {unsaid} more")
    if lost:
        parts.append(f"_Left out here for length: {'; '.join(lost)}. All is in report.json._")
    return "\n\n".join(parts) + "\n"


def _head(report: Report) -> str:
    summary = report.summary
    word = str(summary.verdict) if summary.measured else "NOT MEASURED"
    counts = " · ".join(
        f"{SYMBOLS[verdict]} {count} {WORDS[verdict]}" for verdict, count in summary.counts.items()
    )
    return (
        f"## {SYMBOLS[summary.verdict]} gradcheck: {word}: {headline(report)}\n\n"
        f"{meaning(report)}\n\n{counts}"
    )


def _matrix(report: Report) -> str:
    summary = report.summary
    if not summary.engines or not summary.testbeds:
        return ""
    findings = [Numbered("", one) for one in report.findings]
    rows = [
        ["engine", *(name(testbed, cell=True) for testbed in summary.testbeds)],
        ["---"] * (len(summary.testbeds) + 1),
        *(
            [name(engine, cell=True), *map(_cell, row)]
            for engine, row in zip(summary.engines, pairs(report, findings), strict=True)
        ),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(pair: Pair) -> str:
    if pair.verdict is None:
        return "" if pair.note == "not planned" else "unsupported"
    more = len(pair.codes) - 3
    codes = " ".join(pair.codes[:3]) + (f" +{more}" if more > 0 else "")
    said = codes or prose(pair.note.split(":")[0], 40)
    return f"{SYMBOLS[pair.verdict]} {WORDS[pair.verdict]}" + (f" {said}" if said else "")


def _line(group: Group, report: Report) -> str:
    first = group.first
    title = heading(first, report)
    return (
        f"{SYMBOLS[first.verdict]} **{first.verdict} {prose(first.code, 40)}"
        f"{f' {prose(title)}' if title else ''}**  \n"
        f"{name(first.engine)} on {_names(group.testbeds)}: {prose(first.message)}"
    )


def _details(group: Group, report: Report) -> str:
    """What is folded away: signature, value, place, cure and script."""
    first = group.first
    text = report.checks.get(first.code)
    cure = text.cure if text else ""
    lines = [
        f"**Signature:** {prose(first.signature)}." if first.signature else "",
        f"**Measured:** {prose(measured_text(first))}." if first.value is not None else "",
        f"**Located at:** {prose(group.places[0])}." if group.places else "",
        f"**Cure:** {prose(cure, 1500)}" if cure else "",
        block(group.snippets[0], "python") if group.snippets else "",
    ]
    told = [line for line in lines if line]
    what = "Place, cure and a script that reproduces it" if group.snippets else "Place and cure"
    return _folded(what, told) if told else ""


def _not_run(rows: Sequence[LeftOut]) -> str:
    if not rows:
        return ""
    table = ["| engine | why | what |", "| --- | --- | --- |"]
    table += [
        f"| {name(one.engine, cell=True)} | {prose(one.reason)}"
        f"{' **(a fault)**' if one.error else ''} | {_names(one.places, cell=True)} |"
        for one in rows
    ]
    return _folded(f"What was not run, and why ({len(rows)})", ["\n".join(table)])


def _again(report: Report) -> str:
    """How to run it again, and on what it ran."""
    told = report.provenance
    versions = ", ".join(f"{library} {version}" for library, version in told.versions.items())
    machine = f"{told.platform}, {told.cores} cores, {told.device}, Python {told.python}"
    facts = f"{versions}; {machine}; seed {told.seed}; profile {told.profile}; {told.started}"
    return _folded("How to reproduce", [block(told.command, "sh"), prose(facts, 1500)])


def _folded(title: str, parts: Sequence[str]) -> str:
    inside = "\n\n".join(parts)
    return f"<details><summary>{title}</summary>\n\n{inside}\n\n</details>"


def _names(names: Sequence[str], cell: bool = False) -> str:
    more = len(names) - MOST_PLACES
    shown = ", ".join(name(one, cell) for one in names[:MOST_PLACES])
    return f"{shown} and {more} more" if more > 0 else shown
