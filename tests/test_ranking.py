"""The order in which findings are read."""

import math

from gradcheck.finding import Finding, Verdict
from gradcheck.ranking import grouped


def finding(
    code: str,
    verdict: Verdict = Verdict.FAIL,
    value: float | None = None,
    input: str | None = None,
    engine: str = "e",
) -> Finding:
    return Finding(
        code=code,
        engine=engine,
        testbed="t",
        verdict=verdict,
        message="m",
        value=value,
        limit=None if value is None else 1e-3,
        input=input,
    )


def test_a_failure_is_read_before_a_fault_and_a_fault_before_a_warning() -> None:
    shuffled = [Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.NOT_APPLICABLE, Verdict.ERROR]
    groups = grouped(finding("GC201", verdict) for verdict in shuffled)
    assert [one.first.verdict for one in groups] == [
        Verdict.FAIL,
        Verdict.ERROR,
        Verdict.WARN,
        Verdict.PASS,
        Verdict.NOT_APPLICABLE,
    ]


def test_a_wrong_gradient_is_read_before_what_follows_from_it() -> None:
    groups = grouped(finding(code) for code in ("GC101", "GC501", "GC701", "GC301", "GC201"))
    assert [one.first.code for one in groups] == ["GC201", "GC301", "GC501", "GC101", "GC701"]


def test_one_check_on_one_pair_is_one_group_and_the_worst_speaks() -> None:
    values = {"a": 0.1, "b": 7.0, "c": math.nan, "d": -8.0}
    made = [finding("GC202", value=value, input=name) for name, value in values.items()]
    (group,) = grouped(made)
    assert [one.input for one in group.findings] == ["c", "d", "b", "a"]


def test_of_one_code_the_worse_pair_is_read_first() -> None:
    made = [
        finding("GC202", value=9.0),
        finding("GC201", value=0.1),
        finding("GC201", value=0.2, engine="f"),
    ]
    assert [(g.first.code, g.first.value) for g in grouped(made)] == [
        ("GC201", 0.2),
        ("GC201", 0.1),
        ("GC202", 9.0),
    ]


def test_the_same_check_on_another_engine_is_another_group() -> None:
    assert len(grouped([finding("GC202"), finding("GC202", engine="f")])) == 2
