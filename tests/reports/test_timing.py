"""Times by job and by measurement."""

import pytest

from gradcheck.report import Job, Report, Status
from gradcheck.reports.timing import timing
from tests.reports import sample


def report(*jobs: Job) -> Report:
    return Report.build(
        provenance=sample.PROVENANCE, evidence=[], findings=[], jobs=jobs, checks={}
    )


def job(testbed: str, **seconds: float) -> Job:
    return Job(engine="e", testbed=testbed, status=Status.OK, seconds=seconds)


def test_the_longest_job_and_measurement_come_first() -> None:
    told = timing(report(job("one", basics=1.0, cost=0.5), job("two", cost=3.0), job("none")))
    assert [(one.testbed, total) for one, total in told.rows] == [
        ("two", 3.0),
        ("one", 1.5),
        ("none", 0.0),
    ]
    assert told.kinds == (("cost", 3.5), ("basics", 1.0))
    assert told.total == pytest.approx(4.5)


def test_of_no_jobs_there_is_nothing_to_tell() -> None:
    assert timing(report()).rows == ()
