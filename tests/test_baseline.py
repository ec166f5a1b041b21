"""The baseline's file: small, sorted, stable, and never a file that guards nothing."""

import json
import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcheck.baseline import Baseline
from gradcheck.engine import BadInput
from gradcheck.finding import Finding, Verdict
from gradcheck.report import Report
from tests.made_up_audit import audits, shaken
from tests.reports import sample


@pytest.fixture(scope="module")
def report() -> Report:
    """The made-up audit."""
    return sample.report()


def test_one_line_for_each_finding_and_each_job(report: Report) -> None:
    lines = Baseline.of(report).text().splitlines()
    assert sum('"code"' in line for line in lines) == len(report.findings)
    assert sum('"status"' in line for line in lines) == len(report.jobs)
    assert max(map(len, lines)) < 250


def test_it_is_strict_json_and_read_back_as_it_was(report: Report, tmp_path: Path) -> None:
    made = Baseline.of(report)  # with NaN in it
    made.save(tmp_path / "b.json")
    text = (tmp_path / "b.json").read_text()

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(text, parse_constant=refuse)
    assert Baseline.load(tmp_path / "b.json").text() == text


def test_no_time_and_no_command_and_no_kernel(report: Report) -> None:
    made = report.provenance.model_copy(
        update={
            "platform": "Linux-6.8.0-1021-azure-x86_64-with-glibc2.39",
            "settings": {"jobs": "2", "time limit (s)": "120"},
        }
    )
    text = Baseline.of(report.model_copy(update={"provenance": made})).text()
    assert "Linux-x86_64-with-glibc2.39" in text
    assert "azure" not in text
    assert '"settings": {"jobs": "2"}' in text
    assert made.started not in text
    assert made.command not in text
    assert "seconds" not in text


def test_a_folder_and_a_whole_report_are_baselines_too(report: Report, tmp_path: Path) -> None:
    report.save(tmp_path / "report.json")
    for place in (tmp_path, tmp_path / "report.json"):
        assert Baseline.load(place).text() == Baseline.of(report).text()


def test_a_folder_without_a_report_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"report\.json: No such file .* make one with"):
        Baseline.load(tmp_path)


def test_a_job_that_is_there_twice_is_refused(report: Report, tmp_path: Path) -> None:
    made = Baseline.of(report)
    made.model_copy(update={"jobs": [*made.jobs, made.jobs[0]]}).save(tmp_path / "b.json")
    with pytest.raises(BadInput, match="more than once, as after a merge"):
        Baseline.load(tmp_path / "b.json")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for read in (Baseline.load, Report.load):
        with pytest.raises(BadInput, match="a pipe or a device"):
            read(pipe)


def test_an_audit_that_measured_or_judged_nothing_is_no_baseline(report: Report) -> None:
    with pytest.raises(BadInput, match="nothing was measured or judged"):
        Baseline.of(report.model_copy(update={"evidence": []}))
    with pytest.raises(BadInput, match="nothing was measured or judged"):
        Baseline.of(report.model_copy(update={"findings": []}))


def test_numbers_are_written_to_what_their_noise_supports(report: Report) -> None:
    noisy = _only(report, value=3.14159265, uncertainty=0.0123)
    assert (noisy.findings[0].value, noisy.findings[0].uncertainty) == (3.142, 0.013)
    exact = _only(report, value=3.14159265, uncertainty=0.0)
    assert exact.findings[0].value == 3.14159265


def test_a_confirmed_number_stays_and_another_is_replaced(report: Report) -> None:
    before = _audit(report, value=1.0, uncertainty=0.1)
    within = _audit(report, value=1.3, uncertainty=0.2)
    beyond = _audit(report, value=2.0, uncertainty=0.1)
    old = Baseline.of(before)
    assert Baseline.of(within, old).text() == old.text()
    assert Baseline.of(beyond, old).findings[0].value == 2.0
    # Held against the number that was kept, and so never driven off in small steps
    assert Baseline.of(_audit(report, value=1.9, uncertainty=0.2), Baseline.of(within, old)) != old


def test_a_verdict_that_only_crossed_its_limit_within_the_noise_stays(report: Report) -> None:
    warned = {"value": 5.1, "uncertainty": 0.1, "verdict": Verdict.WARN}
    old = Baseline.of(_audit(report, value=4.9, uncertainty=0.1))
    assert Baseline.of(_audit(report, **warned), old).text() == old.text()
    back = Baseline.of(_audit(report, **warned))
    assert Baseline.of(_audit(report, value=4.9, uncertainty=0.1), back).text() == back.text()
    # A warning for another reason than its value is another finding.
    other = Baseline.of(_audit(report, **{**warned, "value": 4.95}), old)
    assert other.findings[0].verdict is Verdict.WARN
    failed = Baseline.of(_audit(report, **{**warned, "verdict": Verdict.FAIL}), old)
    assert failed.findings[0].verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": Verdict.WARN},
        {"unit": "ms"},
        {"limit": 2.0},
        {"uncertainty": None},
        {"value": None},
    ],
)
def test_what_is_other_than_a_number_in_its_noise_is_replaced(
    report: Report, change: dict[str, object]
) -> None:
    old = Baseline.of(_audit(report, value=1.0, uncertainty=0.1))
    new = Baseline.of(_audit(report, **{"value": 1.0, "uncertainty": 0.1, **change}), old)
    assert new.findings != old.findings


def test_several_of_one_subject_are_kept_the_worst_first(report: Report) -> None:
    findings = [
        _finding(verdict=verdict, value=value, message=f"{verdict} {value}")
        for verdict, value in (
            (Verdict.PASS, 0.1),
            (Verdict.FAIL, 3.0),
            (Verdict.PASS, 0.9),
            (Verdict.FAIL, float("nan")),
        )
    ]
    kept = Baseline.of(report.model_copy(update={"findings": findings})).findings
    assert [one.verdict for one in kept] == [Verdict.FAIL] * 2 + [Verdict.PASS] * 2
    assert kept[0].value != kept[0].value
    assert [one.value for one in kept[1:]] == [3.0, 0.9, 0.1]


@settings(deadline=None, max_examples=40)
@given(audits(), st.randoms())
def test_written_again_it_is_the_same(report: Report, chance: random.Random) -> None:
    old = Baseline.of(report)
    assert Baseline.of(shaken(report, chance), old).text() == old.text()


@settings(deadline=None, max_examples=40)
@given(audits(), audits())
def test_the_second_time_changes_nothing(report: Report, other: Report) -> None:
    once = Baseline.of(other, Baseline.of(report))
    assert Baseline.of(other, once).text() == once.text()


@settings(deadline=None, max_examples=40)
@given(audits())
def test_the_file_depends_on_no_order(report: Report) -> None:
    back = {key: getattr(report, key)[::-1] for key in ("findings", "jobs", "evidence")}
    assert Baseline.of(report.model_copy(update=back)).text() == Baseline.of(report).text()
    assert re.search(r'"kind": "gradcheck baseline"', Baseline.of(report).text())


def _finding(**fields: object) -> Finding:
    return Finding.model_validate(
        {
            "code": "GC601",
            "engine": "exact",
            "testbed": "bounce",
            "verdict": Verdict.PASS,
            "message": "",
            "unit": "times",
            "limit": 5.0,
            **fields,
        }
    )


def _audit(report: Report, **fields: object) -> Report:
    return report.model_copy(update={"findings": [_finding(**fields)]})


def _only(report: Report, **fields: object) -> Baseline:
    return Baseline.of(_audit(report, **fields))
