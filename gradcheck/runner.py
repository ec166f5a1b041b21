"""The audit: plan, measure in child processes, judge, and write the report.

OUT/artifacts/<engine>/<testbed>/<measurement>.json   raw measurements, written as they come
OUT/logs/worker-<n>.log                               what engines printed
OUT/report.json, OUT/report.html                      the report
"""

import hashlib
import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from gradcheck import registry, whole_file
from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.checks import CHECKS, by_code, judge
from gradcheck.description import testbed_record
from gradcheck.engine import BadInput
from gradcheck.evidence import Evidence, Provenance
from gradcheck.explanation import check_text
from gradcheck.finding import Finding
from gradcheck.jobs.child import Cause
from gradcheck.jobs.order import Order, Ready, Refusal
from gradcheck.jobs.pool import Limits, Outcome, Pool, Watcher
from gradcheck.measure import MEASUREMENTS
from gradcheck.plan import plan
from gradcheck.provenance import provenance
from gradcheck.reason import reason
from gradcheck.report import Job, Report, Status
from gradcheck.subject import Profile

PROFILES = tuple(Profile)
STATUS = {
    Cause.CRASHED: Status.CRASHED,
    Cause.TIMED_OUT: Status.TIMED_OUT,
    Cause.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
}


@dataclass(frozen=True)
class Request:
    """What to audit, and within which limits. Empty engines and testbeds mean the default plan,
    empty codes the findings of all checks."""

    engines: Sequence[str] = ()
    testbeds: Sequence[str] = ()
    codes: Sequence[str] = ()
    profile: str = "quick"
    seed: int = 0
    jobs: int = 2
    limits: Limits = field(default_factory=Limits)
    out: Path = Path("gradcheck-audit")
    command: str = field(default_factory=lambda: shlex.join(["gradcheck", *sys.argv[1:]]))

    def provenance(self, begun: str, readies: Sequence[Ready]) -> Provenance:
        """Provenance of measurements by children that were `readies`."""
        return provenance(
            seed=self.seed,
            profile=self.profile,
            command=self.command,
            started=begun,
            settings={
                "jobs": str(self.jobs),
                "time limit (s)": f"{self.limits.seconds:g}",
                "memory limit (bytes)": str(self.limits.memory),
            },
            readies=readies,
        )


class Recorder(Watcher):
    """Saves artifacts, judges finished jobs, and passes everything on to a display."""

    def __init__(self, request: Request, begun: str, display: "Display") -> None:
        self.request = request
        self.begun = begun
        self.display = display
        self.judged: dict[tuple[str, str], tuple[Evidence, list[Finding]]] = {}

    def started(self, order: Order, measurement: str) -> None:
        self.display.measuring(order.engine, order.testbed, measurement)

    def measured(self, order: Order, artifact: AnyArtifact) -> None:
        name = artifact.measurement if isinstance(artifact, Missing) else artifact.kind
        file = job_folder(self.request.out, order) / f"{name}.json"
        whole_file.write(file, artifact.model_dump_json() + "\n")

    def finished(self, outcome: Outcome) -> None:
        findings: list[Finding] = []
        if outcome.ready is not None:
            order, codes = outcome.order, self.request.codes
            evidence = self.evidence(outcome, outcome.ready)
            try:
                findings = [one for one in judge(evidence) if not codes or one.code in codes]
            except Exception as error:  # a bug in a check must not cost the other jobs
                outcome.lost = Cause.CRASHED
                outcome.reason = f"judging failed, please report this: {reason(error)}"
                with (self.request.out / "logs" / "judge.log").open("a", encoding="utf-8") as log:
                    traceback.print_exception(error, file=log)
            self.judged[order.engine, order.testbed] = evidence, findings
        self.display.finished(outcome, findings)

    def evidence(self, outcome: Outcome, ready: Ready) -> Evidence:
        """All that checks may look at. A testbed goes by the name under which it is found."""
        record = testbed_record(registry.testbed(outcome.order.testbed))
        return Evidence(
            engine=outcome.order.engine,
            card=ready.card,
            testbed=record.model_copy(update={"name": outcome.order.testbed}),
            provenance=self.request.provenance(self.begun, [ready]),
            artifacts=list(outcome.artifacts),
        )


class Display:
    """Shows how an audit goes on. This one shows nothing."""

    def planned(self, jobs: Sequence[tuple[str, str]]) -> None:
        """The audit begins with these jobs."""

    def measuring(self, engine: str, testbed: str, measurement: str) -> None:
        """A measurement began."""

    def finished(self, outcome: Outcome, findings: Sequence[Finding]) -> None:
        """A job ended and was judged."""

    def ended(self) -> None:
        """The audit has ended, well or not."""


def audit(request: Request, display: Display | None = None) -> Report:
    """Run the audit and write the report. Raises `BadInput` before or instead of measuring."""
    display = display or Display()
    if request.profile not in PROFILES:
        raise BadInput(f"unknown profile '{request.profile}'; there are {' and '.join(PROFILES)}")
    for code in request.codes:
        by_code(code)
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    jobs = plan(request.engines, request.testbeds)
    orders = [
        Order(
            engine=engine,
            testbed=testbed,
            measurements=tuple(MEASUREMENTS),
            seed=request.seed,
            profile=Profile(request.profile),
        )
        for engine, testbed in jobs
    ]
    prepare(request.out, orders)
    recorder = Recorder(request, begun, display)
    display.planned(jobs)
    try:
        pool = Pool(orders, request.jobs, request.limits, request.out / "logs", recorder)
        outcomes = pool.run()
    finally:
        display.ended()
    judged = [recorder.judged[job] for job in jobs if job in recorder.judged]
    readies = [one.ready for one in outcomes if one.ready is not None]
    report = Report.build(
        provenance=request.provenance(begun, readies),
        evidence=[evidence for evidence, _ in judged],
        findings=[finding for _, findings in judged for finding in findings],
        jobs=[_job(outcome) for outcome in outcomes],
        checks={check.code: check_text(check) for check in CHECKS},
    )
    report.save(request.out / "report.json")
    from gradcheck.reports.html import render_html

    render_html(report, request.out / "report.html")
    return report


def job_folder(out: Path, order: Order) -> Path:
    """Where the artifacts of a job lie."""
    return out / "artifacts" / _safe(order.engine) / _safe(order.testbed)


def _job(outcome: Outcome) -> Job:
    if outcome.refused is Refusal.UNSUPPORTED:
        status = Status.UNSUPPORTED
    elif outcome.interrupted:
        status = Status.INTERRUPTED
    elif outcome.lost is not None:
        status = STATUS[outcome.lost]
    elif outcome.refused is not None:
        status = Status.CRASHED
    else:
        status = Status.OK
    return Job(
        engine=outcome.order.engine,
        testbed=outcome.order.testbed,
        status=status,
        reason=outcome.reason,
        seconds={
            (one.measurement if isinstance(one, Missing) else one.kind): one.seconds
            for one in outcome.artifacts
        },
    )


def prepare(out: Path, orders: Sequence[Order]) -> None:
    """Make the folders, prove that they can be written, drop an older audit's artifacts of the
    same jobs, so that nothing old is read as new. Raises `BadInput`."""
    try:
        for folder in [out / "logs", *(job_folder(out, order) for order in orders)]:
            folder.mkdir(parents=True, exist_ok=True)
        for old in (out / "logs").glob("worker-*.log"):
            old.unlink()
        for order in orders:
            for kind in MEASUREMENTS:
                (job_folder(out, order) / f"{kind}.json").unlink(missing_ok=True)
        proof = out / f".gradcheck-{os.getpid()}"
        proof.touch()
        proof.unlink()
    except OSError as error:
        raise BadInput(
            f"cannot write to the folder {out}: {error.strerror}; choose another with --out"
        ) from None


def _safe(name: str) -> str:
    """A name as a folder's: the same for the same name, another for another name."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[-60:] or "engine"
    if plain == name.replace(":", "-"):
        return plain
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
