"""The gate: an audit held against a baseline, difference by difference, and an exit code.

Pure: a report, a baseline and settings in, lines and an exit code out. The rules:

1. Findings are paired by engine, testbed, code and subject, never by their order. Several of one
   subject are paired verdict by verdict, the largest value first; what is left on both sides, the
   worst first. One that is told twice in the same words counts once, with its worst verdict, and
   that is told.
2. An error is: a verdict that became FAIL or ERROR, or is new and one of them; one that became N/A
   where it was judged; a PASS that became a WARN (`new_warnings`); a value that rose beyond the
   noise (`noise` times both uncertainties together), also of a known failure, or became NaN; a
   value, finding, check, job, testbed or engine that was there and is missing; a job that
   crashed, hung or is no longer supported; a unit that changed.
3. An error is also what cannot be: PASS with a value that is NaN or above its limit (a time: by
   more than its noise); a size below 0; an uncertainty that is none; a judgement without a
   measurement; a pass that only a limit looser than the baseline's allows.
4. A warning is: a value that rose beyond the baseline's noise and is only explained by this run's
   own, since noise must not hide a regression unseen; a PASS that became a WARN because its value
   crossed its limit within the noise; the same finding told twice with two verdicts; a rule or
   limit in the settings that fits nothing.
5. Notes are: improvements; new passes; how many failures the baseline has as well, which fail
   nothing again; another version, machine, seed, profile, setting or limit.
6. Policies turn errors into warnings, or leave findings out. An absolute limit takes the place of
   the comparison with the baseline's value, and allows a WARN within it.
7. Exit code 0: no error. 1: at least one. 3: nothing was measured, or nothing was judged of what
   policies leave in; that is never a pass.
"""

from collections import Counter
from collections.abc import Sequence

from gradcheck import gate_finding, gate_presence, gate_report, ranking
from gradcheck.baseline import Baseline
from gradcheck.entry import Subject, judged, worst_jobs
from gradcheck.finding import Finding, Verdict
from gradcheck.gate_line import Level, Line
from gradcheck.gate_pairing import Pair, Pairing, Side, of_baseline, of_report, pairings
from gradcheck.origin import Origin
from gradcheck.policy import GateSettings
from gradcheck.record import Record
from gradcheck.report import Report
from gradcheck.reports.number import counted

DEFAULT = GateSettings()
LEVELS = tuple(Level)


class GateResult(Record):
    """Lines, the errors first, and the exit code. `compared`: findings of the baseline that were
    looked for; `known`: failures that it has as well; `left_out`: those under policy off."""

    lines: list[Line]
    exit_code: int
    compared: int
    known: int
    left_out: int

    def count(self, level: Level) -> int:
        """How many lines of that level there are."""
        return sum(line.level is level for line in self.lines)

    def __str__(self) -> str:
        word = {0: "PASS", 1: "FAIL"}.get(self.exit_code, "NOTHING JUDGED")
        counts = ", ".join(counted(self.count(level), level) for level in LEVELS)
        said = f"{word}: {counts}; {counted(self.compared, 'finding')} of the baseline compared"
        return said + (f", {self.left_out} left out by policy" if self.left_out else "")


def gate(report: Report, baseline: Baseline, settings: GateSettings = DEFAULT) -> GateResult:
    """Hold an audit against a baseline. The order of what either holds changes nothing."""
    old, new = of_baseline(baseline, settings), of_report(report, settings)
    kept = [one for group in new.findings.values() for one in group if isinstance(one, Finding)]
    compared = sum(len(group) for group in old.findings.values())
    known, found = _compared(report, old, new, settings)
    lines = [
        *gate_report.nothing(report, kept),
        *found,
        *_impossible(kept, settings),
        *gate_report.unmeasured(report, kept, settings),
        *gate_report.repeated(report, settings),
        *gate_report.unmatched(report, baseline, settings),
        *_origin(baseline, report),
        *_known(known),
    ]
    return GateResult(
        lines=sorted(set(lines), key=_rank),
        exit_code=_exit_code(report, kept, lines),
        compared=compared,
        known=known,
        left_out=len(baseline.findings) - compared,
    )


def _compared(
    report: Report, old: Side, new: Side, settings: GateSettings
) -> tuple[int, list[Line]]:
    """How many failures are known, and every difference of a job, check or finding."""
    jobs = worst_jobs(report.jobs)
    both = [pair for pair in old.pairs if pair in new.pairs]
    broken = [pair for pair in both if gate_presence.broken(old.jobs.get(pair), jobs.get(pair))]
    whole = [pair for pair in both if pair not in broken]
    unjudged = set(gate_presence.unjudged(old, new, whole))
    told = [
        *gate_presence.missing_pairs(old, new, settings),
        *gate_presence.missing_checks(old, new, whole, settings),
        *gate_presence.unjudged_checks(old, new, whole, settings),
        *gate_presence.new_passes(old, new),
        *(gate_presence.job_line(pair, old, jobs.get(pair), settings) for pair in new.pairs),
    ]
    chosen = [one for one in pairings(old, new) if not _told(one, new, broken, unjudged)]
    for one in chosen:
        told += _differences(one, settings)
    told += _limits(chosen, settings)
    known = sum(
        one.old is not None and one.new is not None and one.old.verdict is one.new.verdict
        for one in chosen
        if one.new is not None and one.new.verdict in (Verdict.FAIL, Verdict.ERROR)
    )
    return known, [line for line in told if line is not None]


def _told(one: Pairing, new: Side, broken: Sequence[Pair], unjudged: set[tuple[Pair, str]]) -> bool:
    """Is this difference part of a larger one, which is told as a whole?"""
    finding = one.new or one.old
    assert finding is not None
    pair = finding.engine, finding.testbed
    if one.new is None and (pair not in new.pairs or finding.code not in new.codes(pair)):
        return True
    if pair in broken and (one.new is None or not judged(one.new.verdict)):
        return True
    return (pair, finding.code) in unjudged


def _differences(one: Pairing, settings: GateSettings) -> list[Line]:
    if one.old is not None and one.new is not None:
        return gate_finding.changed(one.old, one.new, settings)
    line = None
    if one.new is not None:
        line = gate_finding.appeared(one.new, one.known, settings)
    elif one.old is not None:
        line = gate_finding.gone(one.old, one.known, settings)
    return [] if line is None else [line]


def _exit_code(report: Report, kept: Sequence[Finding], lines: Sequence[Line]) -> int:
    if gate_report.nothing(report, kept):
        return 3
    return 1 if any(line.level is Level.ERROR for line in lines) else 0


def _impossible(kept: Sequence[Finding], settings: GateSettings) -> list[Line]:
    """What cannot be, and what the settings' absolute limits forbid, whatever the baseline has."""
    told = [
        line
        for one in kept
        for line in (
            gate_finding.impossible(one, settings),
            gate_finding.above_limit(one, settings),
        )
    ]
    return [line for line in told if line is not None]


def _limits(chosen: Sequence[Pairing], settings: GateSettings) -> list[Line]:
    """Limits of checks that are others than in the baseline, once for all findings of a check."""
    moved = Counter(
        (one.new.code, one.old.limit, one.new.limit)
        for one in chosen
        if one.old is not None and one.new is not None
        if gate_finding.limit_changed(one.old, one.new, settings)
    )
    return [
        Line.at(
            Level.NOTE,
            Subject("", "", code),
            f"the check's limit was {_number(old)} and is {_number(new)} "
            f"({counted(count, 'finding')})",
        )
        for (code, old, new), count in moved.items()
    ]


def _origin(baseline: Baseline, report: Report) -> list[Line]:
    """What else may explain a difference: versions, machine, seed, profile, settings."""
    changes = baseline.origin.changes(Origin.of(report))
    return [Line.of(Level.NOTE, f"other than in the baseline: {one}") for one in changes]


def _known(count: int) -> list[Line]:
    if not count:
        return []
    return [Line.of(Level.NOTE, f"{counted(count, 'known failure')}, as in the baseline")]


def _rank(line: Line) -> tuple[int, int, str, str, str, str, str]:
    return (
        LEVELS.index(line.level),
        # What is about no single check, such as an engine that is missing, comes first.
        ranking.rank(line.code) if line.code else -1,
        line.code,
        line.engine,
        line.testbed,
        line.subject,
        line.text,
    )


def _number(limit: float | None) -> str:
    return "none" if limit is None else f"{limit:.4g}"
