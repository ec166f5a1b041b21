"""The gate's rules on audits of every kind; what is broken on purpose is in tests/mutations."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcheck.baseline import Baseline
from gradcheck.checks import CHECKS
from gradcheck.entry import ABOVE, DOUBTED
from gradcheck.finding import Finding, Verdict
from gradcheck.gate import GateResult, gate
from gradcheck.gate_finding import SIGNED
from gradcheck.gate_line import Level
from gradcheck.policy import GateLimit, GateSettings, Policy, Rule
from gradcheck.report import Report, Status
from tests.made_up_audit import audits, shaken
from tests.reports import sample

often = settings(deadline=None, max_examples=60)


def bad(result: GateResult) -> list[str]:
    """The lines that fail or warn, but for copies of the same words."""
    lines = [line for line in result.lines if line.level is not Level.NOTE]
    return [str(line) for line in lines if "told" not in line.text]


@often
@given(audits())
def test_an_audit_passes_against_itself(report: Report) -> None:
    result = gate(report, Baseline.of(report))
    assert result.exit_code == 0
    assert bad(result) == []


@often
@given(audits(), st.randoms())
def test_an_audit_passes_when_it_is_measured_again(report: Report, chance: random.Random) -> None:
    again = shaken(report, chance)
    assert bad(gate(again, Baseline.of(report))) == []
    # and against a baseline that was renewed in between
    renewed = Baseline.of(again, Baseline.of(report))
    assert bad(gate(report, renewed)) == []


@often
@given(audits(), audits(), st.randoms())
def test_no_order_matters(report: Report, other: Report, chance: random.Random) -> None:
    lists = {key: list(getattr(report, key)) for key in ("findings", "jobs", "evidence")}
    for one in lists.values():
        chance.shuffle(one)
    baseline = Baseline.of(other)
    back = baseline.model_copy(update={"findings": baseline.findings[::-1]})
    told = gate(report, baseline)
    assert gate(report.model_copy(update=lists), back) == told


@often
@given(audits(), audits())
def test_a_new_failure_is_never_passed(report: Report, other: Report) -> None:
    baseline = Baseline.of(other)
    worse = Finding(
        code="GC201",
        engine="exact",
        testbed="bounce",
        subject="q",
        verdict=Verdict.FAIL,
        message="this was not so before",
        value=1e9,
    )
    had = sum(
        one.verdict is Verdict.FAIL
        for one in baseline.findings
        if (one.engine, one.testbed, one.code, one.subject) == ("exact", "bounce", "GC201", "q")
    )
    more = [worse.model_copy(update={"message": f"{n}"}) for n in range(had + 1)]
    broken = report.model_copy(update={"findings": [*report.findings, *more]})
    assert gate(broken, baseline).exit_code == 1


@often
@given(audits(), audits())
def test_errors_and_the_exit_code_agree(report: Report, other: Report) -> None:
    result = gate(report, Baseline.of(other))
    assert (result.exit_code == 1) == (result.count(Level.ERROR) > 0)
    levels = [line.level for line in result.lines]
    assert levels == sorted(levels, key=list(Level).index)


@often
@given(audits(), audits())
def test_policy_off_leaves_nothing_and_is_no_pass(report: Report, other: Report) -> None:
    result = gate(report, Baseline.of(other), GateSettings(rule=[Rule(policy=Policy.OFF)]))
    assert result.exit_code == 3
    assert result.compared == 0


@often
@given(audits(), audits())
def test_policy_warn_fails_nothing(report: Report, other: Report) -> None:
    settings = GateSettings(rule=[Rule(policy=Policy.WARN)])
    result = gate(report, Baseline.of(other), settings)
    assert result.exit_code == 0
    strict = gate(report, Baseline.of(other))
    assert len(bad(result)) == len(bad(strict))


def test_what_is_wrong_by_itself_is_told_whatever_the_baseline_has() -> None:
    report = sample.report()
    edited = [one.model_copy(update={"limit": 0.0}) for one in report.findings]
    broken = report.model_copy(update={"findings": edited})
    result = gate(broken, Baseline.of(broken))
    assert result.exit_code == 1
    assert any("not within its limit 0" in line for line in bad(result))


def test_a_fault_of_every_kind_fails() -> None:
    report = sample.report(engines=("exact",), testbeds=("bounce", "free_fall"))
    baseline = Baseline.of(report)
    for status in Status:
        jobs = [one.model_copy(update={"status": status}) for one in report.jobs]
        result = gate(report.model_copy(update={"jobs": jobs}), baseline)
        assert (result.exit_code == 0) == (status is Status.OK), status


def test_the_outcome_in_words() -> None:
    report = sample.report()
    settings = GateSettings(
        rule=[Rule(code="GC101", policy=Policy.OFF)], limit=[GateLimit(code="GC204", limit=1.0)]
    )
    told = str(gate(report, Baseline.of(report), settings))
    assert told.startswith("FAIL: 1 error, 0 warnings, 1 note; ")  # its NaN is above the limit
    assert told.endswith("left out by policy")


def test_checks_that_are_named_exist() -> None:
    codes = {check.code for check in CHECKS}
    assert {*SIGNED, *ABOVE, *DOUBTED} <= codes


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_every_check_holds_its_value_below_a_limit_or_has_none(check: type) -> None:
    # The gate takes it that larger is worse. What a check measures is a size, an error, a count.
    limit = getattr(check, "limit")  # noqa: B009
    assert limit is None or limit.value >= 0
