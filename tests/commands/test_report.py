"""`gradcheck report`: draws again from the JSON, in one line what it cannot."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gradcheck.cli import app
from tests.reports import hostile, sample


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["report", *words], catch_exceptions=False)


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    sample.report(engines=("exact",), testbeds=("free_fall",)).save(tmp_path / "report.json")
    return tmp_path


def test_it_draws_beside_the_audit_all_that_is_quick(audit: Path) -> None:
    result = run(str(audit))
    assert result.exit_code == 0
    files = ["report.html", "report.md", "junit.xml", "findings.csv"]
    assert result.stdout.splitlines() == [f"wrote {audit / name}" for name in files]
    assert sorted(one.name for one in audit.iterdir()) == sorted([*files, "report.json"])


def test_it_draws_one_format_elsewhere(audit: Path) -> None:
    out = audit / "new" / "place"
    result = run(str(audit / "report.json"), "--format", "pdf", "--out", str(out))
    assert result.exit_code == 0
    assert (out / "report.pdf").read_bytes().startswith(b"%PDF-")
    assert [one.name for one in out.iterdir()] == ["report.pdf"]


def test_what_was_found_does_not_change_the_exit_code(tmp_path: Path) -> None:
    sample.report(testbeds=("bounce",)).save(tmp_path / "report.json")
    assert run(str(tmp_path), "--format", "md").exit_code == 0
    assert "FAIL" in (tmp_path / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["AUDIT", "--format", "docx"], "unknown format 'docx'; there are html, pdf, md, junit"),
        (["AUDIT/nowhere"], "No such file"),
        (["AUDIT/empty"], "No such file"),
        (["AUDIT/broken.json"], "not JSON"),
        (["AUDIT", "--out", "AUDIT/report.json/below"], "cannot write"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(audit: Path, words: list[str], text: str) -> None:
    (audit / "empty").mkdir()
    (audit / "broken.json").write_text("{")
    result = run(*(word.replace("AUDIT", str(audit)) for word in words))
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_hostile_names_are_drawn(tmp_path: Path) -> None:
    hostile.report(testbeds=("bounce",)).save(tmp_path / "report.json")
    assert run(str(tmp_path), "--format", "md", "--format", "junit").exit_code == 0
