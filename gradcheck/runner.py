"""The audit: plan, measure in child processes, judge, and write the report.

`gradcheck.folder` says what lies where in the output folder.
"""

import signal
import traceback
from collections.abc import Sequence
from contextlib import closing

from gradcheck.artifact import AnyArtifact
from gradcheck.begun import Begun
from gradcheck.checks import CHECKS, judge
from gradcheck.evidence import Evidence, Provenance
from gradcheck.explanation import check_text
from gradcheck.finding import Finding
from gradcheck.folder import Folder
from gradcheck.jobs import place
from gradcheck.jobs.interrupt import interruptible
from gradcheck.jobs.order import Order, Ready, Refusal
from gradcheck.jobs.outcome import INTERRUPTED, Cause, Outcome, measurement
from gradcheck.jobs.watcher import Watcher
from gradcheck.jobs.work import Work
from gradcheck.measure import KINDS
from gradcheck.provenance import provenance
from gradcheck.reason import reason
from gradcheck.report import Job, NotRun, Report, Status
from gradcheck.reports import formats
from gradcheck.request import LOCAL
from gradcheck.request import Request as Request

STATUS = {
    Cause.CRASHED: Status.CRASHED,
    Cause.TIMED_OUT: Status.TIMED_OUT,
    Cause.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
}
SETUP = "set-up"


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


class Recorder(Watcher):
    """Saves artifacts, judges finished jobs, and passes everything on to a display."""

    def __init__(self, begun: Begun, folder: Folder, executor: str, display: Display) -> None:
        self.begun = begun
        self.folder = folder
        self.executor = executor
        self.display = display
        self.judged: dict[tuple[str, str], tuple[Evidence, list[Finding]]] = {}

    def started(self, order: Order, measurement: str) -> None:
        self.display.measuring(order.engine, order.testbed, measurement)

    def measured(self, order: Order, artifact: AnyArtifact) -> None:
        self.folder.save_artifact(order, artifact)

    def changed(self, outcome: Outcome) -> None:
        self.folder.save_job(outcome)

    def finished(self, outcome: Outcome) -> None:
        if outcome.ended:
            self.folder.save_job(outcome)
        findings: list[Finding] = []
        if outcome.ready is not None:
            evidence = self.evidence(outcome, outcome.ready)
            try:
                findings = judge(evidence, self.begun.codes)
            except Exception as error:  # a bug in a check must not cost the other jobs
                outcome.lost = Cause.CRASHED
                outcome.reason = f"judging failed, please report this: {reason(error)}"
                with (self.folder.logs / "judge.log").open("a", encoding="utf-8") as log:
                    traceback.print_exception(error, file=log)
            self.judged[outcome.order.engine, outcome.order.testbed] = evidence, findings
        if outcome.ready is not None or not outcome.interrupted:
            self.display.finished(outcome, findings)

    def evidence(self, outcome: Outcome, ready: Ready) -> Evidence:
        """All that checks may look at, in one order, however often the job was interrupted."""
        why = INTERRUPTED if outcome.interrupted else outcome.reason
        artifacts = [*outcome.artifacts, *outcome.missing(outcome.left, why)]
        return Evidence(
            engine=outcome.order.engine,
            card=ready.card,
            testbed=ready.testbed,
            provenance=self.provenance([ready]),
            artifacts=sorted(artifacts, key=lambda one: KINDS.index(measurement(one))),
        )

    def provenance(self, readies: Sequence[Ready]) -> Provenance:
        """Provenance of measurements by children that were `readies`."""
        begun = self.begun
        settings = {
            "jobs": str(begun.jobs),
            "time limit (s)": f"{begun.limits.seconds:g}",
            "memory limit (bytes)": str(begun.limits.memory),
        }
        if self.executor != LOCAL:
            settings["executor"] = place.kind(self.executor)
        if begun.resumed:
            settings["times resumed"] = str(begun.resumed)
        return provenance(
            seed=begun.orders[0].seed,
            profile=begun.orders[0].profile,
            command=begun.command,
            started=begun.started,
            settings=settings,
            readies=readies,
        )


def audit(
    request: Request,
    display: Display | None = None,
    signals: Sequence[int] = (signal.SIGINT,),
) -> Report:
    """Run the audit and write the report. Raises `BadInput` before or instead of measuring.

    The first of `signals` ends the children; then what was measured is judged and written, and
    `resume` goes on from there.
    """
    folder = Folder(request.folder)
    place.kind(request.executor)
    formats.chosen(request.formats)
    begun = Begun.load(folder) if request.resume else Begun.anew(request)
    with folder.locked():
        if request.resume:
            begun = Begun.load(folder)  # nobody writes now
            begun.agree(request)
        return _audit(begun, request, folder, display or Display(), signals)


def _audit(
    begun: Begun, request: Request, folder: Folder, display: Display, signals: Sequence[int]
) -> Report:
    """The audit in a folder that nobody else writes to."""
    orders, jobs = begun.orders, request.jobs or begun.jobs
    with closing(
        place.executor(request.executor, jobs, begun.limits, folder.logs, begun.files)
    ) as executor:
        software = executor.software(orders)
        if request.resume:
            begun.unchanged(software)
        folder.prepare(orders, keep=request.resume)
        told = {"software": software, "jobs": jobs, "resumed": begun.resumed + request.resume}
        begun = begun.model_copy(update=told)
        begun.save(folder)
        outcomes = [
            folder.load(order, request.retry) if request.resume else Outcome(order=order)
            for order in orders
        ]
        recorder = Recorder(begun, folder, request.executor, display)
        display.planned([(order.engine, order.testbed) for order in orders])
        try:
            with interruptible(executor.stop, signals):
                Work(outcomes, executor, recorder).run()
        finally:
            display.ended()
    return _report(outcomes, recorder, request.formats)


def _report(outcomes: Sequence[Outcome], recorder: Recorder, also: Sequence[str]) -> Report:
    """Put together and write what was found, in the formats `also` beside those always written."""
    jobs = [(one.order.engine, one.order.testbed) for one in outcomes]
    judged = [recorder.judged[job] for job in jobs if job in recorder.judged]
    report = Report.build(
        provenance=recorder.provenance([one.ready for one in outcomes if one.ready is not None]),
        evidence=[evidence for evidence, _ in judged],
        findings=[finding for _, findings in judged for finding in findings],
        jobs=[_job(outcome) for outcome in outcomes],
        checks={check.code: check_text(check) for check in CHECKS},
        not_run=_left_out(recorder.begun),
    )
    report.save(recorder.folder.report)
    formats.write(report, recorder.folder.path, (*formats.DEFAULT, *also))
    return report


def _left_out(begun: Begun) -> list[NotRun]:
    """What the choice of checks spares measuring."""
    spared = [kind for kind in KINDS if kind not in begun.orders[0].measurements]
    if not spared:
        return []
    reason = f"{', '.join(begun.codes)} alone were asked for, which do not need {', '.join(spared)}"
    engines = dict.fromkeys(order.engine for order in begun.orders)
    return [NotRun(engine=engine, reason=reason) for engine in engines]


def _job(outcome: Outcome) -> Job:
    why = outcome.reason
    if outcome.refused is Refusal.UNSUPPORTED:
        status = Status.UNSUPPORTED
    elif outcome.interrupted:
        status, why = Status.INTERRUPTED, INTERRUPTED
    elif outcome.lost is not None:
        status = STATUS[outcome.lost]
    elif outcome.refused is not None:
        status = Status.CRASHED
    else:
        status = Status.OK
    setup = {SETUP: outcome.setup} if outcome.setup else {}
    return Job(
        engine=outcome.order.engine,
        testbed=outcome.order.testbed,
        status=status,
        reason=why,
        seconds=setup | {measurement(one): one.seconds for one in outcome.artifacts},
    )
