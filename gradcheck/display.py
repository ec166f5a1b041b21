"""What an audit shows while it runs: a moving display on a terminal, plain lines elsewhere."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gradcheck.finding import Finding
from gradcheck.jobs.order import Refusal
from gradcheck.jobs.outcome import INTERRUPTED, Outcome
from gradcheck.report import worst
from gradcheck.runner import Display


def display(console: Console) -> Display:
    """The display that suits the console."""
    return Bars(console) if console.is_terminal else Lines(console)


class Lines(Display):
    """One line for each job that begins, and one when it ends."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.begun: set[tuple[str, str]] = set()
        self.total = 0
        self.ended_jobs = 0

    def planned(self, jobs: Sequence[tuple[str, str]]) -> None:
        self.total = len(jobs)

    def measuring(self, engine: str, testbed: str, measurement: str) -> None:
        if (engine, testbed) not in self.begun:
            self.begun.add((engine, testbed))
            self.console.print(f"{engine} on {testbed} …", markup=False, soft_wrap=True)

    def finished(self, outcome: Outcome, findings: Sequence[Finding]) -> None:
        self.ended_jobs += 1
        counter = f"[{self.ended_jobs}/{self.total}]"
        self.console.print(f"{counter} {summary(outcome, findings)}", markup=False, soft_wrap=True)


class Bars(Display):
    """A bar over all jobs, and what is being measured right now."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self.current: dict[tuple[str, str], str] = {}

    def planned(self, jobs: Sequence[tuple[str, str]]) -> None:
        self.bar = self.progress.add_task("starting engines", total=len(jobs))
        self.progress.start()

    def measuring(self, engine: str, testbed: str, measurement: str) -> None:
        self.current[engine, testbed] = f"{engine} on {testbed}: {measurement}"
        self._describe()

    def finished(self, outcome: Outcome, findings: Sequence[Finding]) -> None:
        self.current.pop((outcome.order.engine, outcome.order.testbed), None)
        self.console.print(escape(summary(outcome, findings)), soft_wrap=True)
        self.progress.advance(self.bar)
        self._describe()

    def ended(self) -> None:
        self.progress.stop()

    def _describe(self) -> None:
        text = " · ".join(self.current.values()) or "…"
        self.progress.update(self.bar, description=escape(text))


def summary(outcome: Outcome, findings: Sequence[Finding]) -> str:
    """One line on a job: `mjx on drop: FAIL (GC202; 12 PASS), 8.1 s`."""
    name = f"{outcome.order.engine} on {outcome.order.testbed}"
    if outcome.refused is Refusal.UNSUPPORTED:
        return f"{name}: unsupported: {outcome.reason}"
    if outcome.ready is None:
        return f"{name}: not measured: {outcome.reason}"
    verdict = worst(finding.verdict for finding in findings)
    codes = dict.fromkeys(one.code for one in findings if one.verdict is verdict)
    counts = Counter(finding.verdict for finding in findings)
    seconds = sum(artifact.seconds for artifact in outcome.artifacts)
    named = ", ".join(codes) if verdict.value in ("FAIL", "ERROR", "WARN") else ""
    passed = f"{counts['PASS']} PASS" if counts else "no findings"  # type: ignore[index]
    why = INTERRUPTED if outcome.interrupted else outcome.reason
    note = f"; {why}" if why else ""
    return f"{name}: {verdict} ({'; '.join(filter(None, [named, passed]))}), {seconds:.1f} s{note}"
