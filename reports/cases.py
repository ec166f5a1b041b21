"""What is the matter, one case for one engine and check, and the cases that matter most first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gradcheck.finding import Finding, Signature
from gradcheck.ranking import grouped
from gradcheck.reports.pair import Numbered

FAMILIES = {
    "GC1": "identity",
    "GC2": "agreement",
    "GC3": "horizon",
    "GC4": "contact",
    "GC5": "usefulness",
    "GC6": "cost",
    "GC7": "disclosure",
}
"""Families of checks, by the start of their codes."""

CLAUSE = re.compile(r": |; | (?=\()")
"""Where a message may be cut: before a reason, a further remark or a source."""


@dataclass(frozen=True)
class Line:
    """One message, and the findings that say it: one, or the same of several testbeds.

    `text` is the message without what all lines of the case end with.
    """

    findings: tuple[Numbered, ...]
    text: str

    @property
    def finding(self) -> Finding:
        """The one that speaks for all."""
        return self.findings[0].finding


@dataclass(frozen=True)
class Case:
    """All that one check has against one engine on one testbed, or equally on several.

    `shared` is what all lines end with, said once; `signature` the one that all of them have.
    """

    lines: tuple[Line, ...]
    shared: str
    signature: Signature | None

    @property
    def finding(self) -> Finding:
        """The worst finding."""
        return self.lines[0].finding

    @property
    def findings(self) -> list[Numbered]:
        """All findings."""
        return [one for line in self.lines for one in line.findings]

    @property
    def snippets(self) -> list[str]:
        """Scripts that show it again, each once."""
        found = (one.finding.snippet for one in self.findings)
        return list(dict.fromkeys(one for one in found if one))

    @property
    def testbeds(self) -> list[str]:
        """Where, each once."""
        return list(dict.fromkeys(one.finding.testbed for one in self.findings))


def cases(findings: Sequence[Numbered]) -> list[Case]:
    """The cases that the findings make, those that matter most first."""
    numbered = {id(one.finding): one for one in findings}
    groups: dict[tuple[str, str, str], list[Numbered]] = {}
    for group in grouped(one.finding for one in findings):
        for said in group.findings:
            key = (said.engine, said.testbed, said.code)
            groups.setdefault(key, []).append(numbered[id(said)])
    alike: dict[tuple[object, ...], list[list[Numbered]]] = {}
    for key, members in groups.items():
        messages = tuple((one.finding.verdict, one.finding.message) for one in members)
        located = any(one.finding.where or one.finding.snippet for one in members)
        engine, _, code = key
        alike.setdefault(key if located else (engine, code, messages), []).append(members)
    return [_case(same) for same in alike.values()]


def family(code: str) -> str:
    """The family of a check, such as GC2."""
    return code[:3]


def _case(groups: list[list[Numbered]]) -> Case:
    texts, shared = _ending([one.finding.message for one in groups[0]])
    lines = tuple(
        Line(members, text) for members, text in zip(zip(*groups, strict=True), texts, strict=True)
    )
    signatures = {line.finding.signature for line in lines}
    return Case(lines, shared, signatures.pop() if len(signatures) == 1 else None)


def _ending(messages: Sequence[str]) -> tuple[list[str], str]:
    """Messages without the clauses with which all of them end, and those clauses."""
    if len(messages) < 2:
        return list(messages), ""
    common = 0
    while all(len(one) > common for one in messages) and (
        len({one[-1 - common] for one in messages}) == 1
    ):
        common += 1
    first = messages[0]
    cut = next(
        (at for at in CLAUSE.finditer(first) if at.start() >= max(len(first) - common, 1)), None
    )
    if cut is None or any(len(one) <= len(first) - cut.start() for one in messages):
        return list(messages), ""
    length = len(first) - cut.start()
    return [one[:-length] for one in messages], first[cut.end() :]
