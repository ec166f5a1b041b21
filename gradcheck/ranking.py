"""Findings in the order in which one wants to read them, those that belong together as one."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from gradcheck.finding import WORST_FIRST, Finding, Verdict

# A wrong gradient explains most of what else is seen, so it is read first; then what no gradient
# can cure, then whether a right one is useful, what it claims to be, costs, and discloses.
FAMILIES = ("GC2", "GC3", "GC4", "GC5", "GC1", "GC6", "GC7")


@dataclass(frozen=True)
class Group:
    """One check's findings of one verdict on one engine and testbed, the worst first."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that speaks for all."""
        return self.findings[0]


def grouped(findings: Iterable[Finding]) -> list[Group]:
    """Groups in the order of reading: verdict, family of the check, code, severity."""
    groups: dict[tuple[str, str, str, Verdict], list[Finding]] = {}
    for one in findings:
        groups.setdefault((one.engine, one.testbed, one.code, one.verdict), []).append(one)
    made = [Group(tuple(sorted(group, key=_mildness))) for group in groups.values()]
    return sorted(made, key=lambda group: _order(group.first))


def rank(code: str) -> int:
    """How early findings of that check are read."""
    family = code[:3]
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)


def _order(finding: Finding) -> tuple[int, int, str, float]:
    return WORST_FIRST.index(finding.verdict), rank(finding.code), finding.code, _mildness(finding)


def _mildness(finding: Finding) -> float:
    """Small for what is far beyond its limit. A value that is not finite is the worst of all."""
    if finding.value is None or not finding.limit:
        return 0.0
    beyond = abs(finding.value / finding.limit)
    return -beyond if math.isfinite(beyond) else -math.inf
