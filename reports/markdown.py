"""The report as GitHub's Markdown: a comment on a pull request, or the summary of a CI step.

It fits a comment. What is least needed is left out first, and a line says how much that is.
"""

from collections.abc import Sequence

from gradcheck.finding import Finding, Verdict
from gradcheck.report import Report
from gradcheck.reports.badge import WORDS, headline, meaning
from gradcheck.reports.github import block, name, prose
from gradcheck.reports.pair import Numbered, Pair, pairs
from gradcheck.reports.wording import (
    ATTENTION,
    Group,
    LeftOut,
    Topic,
    groups,
    heading,
    left_out,
    measured_text,
    topics,
)

LIMIT = 65536
"""Characters of a comment on GitHub; here of bytes, which are never fewer."""

RESERVE = 1500
"""Bytes for the line that tells what was left out."""

MOST_LOST = 300
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
    """How many bytes are left, and what found none."""

    def __init__(self, limit: int) -> None:
        self.left = limit
        self.lost: list[str] = []

    def take(self, text: str) -> bool:
        """Whether there is room for the text, which is then taken."""
        size = len(text.encode()) + len("\n\n")
        fits = size <= self.left
        self.left -= size if fits else 0
        return fits

    def keep(self, text: str, called: str) -> str:
        """The text, or nothing where there is no room for it, which is then told."""
        if not text or self.take(text):
            return text
        self.lost.append(called)
        return ""


def markdown(report: Report, limit: int = LIMIT) -> str:
    """The report as text of at most `limit` bytes."""
    room = Room(limit - RESERVE)
    head = _head(report)
    room.take(head)
    table = room.keep(_matrix(report), "the table of verdicts")
    again = room.keep(_again(report), "how to reproduce it")
    bad = groups(one for one in report.findings if one.verdict in ATTENTION)
    shown = topics(_fitting(bad, room, report))
    count = sum(len(one.groups) for one in shown)
    if count < len(bad):
        room.lost.append(f"{len(bad) - count} of {len(bad)} findings")
    # Only now: that a finding is told comes before how another one is cured and reproduced.
    folds = [
        room.keep(_details(one, report), f"the cure of {prose(one.first.code, 20)}")
        for one in shown
    ]
    body = [
        part for one, fold in zip(shown, folds, strict=True) for part in (_topic(one, report), fold)
    ]
    left = room.keep(_not_run(left_out(report)), "what was not run")
    parts = [part for part in (head, table, *body, left, again) if part]
    if room.lost:
        lost = "; ".join(dict.fromkeys(room.lost))
        parts.append(f"_Left out here for length: {lost[:MOST_LOST]}. All is in report.json._")
    return "\n\n".join(parts) + "\n"


def _fitting(bad: Sequence[Group], room: Room, report: Report) -> list[Group]:
    """The groups that there is room for. Those of one topic share its heading."""
    headed: set[str] = set()
    fitting = []
    for one in bad:
        title, bullet = _title(one.first, report), _bullet(one)
        if room.take(bullet if title in headed else f"{title}\n\n{bullet}"):
            headed.add(title)
            fitting.append(one)
    return fitting


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


def _title(finding: Finding, report: Report) -> str:
    title = f"{finding.verdict} {finding.code} {heading(finding, report)}".rstrip()
    return f"{SYMBOLS[finding.verdict]} **{prose(title)}** {name(finding.engine)}"


def _bullet(group: Group) -> str:
    return f"- {_names(group.testbeds)}: {prose(group.first.message)}"


def _topic(topic: Topic, report: Report) -> str:
    bullets = "\n".join(map(_bullet, topic.groups))
    return f"{_title(topic.first, report)}\n\n{bullets}"


def _details(topic: Topic, report: Report) -> str:
    """What is folded away: the cure, and of every group signature, value, place and script."""
    text = report.checks.get(topic.first.code)
    told = [f"**Cure:** {prose(text.cure, 1500)}"] if text and text.cure else []
    for group in topic.groups:
        first = group.first
        facts = [
            f"{first.signature}" if first.signature else "",
            f"measured {measured_text(first)}" if first.value is not None else "",
            f"located at {group.places[0]}" if group.places else "",
        ]
        said = "; ".join(fact for fact in facts if fact)
        if said:
            told.append(f"{_names(group.testbeds)}: {prose(said)}.")
        if group.snippets:
            told.append(block(group.snippets[0], "python"))
    scripts = any(group.snippets for group in topic.groups)
    what = "Cure, place, and scripts that reproduce it" if scripts else "Cure and place"
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
