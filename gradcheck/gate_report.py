"""What is wrong with an audit's report by itself, whatever its baseline says, and with settings
that fit neither."""

from collections.abc import Sequence

from gradcheck.artifact import Missing
from gradcheck.baseline import Baseline
from gradcheck.entry import Subject, about, judged, measured
from gradcheck.finding import Finding
from gradcheck.gate_line import Level, Line
from gradcheck.gate_pairing import Pair
from gradcheck.policy import GateSettings, Place, Policy
from gradcheck.report import Report


def nothing(report: Report, kept: Sequence[Finding]) -> list[Line]:
    """Was nothing measured, or nothing judged that policies leave in?"""
    if not measured(report):
        return [Line.of(Level.ERROR, "nothing was measured, which is no pass")]
    if not any(judged(one.verdict) for one in kept):
        return [Line.of(Level.ERROR, "nothing was judged that policies leave in: this is no pass")]
    return []


def unmeasured(report: Report, kept: Sequence[Finding], settings: GateSettings) -> list[Line]:
    """Pairs that are judged although the report holds no measurement of them."""
    has = {
        (one.engine, one.testbed.name)
        for one in report.evidence
        if any(not isinstance(artifact, Missing) for artifact in one.artifacts)
    }
    if not has:
        return []
    pairs = {(one.engine, one.testbed) for one in kept if judged(one.verdict)} - has
    return [
        Line.at(
            Level.under(settings.policy(place)), place, "judged, and the report measured nothing"
        )
        for place in (Subject(*pair) for pair in sorted(pairs))
        if settings.policy(place) is not Policy.OFF
    ]


def repeated(report: Report, settings: GateSettings) -> list[Line]:
    """Findings and jobs that the report tells twice."""
    findings: dict[tuple[Subject, str, str | None], list[Finding]] = {}
    for one in report.findings:
        findings.setdefault((about(one), one.message, one.input), []).append(one)
    lines = [
        _twice(group[0], [one.verdict for one in group])
        for group in findings.values()
        if len(group) > 1 and settings.policy(group[0]) is not Policy.OFF
    ]
    jobs: dict[Pair, list[str]] = {}
    for job in report.jobs:
        jobs.setdefault((job.engine, job.testbed), []).append(job.status)
    return lines + [_twice(Subject(*pair), ended) for pair, ended in jobs.items() if len(ended) > 1]


def unmatched(report: Report, baseline: Baseline, settings: GateSettings) -> list[Line]:
    """Rules and limits that fit nothing in either audit: a name may be misspelt."""
    places: list[Place] = [*baseline.findings, *report.findings]
    places += [Subject(one.engine, one.testbed) for one in baseline.jobs]
    places += [Subject(one.engine, one.testbed) for one in report.jobs]
    return [
        Line.of(Level.WARNING, f"a {kind} for {pattern} fits nothing in either audit")
        for kind, patterns in (("rule", settings.rule), ("limit", settings.limit))
        for pattern in patterns
        if not any(pattern.fits(place) for place in places)
    ]


def _twice(place: Finding | Subject, outcomes: Sequence[str]) -> Line:
    differ = sorted(set(outcomes))
    said = f"told {len(outcomes)} times, as {' and '.join(differ)}"
    level = Level.WARNING if len(differ) > 1 else Level.NOTE
    return Line.at(level, place, f"{said}: the worst counts", place.subject)
