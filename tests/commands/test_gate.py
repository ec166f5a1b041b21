"""`gradcheck gate` and `gradcheck baseline`: what is printed, written, and the exit codes."""

import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from gradcheck.baseline import Baseline
from gradcheck.cli import app
from gradcheck.commands.gate import hold, judge
from gradcheck.engine import BadInput
from gradcheck.finding import Verdict
from gradcheck.report import Report
from tests.reports import sample

FLIPPED = {"engine": "flipped", "testbed": "free_fall", "code": "GC201"}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """A made-up audit where `gradcheck audit` writes it, in a project of its own."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    report = sample.report()
    report.save("gradcheck-audit/report.json")
    return report


def broken(report: Report) -> Report:
    """The audit with one failure more."""
    found = [
        one.model_copy(update={"verdict": Verdict.FAIL, "value": 2.0, "message": "sign of x0"})
        if (one.engine, one.testbed, one.code) == tuple(FLIPPED.values())
        else one
        for one in report.findings
    ]
    return report.model_copy(update={"findings": found})


def test_from_audit_to_gate_without_an_argument(audit: Report) -> None:
    wrote = run("baseline")
    assert wrote.exit_code == 0
    assert wrote.stdout.startswith("wrote gradcheck-baseline.json: 308 findings (")
    assert "it holds 19 failures that the gate will not fail for again" in wrote.stdout
    assert "next: commit gradcheck-baseline.json" in wrote.stdout
    passed = run("gate")
    assert passed.exit_code == 0
    assert "PASS: 0 errors" in passed.stdout
    assert "19 known failures" in passed.stdout
    assert "next: nothing to do" in passed.stdout


def test_a_failure_is_one_line_and_says_what_to_do(audit: Report) -> None:
    run("baseline")
    broken(audit).save("new/report.json")
    failed = run("gate", "new")
    assert failed.exit_code == 1
    (line,) = [one for one in failed.stdout.splitlines() if one.startswith("error")]
    assert "GC201 flipped on free_fall: PASS -> FAIL (3e-11 -> 2 relative error" in line
    assert line.endswith("sign of x0")
    assert (
        "next: gradcheck explain GC201; where a difference is meant, gradcheck baseline new, "
        in (failed.stdout)
    )


def test_two_audits_are_compared_without_a_baseline_file(audit: Report) -> None:
    broken(audit).save("new.json")
    assert run("gate", "new.json", "--baseline", "gradcheck-audit").exit_code == 1
    assert run("gate", "gradcheck-audit/report.json", "--baseline", "new.json").exit_code == 0


def test_an_improvement_is_to_be_kept(audit: Report) -> None:
    broken(audit).save("old/report.json")
    run("baseline", "old")
    better = run("gate")
    assert better.exit_code == 0
    assert "better, FAIL -> PASS" in better.stdout
    assert "next: keep what got better: gradcheck baseline gradcheck-audit" in better.stdout
    again = run("baseline")
    assert "  GC201 flipped on free_fall: FAIL 2 -> PASS 3e-11" in again.stdout


def test_nothing_measured_is_exit_code_3(audit: Report) -> None:
    run("baseline")
    audit.model_copy(update={"evidence": []}).save("none/report.json")
    nothing = run("gate", "none")
    assert nothing.exit_code == 3
    assert "nothing was measured" in nothing.stdout
    refused = run("baseline", "none")
    assert refused.exit_code == 3
    assert refused.stderr.startswith("gradcheck: nothing was measured")


def test_a_baseline_that_stands_is_left_alone(audit: Report) -> None:
    run("baseline")
    before = Path("gradcheck-baseline.json").stat().st_mtime_ns
    stands = run("baseline")
    assert "stands: the audit confirms all of its 308 findings" in stands.stdout
    assert Path("gradcheck-baseline.json").stat().st_mtime_ns == before


def test_a_baseline_of_another_schema_is_replaced(audit: Report) -> None:
    Path("gradcheck-baseline.json").write_text(
        '{"kind": "gradcheck baseline", "schema_version": 9}'
    )
    made = run("baseline")
    assert made.exit_code == 0
    assert "has baseline schema 9" in made.stderr
    assert Baseline.load("gradcheck-baseline.json").findings


def test_a_number_that_drowns_in_its_noise_is_told(audit: Report) -> None:
    found = [
        one.model_copy(update={"value": 3.8, "uncertainty": 5.7, "limit": 5.0})
        if (one.engine, one.testbed, one.code) == ("exact", "free_fall", "GC601")
        else one
        for one in audit.findings
    ]
    audit.model_copy(update={"findings": found}).save("noisy/report.json")
    told = run("baseline", "noisy").stdout
    assert "GC601 exact on free_fall: 3.8 ± 5.7 relative error is too noisy to be gated" in told
    assert told.count("too noisy") == 1


def test_another_file_is_not_overwritten(audit: Report) -> None:
    Path("package.json").write_text('{"name": "mine"}')
    refused = run("baseline", "--out", "package.json")
    assert refused.exit_code == 2
    assert "package.json is there and no baseline" in refused.stderr
    assert json.loads(Path("package.json").read_text()) == {"name": "mine"}
    assert run("baseline", "--out", "gradcheck-audit/report.json").exit_code == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("gate", "cannot read baseline gradcheck-baseline.json: No such file or directory; make"),
        ("gate nowhere", "nowhere: "),
        ("gate --baseline cut.json", "cut.json is not JSON (line 1): it may be cut short; run"),
        ("gate --baseline list.json", "list.json is neither a baseline nor a report"),
        ("gate --config nowhere.toml", "cannot read nowhere.toml: No such file"),
        ("gate --config bad.toml", "[[gate.rule]] for unknown check GC999; the checks are GC101"),
        ("gate --config limit.toml", "[[gate.limit]] for unknown check gc601; the checks are GC"),
        ("baseline nowhere", "nowhere: "),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(audit: Report, words: str, complaint: str) -> None:
    Path("cut.json").write_text('{"kind": ')
    Path("list.json").write_text("[1]")
    Path("bad.toml").write_text('[[gate.rule]]\ncode = "GC999"\npolicy = "off"\n')
    Path("limit.toml").write_text('[[gate.limit]]\ncode = "gc601"\nlimit = 8.0\n')
    result = run(*words.split())
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_settings_are_read_from_the_configuration(audit: Report, tmp_path: Path) -> None:
    config = '[gate]\nbaseline = "ci/b.json"\n[[gate.rule]]\ncode = "GC2*"\npolicy = "warn"\n'
    Path("gradcheck.toml").write_text(config)
    assert run("baseline").exit_code == 0
    assert (tmp_path / "ci" / "b.json").exists()
    broken(audit).save("new/report.json")
    warned = run("gate", "new")
    assert warned.exit_code == 0
    assert "warning  GC201 flipped on free_fall: PASS -> FAIL" in warned.stdout
    Path("strict.toml").write_text('[gate]\nbaseline = "ci/b.json"\n')
    assert run("gate", "new", "--config", "strict.toml").exit_code == 1
    Path("pyproject.toml").write_text('[tool.gradcheck.gate]\nbaseline = "ci/b.json"\n')
    assert run("gate", "new", "--config", "pyproject.toml").exit_code == 1


def test_in_actions_there_are_annotations_and_a_summary(
    audit: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("baseline")
    broken(audit).save("new/report.json")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    (tmp_path / "summary.md").write_text("what another step said\n")
    result = run("gate", "new")
    assert result.exit_code == 1
    assert "::error title=gradcheck GC201 flipped on free_fall::PASS -> FAIL" in result.stdout
    text = (tmp_path / "summary.md").read_text()
    assert text.startswith("what another step said\n### gradcheck gate: FAIL: 1 error")


def test_a_summary_that_cannot_be_written_changes_no_outcome(
    audit: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("baseline")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    result = run("gate")
    assert result.exit_code == 0
    assert "cannot write the step's summary" in result.stderr


def test_an_audit_can_ask_before_it_measures(audit: Report) -> None:
    with pytest.raises(BadInput, match="make one with `gradcheck baseline`"):
        hold(Path("nowhere.json"))
    held = hold(Path("gradcheck-audit"))
    # The audit then writes over what it was held against.
    broken(audit).save("gradcheck-audit/report.json")
    screen = Console(width=300, record=True)
    assert judge(broken(audit), held, screen) == 1
    assert "GC201 flipped on free_fall: PASS -> FAIL" in screen.export_text()
    assert judge(audit, Path("gradcheck-audit"), screen) == 0
