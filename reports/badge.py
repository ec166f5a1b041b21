"""How a verdict looks and what it means: a word and a shape, so that colour is never alone."""

from gradcheck.finding import Verdict
from gradcheck.report import Report, exit_code
from gradcheck.reports.number import counted

CLASSES: dict[Verdict | None, str] = {
    Verdict.PASS: "pass",
    Verdict.WARN: "warn",
    Verdict.FAIL: "fail",
    Verdict.ERROR: "error",
    Verdict.NOT_APPLICABLE: "na",
    None: "none",
}
WORDS: dict[Verdict | None, str] = {one: str(one) for one in Verdict} | {None: "not measured"}
MEANINGS = {
    Verdict.PASS: "the check's limit was kept",
    Verdict.WARN: "right, but of little use, dear, or without a derivative here",
    Verdict.FAIL: "the limit was broken, or a claim is missing or contradicted",
    Verdict.ERROR: "could not be judged: a crash, a time-out or a missing measurement; not a pass",
    Verdict.NOT_APPLICABLE: "the question does not arise, for the reason given",
}


def headline(report: Report) -> str:
    """The verdict of the whole audit in a few words."""
    return {
        Verdict.PASS: "Every check that applies passed",
        Verdict.WARN: "No check failed; some warn",
        Verdict.FAIL: "Some gradients or claims failed",
        Verdict.ERROR: "Some checks could not be judged",
        Verdict.NOT_APPLICABLE: "Nothing could be measured",
    }[report.summary.verdict]


def meaning(report: Report) -> str:
    """What that verdict means, in a sentence or two, with the exit code."""
    summary = report.summary
    counts = summary.counts
    lost = sum(job.status.faulty for job in report.jobs)
    pairs = {(one.engine, one.testbed) for one in report.findings if one.verdict is Verdict.FAIL}
    parts = []
    if summary.verdict is Verdict.NOT_APPLICABLE:
        parts.append("No engine gave a measurement, so nothing is known about these gradients.")
    if counts.get(Verdict.FAIL):
        parts.append(
            f"{counted(counts[Verdict.FAIL], 'finding')} on {counted(len(pairs), 'pair')} of "
            "engine and testbed broke a limit, or lack a claim: the gradient, or what is said of "
            "it, is wrong there."
        )
    if counts.get(Verdict.ERROR):
        parts.append(f"{counted(counts[Verdict.ERROR], 'check')} could not be judged.")
    if lost:
        parts.append(f"{counted(lost, 'job')} ended without a result.")
    if counts.get(Verdict.WARN):
        parts.append(
            f"{counted(counts[Verdict.WARN], 'warning')}: what is right and yet of little use or "
            "dear, or has no derivative."
        )
    if summary.verdict is Verdict.PASS:
        parts.append(f"{counted(counts[Verdict.PASS], 'check')} kept their limits.")
    parts.append(f"Exit code {exit_code(report)}.")
    return " ".join(parts)
