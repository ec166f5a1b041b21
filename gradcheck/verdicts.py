"""An audit's outcome on the terminal: engines x testbeds, the worst findings, what to do next."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.report import Report, Status, worst

SHOWN = 8
COLOURS = {
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold magenta",
    Verdict.WARN: "yellow",
    Verdict.PASS: "green",
    Verdict.NOT_APPLICABLE: "dim",
}


def render(report: Report, out: Path) -> RenderableType:
    """Everything that the terminal shows of a report that lies in `out`."""
    return Group(_table(report), *_findings(report), *_next(report, out))


def finding_text(finding: Finding) -> Text:
    """One finding in a line or two."""
    text = Text()
    text.append(f"{finding.verdict:<5} ", COLOURS[finding.verdict])
    text.append(f"{finding.code} ", "bold")
    text.append(f"{finding.engine} on {finding.testbed}: " if finding.engine else "")
    text.append(finding.message)
    return text


def _table(report: Report) -> Table:
    verdicts: dict[tuple[str, str], list[Finding]] = {}
    for finding in report.findings:
        verdicts.setdefault((finding.engine, finding.testbed), []).append(finding)
    jobs = {(job.engine, job.testbed): job for job in report.jobs}
    testbeds = list(dict.fromkeys(job.testbed for job in report.jobs))
    table = Table(title="Verdict by engine and testbed", title_justify="left")
    table.add_column("engine", no_wrap=True)
    for testbed in testbeds:
        table.add_column(testbed)
    for engine in dict.fromkeys(job.engine for job in report.jobs):
        cells = []
        for testbed in testbeds:
            job = jobs.get((engine, testbed))
            if job is None:
                cells.append(Text(""))
            elif job.status is Status.UNSUPPORTED:
                cells.append(Text("unsupported", "dim"))
            elif (engine, testbed) in verdicts:
                cells.append(_cell(verdicts[engine, testbed]))
            else:
                cells.append(Text(job.status, COLOURS[Verdict.ERROR]))
        table.add_row(Text(engine), *cells)
    return table


def _cell(findings: list[Finding]) -> Text:
    verdict = worst(finding.verdict for finding in findings)
    count = len({finding.code for finding in findings if finding.verdict is verdict})
    named = verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.WARN)
    return Text(f"{verdict} ({count})" if named and count > 1 else verdict, COLOURS[verdict])


def _findings(report: Report) -> list[RenderableType]:
    bad = [f for f in report.findings if f.verdict in (Verdict.FAIL, Verdict.ERROR)]
    bad.sort(key=lambda finding: WORST_FIRST.index(finding.verdict))
    lines: list[RenderableType] = [Text()] if bad else []
    # One measurement that failed makes many checks say so: once is enough here.
    shown = list({(f.engine, f.testbed, f.message): f for f in reversed(bad)}.values())[::-1]
    lines += [finding_text(finding) for finding in shown[:SHOWN]]
    if len(shown) > SHOWN:
        lines.append(Text(f"… and {len(shown) - SHOWN} more in the report"))
    lost = [job for job in report.jobs if job.status is not Status.OK]
    lines += [
        Text(f"{job.engine} on {job.testbed}: {job.status}: {job.reason}", "magenta")
        for job in lost
        if job.status.faulty
    ]
    refused = [job for job in lost if job.status is Status.UNSUPPORTED]
    lines += [
        Text(f"{job.engine} on {job.testbed}: unsupported: {job.reason}", "dim")
        for job in refused[:SHOWN]
    ]
    if len(refused) > SHOWN:
        lines.append(Text(f"… and {len(refused) - SHOWN} more unsupported pairs in the report"))
    return lines


def _next(report: Report, out: Path) -> list[RenderableType]:
    counts = ", ".join(f"{n} {verdict}" for verdict, n in report.summary.counts.items() if n)
    verdict = report.summary.verdict
    lines = [
        Text(),
        Text(f"{verdict}: {counts or 'no findings'}", COLOURS[verdict]),
        Text(f"report: {out / 'report.html'} (data: {out / 'report.json'})"),
    ]
    if verdict is Verdict.NOT_APPLICABLE:
        lines.append(Text("nothing could be measured: the reasons are above"))
    first = next((f for f in report.findings if f.verdict is verdict), None)
    if first is not None and verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.WARN):
        lines.append(Text(f"next: open the report, and run: gradcheck explain {first.code}"))
    return list(lines)
