"""Findings in words: together where they say the same, in the order of reading."""

from gradcheck.finding import Finding, Verdict, Where
from gradcheck.reports.wording import (
    groups,
    heading,
    left_out,
    measured_text,
    topics,
    where_text,
)
from tests.reports import sample


def finding(code: str, verdict: Verdict, **more: object) -> Finding:
    return Finding.model_validate(
        {"code": code, "engine": "e", "testbed": "t", "verdict": verdict, "message": "m", **more}
    )


def test_the_same_on_several_testbeds_is_one_group() -> None:
    found = [
        finding("GC101", Verdict.FAIL, testbed="a", snippet="one"),
        finding("GC101", Verdict.FAIL, testbed="b", snippet="one"),
        finding("GC101", Verdict.FAIL, testbed="b", message="other"),
        finding("GC101", Verdict.WARN, testbed="c"),
        finding("GC101", Verdict.FAIL, testbed="d", engine="f"),
    ]
    made = groups(found)
    assert [(one.first.engine, one.first.verdict, one.testbeds) for one in made] == [
        ("e", Verdict.FAIL, ["a", "b"]),
        ("e", Verdict.FAIL, ["b"]),
        ("f", Verdict.FAIL, ["d"]),
        ("e", Verdict.WARN, ["c"]),
    ]
    assert made[0].snippets == ["one"]


def test_groups_of_one_check_on_one_engine_are_one_topic() -> None:
    found = [
        finding("GC201", Verdict.FAIL, message="p", input="p"),
        finding("GC301", Verdict.FAIL),
        finding("GC201", Verdict.FAIL, message="q", input="q"),
    ]
    made = topics(groups(found))
    assert [(one.first.code, len(one.groups)) for one in made] == [("GC201", 2), ("GC301", 1)]


def test_the_worst_comes_first() -> None:
    order = [Verdict.WARN, Verdict.FAIL, Verdict.PASS, Verdict.ERROR]
    made = groups([finding("GC201", one, message=one) for one in order])
    assert [one.first.verdict for one in made] == ["FAIL", "ERROR", "WARN", "PASS"]


def test_the_heading_tells_the_outcome() -> None:
    report = sample.report(engines=("exact",), testbeds=("bounce",))
    failed = heading(finding("GC201", Verdict.FAIL), report)
    assert failed == "Not so: the gradient agrees with the program"
    assert heading(finding("GC201", Verdict.PASS), report) == "The gradient agrees with the program"
    assert heading(finding("GC999", Verdict.FAIL), report) == ""


def test_numbers_and_places() -> None:
    assert measured_text(finding("GC201", Verdict.FAIL)) == ""
    assert measured_text(finding("GC201", Verdict.FAIL, value=2.0, unit="m", limit=1e-6)) == (
        "2 (m), limit 10⁻⁶"
    )
    assert measured_text(finding("GC201", Verdict.FAIL, value=float("nan"), limit=0.0)) == (
        "NaN, limit 0"
    )
    where = Where(
        label="q[1]",
        first_bad_step=3,
        shortest_horizon=4,
        at={"q": [1.0] * 20, "v": [float("inf")]},
    )
    told = where_text(finding("GC201", Verdict.FAIL, where=where))
    assert told.startswith("q[1]; first bad step 3; shortest horizon 4 steps; q = (1, 1, ")
    assert told.endswith("…); v = (∞)")
    assert where_text(finding("GC201", Verdict.FAIL)) == ""


def test_what_was_left_out_comes_with_faults_first_and_equal_reasons_together() -> None:
    rows = left_out(sample.report())
    assert rows[0].error
    assert rows[0].places == ("double_pendulum",)
    contact = next(one for one in rows if one.engine == "exact")
    assert contact.reason == "this testbed has no contact"
    assert "free_fall sweep" in contact.places
    assert next(one for one in rows if one.engine == "newton").places == ("every testbed",)
