"""One finding as a baseline keeps it, and how the findings of two audits are told apart."""

from collections.abc import Iterable
from typing import NamedTuple, Self

from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.move import Measured, Move, moved, rounded
from gradcheck.record import Record
from gradcheck.report import Job, Report, measurements

ABOVE = ("GC103",)
"""Checks that may pass above their limit: states that are stored, as stated, take memory."""

DOUBTED = ("GC601",)
"""Checks that pass what lies above their limit by no more than its own noise."""


class Subject(NamedTuple):
    """What a finding is about: what is paired with the same in another audit.

    Empty entries stand for all, as where a job or a whole testbed is meant.
    """

    engine: str
    testbed: str
    code: str = ""
    subject: str = ""


class Entry(Record):
    """One finding, without its words. `Finding` says what the fields mean."""

    engine: str
    testbed: str
    code: str
    subject: str = ""
    verdict: Verdict
    value: float | None = None
    uncertainty: float | None = None
    limit: float | None = None
    unit: str = ""

    @classmethod
    def of(cls, finding: Finding) -> Self:
        """The finding's entry, numbers to what their noise supports."""
        value, uncertainty = finding.value, finding.uncertainty
        if value is not None:
            value, uncertainty = rounded(Measured(value, uncertainty))
        return cls(
            engine=finding.engine,
            testbed=finding.testbed,
            code=finding.code,
            subject=finding.subject,
            verdict=finding.verdict,
            value=value,
            uncertainty=uncertainty,
            limit=finding.limit,
            unit=finding.unit,
        )

    def confirmed_by(self, new: "Entry", noise: float) -> bool:
        """Does the new one say the same: unit and verdict, and value and limit within `noise`
        times both uncertainties? A verdict may differ where that only is the value's crossing of
        its limit."""
        if self.unit != new.unit or (self.uncertainty is None) != (new.uncertainty is None):
            return False
        if self.verdict is not new.verdict and not crosses(self, new):
            return False
        return all(
            moved(Measured(was, self.uncertainty), Measured(now, new.uncertainty), noise)
            is Move.SAME
            if was is not None and now is not None
            else was is now
            for was, now in ((self.value, new.value), (self.limit, new.limit))
        )


def within_limit(one: Entry | Finding) -> bool:
    """Does its check pass it by its value? True also where there is none, or no limit; NaN is not
    within any."""
    if one.value is None or one.limit is None or one.code in ABOVE:
        return True
    doubt = one.uncertainty or 0.0 if one.code in DOUBTED else 0.0
    return one.value - doubt <= one.limit


def crosses(old: Entry, new: Entry | Finding) -> bool:
    """PASS and WARN, and the new one because of the side of its limit on which its value lies: not
    for another reason, as GC501 may warn for."""
    if {old.verdict, new.verdict} != {Verdict.PASS, Verdict.WARN}:
        return False
    if old.value is None or new.value is None or new.limit is None:
        return False
    return within_limit(new) if new.verdict is Verdict.PASS else not new.value <= new.limit


def about(one: Entry | Finding) -> Subject:
    """What it is paired by."""
    return Subject(one.engine, one.testbed, one.code, one.subject)


def by_subject(findings: Iterable[Finding]) -> dict[Subject, list[Finding]]:
    """Findings by what they are about, the worst first, whatever their order was.

    What was told twice in the same words is kept once, with its worst verdict.
    """
    groups: dict[Subject, list[Finding]] = {}
    for one in sorted(findings, key=_rank):
        group = groups.setdefault(about(one), [])
        if not any((one.message, one.input) == (other.message, other.input) for other in group):
            group.append(one)
    return groups


def entries_by_subject(entries: Iterable[Entry]) -> dict[Subject, list[Entry]]:
    """A baseline's entries by what they are about, in their order."""
    groups: dict[Subject, list[Entry]] = {}
    for one in entries:
        groups.setdefault(about(one), []).append(one)
    return groups


def worst_jobs(jobs: Iterable[Job]) -> dict[tuple[str, str], Job]:
    """Jobs by engine and testbed; of one that is told twice the fault, whatever the order."""
    found: dict[tuple[str, str], Job] = {}
    for job in sorted(jobs, key=lambda one: (not one.status.faulty, one.status, one.reason)):
        found.setdefault((job.engine, job.testbed), job)
    return found


def judged(verdict: Verdict) -> bool:
    """Does it say anything about the engine?"""
    return verdict in (Verdict.PASS, Verdict.WARN, Verdict.FAIL)


def measured(report: Report) -> int:
    """How many measurements the report holds, whatever its summary says."""
    return measurements(report.evidence)


def severity(one: Entry | Finding) -> tuple[int, int, float]:
    """For sorting the worst first: by verdict, then NaN, then the largest value, then none."""
    if one.value is None:
        return WORST_FIRST.index(one.verdict), 2, 0.0
    if one.value != one.value:
        return WORST_FIRST.index(one.verdict), 0, 0.0
    return WORST_FIRST.index(one.verdict), 1, -one.value


def _rank(one: Finding) -> tuple[object, ...]:
    return (*severity(one), *about(one), one.message, one.input or "", one.model_dump_json())
