"""The report as JUnit XML, which CI systems show: a suite for each engine on each testbed.

A finding is a test case. FAIL is a failure, ERROR an error, not applicable is skipped, and WARN
passes with its text as output, since the audit's exit code does not count it either. How the job
itself ended is a test case too, so that a crash is an error even where nothing was judged.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence

from gradcheck.finding import Finding, Verdict
from gradcheck.report import Job, NotRun, Report, Status
from gradcheck.reports.legible import legible, one_line
from gradcheck.reports.wording import heading, measured_text, where_text

NAME_LENGTH = 120
MESSAGE_LENGTH = 500
MOST_LETTERS = 20_000
JOB = "measuring"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
KINDS = {
    Verdict.FAIL: "failure",
    Verdict.ERROR: "error",
    Verdict.NOT_APPLICABLE: "skipped",
}


def junit(report: Report) -> bytes:
    """The report as an XML file in UTF-8."""
    root = ET.Element("testsuites", name="gradcheck")
    jobs = {(job.engine, job.testbed): job for job in report.jobs}
    found: dict[tuple[str, str], list[Finding]] = {key: [] for key in jobs}
    for one in report.findings:
        found.setdefault((one.engine, one.testbed), []).append(one)
    for (engine, testbed), findings in found.items():
        suite = _suite(root, f"{one_line(engine)} on {one_line(testbed)}", report)
        place = f"{one_line(engine)}.{one_line(testbed)}"
        if (job := jobs.get((engine, testbed))) is not None:
            _job(suite, place, job)
        _findings(suite, place, findings, report)
    for left in report.summary.not_run:
        if not left.measurement and (left.engine, left.testbed) not in jobs:
            _left(_suite(root, one_line(left.engine), report), left)
    for suite in root:
        _count(suite)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.attrib[key]) for suite in root)))
    root.set("time", f"{sum(float(suite.attrib['time']) for suite in root):.3f}")
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _suite(root: ET.Element, name: str, report: Report) -> ET.Element:
    suite = ET.SubElement(root, "testsuite", name=name)
    if TIME.match(report.provenance.started):
        suite.set("timestamp", report.provenance.started[:19])
    return suite


def _case(suite: ET.Element, place: str, name: str, seconds: float = 0.0) -> ET.Element:
    return ET.SubElement(
        suite,
        "testcase",
        classname=place,
        name=one_line(name, NAME_LENGTH),
        time=f"{seconds:.3f}",
    )


def _job(suite: ET.Element, place: str, job: Job) -> None:
    case = _case(suite, place, JOB, sum(job.seconds.values()))
    if job.status is not Status.OK:
        kind = "error" if job.status.faulty else "skipped"
        _outcome(case, kind, job.status, f"{job.status}: {job.reason}")


def _left(suite: ET.Element, left: NotRun) -> None:
    case = _case(suite, one_line(left.engine), f"{JOB} {left.testbed}".strip())
    _outcome(case, "error" if left.error else "skipped", "not run", left.reason)


def _findings(suite: ET.Element, place: str, findings: Sequence[Finding], report: Report) -> None:
    seen: Counter[str] = Counter()
    for one in findings:
        name = f"{one.code} {one.subject or one.input or ''}".rstrip()
        seen[name] += 1
        # Viewers take cases of one name for one case.
        case = _case(suite, place, name if seen[name] == 1 else f"{name} #{seen[name]}")
        text = _text(one, report)
        if one.verdict in KINDS:
            kind = KINDS[one.verdict]
            _outcome(case, kind, one.code, one.message, "" if kind == "skipped" else text)
        elif one.verdict is Verdict.WARN:
            ET.SubElement(case, "system-out").text = _cut(text)


def _outcome(case: ET.Element, kind: str, what: str, message: str, text: str = "") -> None:
    element = ET.SubElement(
        case, kind, type=one_line(what), message=one_line(message, MESSAGE_LENGTH)
    )
    if text:
        element.text = _cut(text)


def _text(finding: Finding, report: Report) -> str:
    """All that helps to mend it, as lines."""
    check = report.checks.get(finding.code)
    measured, where = measured_text(finding), where_text(finding)
    parts = [
        f"{finding.verdict} {finding.code} {heading(finding, report)}".rstrip(),
        finding.message,
        f"Signature: {finding.signature}." if finding.signature else "",
        f"Measured {measured}." if measured else "",
        f"Located at {where}." if where else "",
        f"Cure: {' '.join(check.cure.split())}" if check and check.cure else "",
        f"Reproduce:\n{finding.snippet}" if finding.snippet else "",
    ]
    return "\n".join(part for part in parts if part)


def _cut(text: str) -> str:
    safe = legible(text)
    return safe if len(safe) <= MOST_LETTERS else f"{safe[:MOST_LETTERS]}… (cut; see report.json)"


def _count(suite: ET.Element) -> None:
    """The attributes that tell how the suite went."""
    cases = list(suite)
    suite.set("tests", str(len(cases)))
    for key, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(sum(case.find(kind) is not None for case in cases)))
    suite.set("time", f"{sum(float(case.attrib['time']) for case in cases):.3f}")
