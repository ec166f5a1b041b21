"""An audit's outcome on the terminal: engines x testbeds, the worst findings, what to do next."""

from pathlib import Path

from rich.box import SIMPLE
from rich.console import Group as Lines
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.ranking import Group, grouped
from gradcheck.report import Job, Report, Status, worst

SHOWN = 8
COLOURS = {
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold magenta",
    Verdict.WARN: "yellow",
    Verdict.PASS: "green",
    Verdict.NOT_APPLICABLE: "dim",
}


def render(report: Report, out: Path, advise: bool = True) -> RenderableType:
    """Everything that the terminal shows of a report that lies in `out`; with what to do next, if
    `advise`."""
    groups = grouped(report.findings)
    return Lines(_table(report), *_findings(report, groups), *_next(report, groups, out, advise))


def group_text(group: Group) -> Text:
    """The worst of a group, and how many it speaks for."""
    text = finding_text(group.first)
    others = list(dict.fromkeys(one.input for one in group.findings[1:] if one.input))
    count = len(group.findings) - 1
    if count:
        named = f" ({', '.join(others)})" if others else ""
        text.append(f"; and {count} more like it{named}", "dim")
    return text


def finding_text(finding: Finding) -> Text:
    """One finding in a line or two."""
    text = Text()
    text.append(f"{finding.verdict:<5} ", COLOURS[finding.verdict])
    text.append(f"{finding.code} ", "bold")
    text.append(f"{finding.engine} on {finding.testbed}: " if finding.engine else "")
    text.append(finding.message)
    return text


def _table(report: Report) -> Table:
    """Each engine's testbeds by the worst verdict there."""
    verdicts: dict[tuple[str, str], list[Verdict]] = {}
    for finding in report.findings:
        verdicts.setdefault((finding.engine, finding.testbed), []).append(finding.verdict)
    places: dict[tuple[str, Verdict], list[str]] = {}
    for job in report.jobs:
        found = verdicts.get((job.engine, job.testbed), [])
        fault = [Verdict.ERROR] if job.status.faulty else []
        places.setdefault((job.engine, worst([*found, *fault])), []).append(job.testbed)
    columns = [one for one in WORST_FIRST if any(verdict is one for _, verdict in places)]
    table = Table(box=SIMPLE, title="Testbeds by verdict", title_justify="left")
    table.add_column("engine", overflow="fold")
    for verdict in columns:
        table.add_column(Text(verdict, COLOURS[verdict]), overflow="fold")
    for engine in dict.fromkeys(job.engine for job in report.jobs):
        cells = [", ".join(places.get((engine, verdict), [])) for verdict in columns]
        table.add_row(
            Text(engine), *(Text(cell, COLOURS[v]) for cell, v in zip(cells, columns, strict=True))
        )
    return table


def job_text(job: Job) -> str:
    """How a job that gave nothing, or not all, ended."""
    return f"{job.engine} on {job.testbed}: {job.status}: {job.reason}"


def _findings(report: Report, groups: list[Group]) -> list[RenderableType]:
    cut = {(j.engine, j.testbed) for j in report.jobs if j.status is Status.INTERRUPTED}
    bad = [
        one
        for one in groups
        if one.first.verdict is Verdict.FAIL
        # Of an interrupted job the job's own line says it all.
        or (one.first.verdict is Verdict.ERROR and (one.first.engine, one.first.testbed) not in cut)
    ]
    bad = bad or [one for one in groups if one.first.verdict is Verdict.WARN]
    # One measurement that failed makes many checks say so: once is enough here.
    once = {(g.first.engine, g.first.testbed, g.first.message): g for g in reversed(bad)}
    shown = list(once.values())[::-1]
    lines: list[RenderableType] = [group_text(group) for group in shown[:SHOWN]]
    if len(shown) > SHOWN:
        lines.append(Text(f"… and {len(shown) - SHOWN} more in the report"))
    lost = [job for job in report.jobs if job.status is not Status.OK]
    lines += [Text(job_text(job), "magenta") for job in lost if job.status.faulty]
    refused = [job for job in lost if job.status is Status.UNSUPPORTED]
    lines += [Text(job_text(job), "dim") for job in refused[:SHOWN]]
    if len(refused) > SHOWN:
        lines.append(Text(f"… and {len(refused) - SHOWN} more unsupported pairs in the report"))
    return lines


def _headline(verdict: Verdict) -> str:
    return "NOTHING MEASURED" if verdict is Verdict.NOT_APPLICABLE else str(verdict)


def _next(report: Report, groups: list[Group], out: Path, advise: bool) -> list[RenderableType]:
    verdict = report.summary.verdict
    lines = [
        Text(),
        Text(f"{_headline(verdict)}: {report.summary.told or 'no findings'}", COLOURS[verdict]),
        Text(f"report: {out / 'report.html'} (data: {out / 'report.json'})"),
    ]
    if verdict is Verdict.NOT_APPLICABLE:
        lines.append(Text("nothing could be measured: the reasons are above"))
    if not advise or any(job.status is Status.INTERRUPTED for job in report.jobs):
        return list(lines)  # to resume comes first, and the command says how
    if groups and verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.WARN):
        code = groups[0].first.code
        lines.append(Text(f"next: open the report, and run: gradcheck explain {code}"))
    if verdict in (Verdict.PASS, Verdict.WARN):
        word = "next" if verdict is Verdict.PASS else "then"
        lines.append(
            Text(f"{word}: gradcheck baseline {out}    (keeps what a change must not worsen)")
        )
    return list(lines)
