"""What audits say differently: verdicts before values, nothing that differs is lost."""

import math
from collections.abc import Sequence

import pytest

from gradcheck.changes import Cell, Changes, Kind, Row, changes
from gradcheck.finding import Finding, Verdict
from gradcheck.merged import Audit
from gradcheck.report import Job, Report, Status
from tests.reports import sample


def finding(code: str, verdict: Verdict = Verdict.PASS, **more: object) -> Finding:
    return Finding.model_validate(
        {"code": code, "engine": "e", "testbed": "t", "verdict": verdict, "message": "", **more}
    )


def report(findings: Sequence[Finding], jobs: Sequence[Job] = ()) -> Report:
    pairs = dict.fromkeys((one.engine, one.testbed) for one in findings)
    ran = [Job(engine=engine, testbed=testbed, status=Status.OK) for engine, testbed in pairs]
    return Report.build(
        provenance=sample.PROVENANCE,
        evidence=[],
        findings=findings,
        jobs=[*ran, *jobs],
        checks={},
    )


def of(*reports: Report) -> Changes:
    return changes([Audit("abcdef"[at], one) for at, one in enumerate(reports)])


def told(row: Row) -> list[str]:
    return ["absent" if one is None else one.text for one in row.cells]


def test_verdicts_come_before_values_and_the_rest_last() -> None:
    old = [
        finding("GC1", value=1.0),
        finding("GC2", value=1.0),
        finding("GC3", Verdict.WARN),
        finding("GC4"),
        finding("GC5", value=1.0),
    ]
    new = [
        finding("GC1", value=1.5),
        finding("GC2", value=9.0),
        finding("GC3", Verdict.PASS),
        finding("GC4", Verdict.FAIL),
        finding("GC5", value=1.0000001),
    ]
    made = of(report(old), report(new))
    assert made.columns == ("a", "b")
    assert [(row.code, row.kind) for row in made.rows] == [
        ("GC4", Kind.VERDICT),
        ("GC3", Kind.VERDICT),
        ("GC2", Kind.VALUE),
        ("GC1", Kind.VALUE),
        ("GC5", Kind.NOTHING),
    ]
    assert told(made.rows[0]) == ["PASS", "FAIL"]
    assert told(made.rows[2]) == ["PASS 1", "PASS 9"]


def test_a_finding_that_is_missing_differs() -> None:
    made = of(report([finding("GC1"), finding("GC2")]), report([finding("GC1")]))
    assert [(row.code, row.kind, told(row)) for row in made.rows] == [
        ("GC2", Kind.VERDICT, ["PASS", "absent"]),
        ("GC1", Kind.NOTHING, ["PASS", "PASS"]),
    ]


def test_a_job_that_crashed_differs_and_so_does_all_that_it_lost() -> None:
    crashed = Job(engine="e", testbed="t", status=Status.CRASHED, reason="boom")
    made = of(report([finding("GC1")]), report([], [crashed]))
    assert [(row.code, told(row)) for row in made.of(Kind.VERDICT)] == [
        ("job", ["absent", "crashed"]),
        ("GC1", ["PASS", "absent"]),
    ]


def test_subjects_are_held_apart() -> None:
    old = [finding("GC1", subject="q"), finding("GC1", Verdict.FAIL, subject="v")]
    new = [finding("GC1", subject="q"), finding("GC1", subject="v")]
    (row,) = of(report(old), report(new)).of(Kind.VERDICT)
    assert (row.subject, told(row)) == ("v", ["FAIL", "PASS"])


def test_of_several_findings_the_worst_speaks() -> None:
    old = [finding("GC1", value=1.0), finding("GC1", value=3.0), finding("GC1", value=2.0)]
    new = [finding("GC1", value=1.0), finding("GC1", value=math.nan)]
    (row,) = of(report(old), report(new)).rows
    assert told(row) == ["PASS 3", "PASS NaN"]
    assert row.kind is Kind.VALUE


@pytest.mark.parametrize(
    ("first", "second", "apart"),
    [
        (Cell(Verdict.PASS, 1.0, 0.1), Cell(Verdict.PASS, 1.15, 0.1), False),
        (Cell(Verdict.PASS, 1.0, 0.1), Cell(Verdict.PASS, 1.25, 0.1), True),
        (Cell(Verdict.PASS, 1.0, 0.1), Cell(Verdict.PASS, 1.15), True),
        (Cell(Verdict.PASS, 1.0), Cell(Verdict.PASS, 1.0001), False),
        (Cell(Verdict.PASS, math.nan, 0.1), Cell(Verdict.PASS, 1.0, 0.1), True),
        (Cell(Verdict.PASS, math.nan), Cell(Verdict.PASS, math.nan), False),
        (Cell(Verdict.PASS), Cell(Verdict.PASS, 1.0), True),
    ],
)
def test_values_differ_beyond_both_uncertainties(first: Cell, second: Cell, apart: bool) -> None:
    assert first.apart(second) is second.apart(first) is apart


def test_pairs_that_only_some_hold_are_told_once() -> None:
    both = [finding("GC1")]
    more = [*both, finding("GC1", testbed="u"), finding("GC2", testbed="u")]
    made = of(report(both), report(more), report(more))
    assert made.alone == (("e", "u", ("b", "c")),)
    assert {row.testbed for row in made.rows} == {"t"}


def test_audits_of_different_engines_have_engines_as_columns() -> None:
    first = [finding("GC1", engine="one"), finding("GC2", engine="one", value=1.0)]
    second = [finding("GC1", Verdict.FAIL, engine="two"), finding("GC2", engine="two", value=2.0)]
    made = of(report(first), report(second))
    assert made.columns == ("one", "two")
    assert [(row.engine, row.code, told(row)) for row in made.rows] == [
        ("", "GC1", ["PASS", "FAIL"]),
        ("", "GC2", ["PASS 1", "PASS 2"]),
    ]


def test_an_audit_beside_itself_has_no_changes() -> None:
    made = sample.report()
    found = of(made, made)
    assert {row.kind for row in found.rows} == {Kind.NOTHING}
    assert found.alone == ()
