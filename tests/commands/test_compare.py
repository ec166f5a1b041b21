"""`gradcheck compare`: what differs on the terminal, one report of all audits."""

from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from gradcheck import changes_table
from gradcheck.changes import changes
from gradcheck.cli import app
from gradcheck.finding import Verdict
from gradcheck.merged import Audit, differences
from gradcheck.report import Report
from tests.reports import hostile, sample


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["compare", *words], catch_exceptions=False)


def worsened(report: Report) -> Report:
    """The report with one verdict changed, by another version of a library."""
    first = next(one for one in report.findings if one.code == "GC201")
    findings = [
        one.model_copy(update={"verdict": Verdict.FAIL, "value": 2.0}) if one is first else one
        for one in report.findings
    ]
    versions = {**report.provenance.versions, "jax": "0.11.0"}
    return Report.build(
        provenance=report.provenance.model_copy(update={"versions": versions}),
        evidence=report.evidence,
        findings=findings,
        jobs=report.jobs,
        checks=report.checks,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    report = sample.report(engines=("exact",), testbeds=("free_fall",))
    report.save(tmp_path / "old" / "report.json")
    worsened(report).save(tmp_path / "new" / "report.json")
    return tmp_path


def test_what_differs_is_shown_and_one_report_drawn(folder: Path) -> None:
    out = folder / "out"
    result = run(str(folder / "old"), str(folder / "new"), "--out", str(out))
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "version of jax 0.10.2 0.11.0" in lines
    assert "exact on free_fall GC201 (relative error) PASS 3 × 10⁻¹¹ FAIL 2" in lines
    assert any(
        line.startswith("different verdicts: 1; different values: 0; the same: ") for line in lines
    )
    assert sorted(one.name for one in out.iterdir()) == ["compare.html", "compare.json"]
    page = (out / "compare.html").read_text(encoding="utf-8")
    assert "exact (old)" in page
    assert "exact (new)" in page
    made = Report.load(out / "compare.json")
    assert made.summary.engines == ["exact (old)", "exact (new)"]
    assert made.provenance.command.startswith("gradcheck compare ")


def test_labels_and_formats(folder: Path) -> None:
    words = [str(folder / "old/report.json"), str(folder / "new"), "--out", str(folder / "out")]
    result = run(*words, "--label", "main", "--label", "branch", "--format", "md", "--all")
    assert result.exit_code == 0
    assert "GC101" in result.stdout
    text = (folder / "out" / "compare.md").read_text(encoding="utf-8")
    assert "`exact (main)`" in text
    assert "jax main: 0.10.2; branch: 0.11.0" in text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["F/old"], "one audit is nothing to compare"),
        (["F/old", "F/nowhere"], "No such file"),
        (["F/old", "F/new", "--format", "doc"], "unknown format 'doc'"),
        (["F/old", "F/new", "--label", "x"], "2 audits, 1 labels"),
        (["F/old", "F/new", "--out", "F/old/report.json"], "cannot write"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(folder: Path, words: list[str], text: str) -> None:
    result = run(*(word.replace("F", str(folder), 1) if word[0] == "F" else word for word in words))
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stderr.count("\n") == 1


def shown(audits: list[Audit], everything: bool = False) -> str:
    console = Console(width=200, force_terminal=False)
    with console.capture() as capture:
        found = changes_table.render(audits, changes(audits), differences(audits), everything)
        console.print(found)
    return capture.get()


def test_many_rows_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes_table, "SHOWN", 2)
    old = sample.report(engines=("exact",), testbeds=("bounce", "drop"))
    new = sample.report(engines=("flipped",), testbeds=("bounce", "drop"), rename=lambda _: "exact")
    audits = [Audit("old", old), Audit("new", new)]
    assert "… and 5 more that differ; --all shows them" in shown(audits)
    assert "more that" not in shown(audits, everything=True)


def test_hostile_names_are_text_on_the_terminal() -> None:
    made = hostile.report(testbeds=("bounce",))
    text = shown([Audit(hostile.NASTY, made), Audit(hostile.LONG, worsened(made))])
    assert "\u202e" not in text
    assert "\x1b[31m" not in text
    assert "\x00" not in text
    assert max(map(len, text.splitlines())) <= 200
    assert "<script>" in text
