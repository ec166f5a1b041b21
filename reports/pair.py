"""All that the report shows of one engine on one testbed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gradcheck.artifact import (
    Agreement,
    Cost,
    Horizon,
    Missing,
    Physics,
    Referents,
    Smoothing,
    SweepResult,
)
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.report import Job, Report, Status, worst
from gradcheck.reports.figures.cost import cost
from gradcheck.reports.figures.horizon import horizon
from gradcheck.reports.figures.physics import physics
from gradcheck.reports.figures.plot import Plot
from gradcheck.reports.figures.referents import referents
from gradcheck.reports.figures.smoothing import smoothing
from gradcheck.reports.figures.step_curve import step_curve
from gradcheck.reports.figures.sweep import sweep
from gradcheck.reports.inputs import InputRow, input_rows

NOT_PLANNED = "not planned"


@dataclass(frozen=True)
class Numbered:
    """A finding with its anchor in the page."""

    anchor: str
    finding: Finding


@dataclass(frozen=True)
class Pair:
    """One cell of the summary, with the evidence behind it.

    `verdict` is None for a pair that was not planned or that the engine cannot do; `note` says
    which.
    """

    anchor: str
    engine: str
    testbed: str
    verdict: Verdict | None
    note: str
    findings: tuple[Numbered, ...]
    evidence: Evidence | None
    plots: tuple[Plot, ...]
    inputs: tuple[InputRow, ...]
    missing: tuple[Missing, ...]

    @property
    def planned(self) -> bool:
        """Was there a job for it, or is there anything to show?"""
        return self.note != NOT_PLANNED

    @property
    def codes(self) -> list[str]:
        """Codes that share the verdict, where it calls for attention."""
        if self.verdict not in (Verdict.FAIL, Verdict.ERROR, Verdict.WARN):
            return []
        codes = (one.finding.code for one in self.findings if one.finding.verdict is self.verdict)
        return list(dict.fromkeys(codes))


def pairs(report: Report, findings: Sequence[Numbered]) -> list[list[Pair]]:
    """Pairs by engine (row) and testbed (column), in the order of the summary."""
    evidence = {(one.engine, one.testbed.name): one for one in report.evidence}
    jobs = {(job.engine, job.testbed): job for job in report.jobs}
    found: dict[tuple[str, str], list[Numbered]] = {}
    for one in findings:
        found.setdefault((one.finding.engine, one.finding.testbed), []).append(one)
    return [
        [
            _pair(
                f"p{row}-{column}",
                (engine, testbed),
                evidence.get((engine, testbed)),
                found.get((engine, testbed), []),
                jobs.get((engine, testbed)),
            )
            for column, testbed in enumerate(report.summary.testbeds)
        ]
        for row, engine in enumerate(report.summary.engines)
    ]


def _pair(
    anchor: str,
    key: tuple[str, str],
    evidence: Evidence | None,
    findings: Sequence[Numbered],
    job: Job | None,
) -> Pair:
    verdict, note = _verdict(findings, job)
    judged = [one.finding for one in findings]
    return Pair(
        anchor=anchor,
        engine=key[0],
        testbed=key[1],
        verdict=verdict,
        note=note,
        findings=tuple(findings),
        evidence=evidence,
        plots=tuple(plots(evidence, judged)) if evidence else (),
        inputs=tuple(input_rows(evidence, judged)) if evidence else (),
        missing=tuple(one for one in evidence.artifacts if isinstance(one, Missing))
        if evidence
        else (),
    )


def _verdict(findings: Sequence[Numbered], job: Job | None) -> tuple[Verdict | None, str]:
    reason = f": {job.reason}" if job and job.reason else ""
    if job is not None and job.status is Status.UNSUPPORTED:
        return None, f"unsupported{reason}"
    found = [one.finding.verdict for one in findings]
    if job is not None and job.status.faulty:
        return worst([*found, Verdict.ERROR]), f"{job.status}{reason}"
    return (worst(found), "") if found else (None, NOT_PLANNED)


def plots(evidence: Evidence, findings: Sequence[Finding]) -> list[Plot]:
    """The figures of every artifact that has one, in a fixed order."""

    def horizon_marked(artifact: Horizon) -> list[Plot]:
        return horizon(artifact, _shortest(findings))

    figures: tuple[tuple[type, Callable[..., list[Plot]]], ...] = (
        (Agreement, step_curve),
        (Physics, physics),
        (Referents, referents),
        (Horizon, horizon_marked),
        (SweepResult, sweep),
        (Smoothing, smoothing),
        (Cost, cost),
    )
    return [
        plot
        for kind, draw in figures
        for artifact in evidence.artifacts
        if isinstance(artifact, kind)
        for plot in draw(artifact)
    ]


def _shortest(findings: Sequence[Finding]) -> int | None:
    """The shortest horizon that any failure was located at."""
    found = (
        one.where.shortest_horizon
        for one in findings
        if one.verdict is Verdict.FAIL and one.where is not None
    )
    return min((steps for steps in found if steps is not None), default=None)
