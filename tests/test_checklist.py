"""The reporting checklist: every item, never ticked without a measurement."""

import re

import pytest

from gradcheck.checklist import ITEMS, ChecklistItem, fill
from gradcheck.finding import Verdict
from gradcheck.report import Report
from tests.reports import sample


@pytest.fixture(scope="module")
def report() -> Report:
    return sample.report()


def by_id(report: Report, engine: str) -> dict[str, ChecklistItem]:
    return {one.id: one for one in fill(report, engine)}


def test_the_items_are_those_of_the_list_in_their_order() -> None:
    assert [one.id for one in ITEMS] == [f"R{number}" for number in range(1, 24)]
    codes = [code for one in ITEMS for code in one.codes]
    assert all(re.fullmatch(r"GC[1-7]\d\d", code) for code in codes)


def test_every_check_of_this_version_answers_an_item() -> None:
    assert set(sample.TITLES) <= {code for one in ITEMS for code in one.codes}


@pytest.mark.parametrize("engine", sample.ENGINES)
def test_every_item_has_a_row_with_all_its_parts(report: Report, engine: str) -> None:
    rows = fill(report, engine)
    assert [one.id for one in rows] == [one.id for one in ITEMS]
    assert all(one.question and one.stated and one.measured for one in rows)


@pytest.mark.parametrize("engine", sample.ENGINES)
def test_an_item_without_measurement_says_so_and_why(report: Report, engine: str) -> None:
    rows = by_id(report, engine)
    for name in ("R8", "R17", "R18", "R19"):
        assert rows[name].verdict is None
        assert rows[name].measured.startswith("not measured: no check GC")
        assert rows[name].why
        assert not rows[name].findings


def test_an_item_whose_checks_do_not_apply_is_not_ticked(report: Report) -> None:
    only = report.model_copy(
        update={"findings": [one for one in report.findings if one.testbed == "free_fall"]}
    )
    row = by_id(only, "exact")["R12"]
    assert row.verdict is None
    assert row.measured == "not measured: this testbed has no contact"


def test_an_item_measured_in_part_names_what_is_missing(report: Report) -> None:
    left = [one for one in report.findings if one.code != "GC602"]
    checks = {code: text for code, text in report.checks.items() if code != "GC602"}
    row = by_id(report.model_copy(update={"findings": left, "checks": checks}), "exact")["R4"]
    assert row.verdict is Verdict.PASS
    assert row.unmeasured == {"GC602": "no check GC602 in this version"}
    assert row.codes == ["GC103"]


def test_the_worst_finding_decides_and_brings_its_cure(report: Report) -> None:
    row = by_id(report, "flipped")["R10"]
    assert row.verdict is Verdict.FAIL
    assert row.measured.startswith("FAIL on 1 of 4 testbeds. bounce: the gradient is +1")
    assert "GC201" in row.cure
    assert report.findings[row.findings[0]].verdict is Verdict.FAIL


def test_an_error_is_never_a_pass(report: Report) -> None:
    findings = [
        one.model_copy(update={"verdict": Verdict.ERROR}) if one.code == "GC202" else one
        for one in report.findings
    ]
    row = by_id(report.model_copy(update={"findings": findings}), "exact")["R11"]
    assert row.verdict is Verdict.ERROR


def test_what_the_card_states_is_quoted_with_its_source(report: Report) -> None:
    assert by_id(report, "exact")["R2"].stated == "executed computation (manual, section 3)"
    assert by_id(report, "silent")["R2"].stated == "not stated"
    assert by_id(report, "differences")["R7"].stated.endswith("frozen: nothing")
    assert by_id(report, "silent")["R7"].stated == "contact: not stated; frozen: not stated"
    assert "480 steps of 0.002083 s" in by_id(report, "exact")["R1"].stated


def test_what_was_not_run_is_told_and_a_fault_is_an_error(report: Report) -> None:
    row = by_id(report, "differences")["R23"]
    assert row.verdict is Verdict.ERROR
    assert "timed out: no answer within 30 s" in row.measured
    assert by_id(report, "exact")["R23"].verdict is Verdict.PASS


def test_an_engine_that_never_ran_ticks_nothing(report: Report) -> None:
    rows = fill(report, "newton")
    assert all(one.verdict is None and one.measured.startswith("not measured: ") for one in rows)
    assert "not installed" in rows[-1].measured
