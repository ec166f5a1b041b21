"""The table of formats: each is found and written, none is loaded before it is drawn."""

import subprocess
import sys
from pathlib import Path

import pytest

from gradcheck.engine import BadInput
from gradcheck.report import source
from gradcheck.reports import formats
from tests.reports import sample

STARTS = {
    "html": b"<!DOCTYPE html>",
    "pdf": b"%PDF-",
    "md": "## ✅ gradcheck: PASS".encode(),
    "junit": b"<?xml ",
    "csv": b'"code","engine"',
}


def test_every_format_is_written(tmp_path: Path) -> None:
    report = sample.report(engines=("exact",), testbeds=("free_fall",))
    written = formats.write(report, tmp_path / "new", ["all"])
    assert [one.name for one in written] == [one.file for one in formats.FORMATS.values()]
    for file, start in zip(written, STARTS.values(), strict=True):
        assert file.read_bytes().lstrip().startswith(start), file
    assert sorted(one.name for one in (tmp_path / "new").iterdir()) == sorted(
        one.name for one in written
    )


def test_an_audit_writes_by_default_what_is_quick() -> None:
    assert formats.DEFAULT == ("html", "md", "junit", "csv")


def test_reports_of_another_name(tmp_path: Path) -> None:
    report = sample.report(engines=("exact",), testbeds=("free_fall",))
    written = formats.write(report, tmp_path, ["md", "csv"], stem="compare")
    assert [one.name for one in written] == ["compare.md", "findings.csv"]


def test_names_of_formats() -> None:
    assert formats.chosen(["pdf", "md", "pdf"]) == ("pdf", "md")
    assert formats.chosen(["md", "all"]) == tuple(formats.FORMATS)
    assert formats.chosen([]) == ()
    with pytest.raises(BadInput, match="unknown format 'docx'; there are html, pdf, md, junit"):
        formats.chosen(["html", "docx"])


def test_where_an_audit_lies(tmp_path: Path) -> None:
    assert source(tmp_path) == tmp_path / "report.json"
    assert source(tmp_path / "mine.json") == tmp_path / "mine.json"


def test_nothing_is_loaded_before_it_is_drawn() -> None:
    code = "import sys, gradcheck.reports.formats; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    assert not {"typst", "jinja2", "matplotlib", "jax", "pandas"} & set(loaded)
