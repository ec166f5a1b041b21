"""Audits for Hypothesis: a made-up report with any findings that checks may give."""

import math
import random

from hypothesis import strategies as st

from gradcheck.artifact import Probes
from gradcheck.finding import Finding, Verdict
from gradcheck.report import Job, Report, Status
from tests.reports import sample

FULL = sample.report(engines=("exact", "flipped"), testbeds=("bounce", "free_fall"))
# What was measured does not matter, but that it was; small, to be shown where a test fails.
BASE = FULL.model_copy(
    update={
        "checks": {},
        "evidence": [
            one.model_copy(
                update={"artifacts": [a for a in one.artifacts if isinstance(a, Probes)]}
            )
            for one in FULL.evidence
        ],
    }
)
JUDGED = Finding(
    code="GC701", engine="exact", testbed="bounce", verdict=Verdict.PASS, message="disclosed"
)
VALUES = st.floats(0, 1e3) | st.sampled_from([0.0, 1.0])
NOISES = st.none() | st.floats(0, 10.0) | st.just(0.0)


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    """One finding that does not contradict itself."""
    verdict = draw(st.sampled_from(list(Verdict)))
    limit = draw(st.none() | st.floats(0, 1e3))
    value = draw(st.none() | VALUES)
    if verdict is Verdict.FAIL and draw(st.booleans()):
        value = draw(st.sampled_from([math.nan, math.inf]))
    if verdict is Verdict.PASS and limit is not None and value is not None:
        value = min(value, limit)
    finite = value is not None and math.isfinite(value)
    return Finding(
        code=draw(st.sampled_from(["GC201", "GC501", "GC601"])),
        engine=draw(st.sampled_from(["exact", "flipped"])),
        testbed=draw(st.sampled_from(["bounce", "free_fall"])),
        subject=draw(st.sampled_from(["", "q", "v[0]"])),
        verdict=verdict,
        message=draw(st.sampled_from(["as it should be", "not as it should be", "otherwise"])),
        value=value,
        unit="relative",
        limit=limit,
        uncertainty=draw(NOISES) if finite else None,
    )


@st.composite
def audits(draw: st.DrawFn) -> Report:
    """A report with some findings, at least one of them judged."""
    found = draw(st.lists(findings(), max_size=12))
    status = draw(st.sampled_from(list(Status)))
    jobs = [
        Job(engine=one.engine, testbed=one.testbed, status=one.status) for one in BASE.jobs[:-1]
    ]
    last = BASE.jobs[-1]
    jobs.append(Job(engine=last.engine, testbed=last.testbed, status=status))
    return BASE.model_copy(update={"findings": [JUDGED, *found], "jobs": jobs})


def shaken(report: Report, chance: random.Random) -> Report:
    """The same audit measured again: values moved within their noise, in any order."""
    found = []
    for one in report.findings:
        if one.value is not None and one.uncertainty:
            by = one.uncertainty * chance.uniform(-0.9, 0.9)
            value = max(0.0, one.value + by)
            if one.verdict is Verdict.PASS and one.limit is not None:
                value = min(value, one.limit)
            one = one.model_copy(update={"value": value})
        found.append(one)
    chance.shuffle(found)
    return report.model_copy(update={"findings": found})
