"""Which finding of an audit belongs to which of a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from gradcheck.baseline import Baseline
from gradcheck.entry import Entry, Subject, about, by_subject, severity, worst_jobs
from gradcheck.finding import WORST_FIRST, Finding
from gradcheck.policy import GateSettings, Policy
from gradcheck.report import Report, Status

T = TypeVar("T", Entry, Finding)
Pair = tuple[str, str]


@dataclass(frozen=True)
class Side:
    """One audit, as far as policies let the gate see it: findings by subject, jobs by engine and
    testbed."""

    findings: Mapping[Subject, Sequence[Entry | Finding]]
    jobs: Mapping[Pair, Status]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Engines on testbeds that it tells of, sorted."""
        return sorted({*self._checks, *self.jobs})

    def codes(self, pair: Pair) -> set[str]:
        """The checks that it tells of on one pair."""
        return set(self._checks.get(pair, ()))

    def of(self, pair: Pair, code: str | None = None) -> list[Entry | Finding]:
        """Its findings on one pair, of one check or of all."""
        checks = self._checks.get(pair, {})
        chosen = checks.values() if code is None else [checks.get(code, [])]
        return [finding for findings in chosen for finding in findings]

    @cached_property
    def _checks(self) -> dict[Pair, dict[str, list[Entry | Finding]]]:
        found: dict[Pair, dict[str, list[Entry | Finding]]] = {}
        for one, group in sorted(self.findings.items()):
            checks = found.setdefault((one.engine, one.testbed), {})
            checks.setdefault(one.code, []).extend(group)
        return found


class Pairing(NamedTuple):
    """One finding in both audits; None on the side that has none.

    `known`: has the other side something else of the same subject?
    """

    old: Entry | None
    new: Finding | None
    known: bool = True


def of_baseline(baseline: Baseline, settings: GateSettings) -> Side:
    """The baseline's side."""
    groups: dict[Subject, list[Entry | Finding]] = {}
    for entry in baseline.findings:
        if settings.policy(entry) is not Policy.OFF:
            groups.setdefault(about(entry), []).append(entry)
    jobs = {(one.engine, one.testbed): one.status for one in baseline.jobs}
    return Side(groups, _watched(jobs, settings))


def of_report(report: Report, settings: GateSettings) -> Side:
    """The audit's side."""
    groups: dict[Subject, Sequence[Entry | Finding]] = {
        subject: findings
        for subject, findings in by_subject(report.findings).items()
        if settings.policy(findings[0]) is not Policy.OFF
    }
    jobs = {pair: job.status for pair, job in worst_jobs(report.jobs).items()}
    return Side(groups, _watched(jobs, settings))


def pairings(old: Side, new: Side) -> list[Pairing]:
    """All findings of all subjects, each with its like."""
    out = []
    for subject in sorted({*old.findings, *new.findings}):
        before = [one for one in old.findings.get(subject, ()) if isinstance(one, Entry)]
        now = [one for one in new.findings.get(subject, ()) if isinstance(one, Finding)]
        known = bool(before and now)
        out += [Pairing(*both, known=known) for both in paired(before, now)]
    return out


def paired(
    old: Sequence[Entry], new: Sequence[Finding]
) -> list[tuple[Entry | None, Finding | None]]:
    """Findings of one subject: the same verdicts with one another, the largest value first; of
    what is left, which has changed its verdict, the worst with the worst."""
    out: list[tuple[Entry | None, Finding | None]] = []
    left_old: list[Entry] = []
    left_new: list[Finding] = []
    for verdict in WORST_FIRST:
        before = _ranked([one for one in old if one.verdict is verdict])
        now = _ranked([one for one in new if one.verdict is verdict])
        out += zip(before, now, strict=False)
        left_old += before[len(now) :]
        left_new += now[len(before) :]
    return out + list(zip_longest(left_old, left_new))


def _ranked(findings: list[T]) -> list[T]:
    """The worst first; of the same value by the rest, so that no order of a file decides."""
    return sorted(
        findings, key=lambda one: (severity(one), repr((one.uncertainty, one.limit, one.unit)))
    )


def _watched(jobs: Mapping[Pair, Status], settings: GateSettings) -> dict[Pair, Status]:
    return {
        pair: status
        for pair, status in jobs.items()
        if settings.policy(Subject(*pair)) is not Policy.OFF
    }
