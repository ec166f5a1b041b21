"""What an audit writes is what the published schema says."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from gradcheck.cli import app
from gradcheck.report import Report
from tests.docs.page import DOCS
from tests.reports import sample

SCHEMA = json.loads((DOCS / "report-schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def written(report: Report, folder: Path) -> Any:
    report.save(folder / "report.json")
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def complaints(data: Any) -> list[str]:
    return [f"{one.json_path}: {one.message[:200]}" for one in VALIDATOR.iter_errors(data)]


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_an_audit_validates(tmp_path: Path) -> None:
    words = ["audit", "--engine", "closed_form", "--testbed", "free_fall", "--out", str(tmp_path)]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert complaints(json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))) == []


def test_a_report_with_numbers_that_are_not_finite_validates(tmp_path: Path) -> None:
    report = sample.report(engines=("flipped",), testbeds=("drop",))
    assert any(one.value is not None and math.isnan(one.value) for one in report.findings)
    data = written(report, tmp_path)
    assert '"NaN"' in json.dumps(data)
    assert complaints(data) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data["findings"][0].update(verdict="OK"),
        lambda data: data["findings"][0].update(value="a lot"),
        lambda data: data["findings"][0].pop("code"),
        lambda data: data["summary"].update(extra=1),
        lambda data: data["jobs"][0].update(status="fine"),
        lambda data: data["evidence"][0]["artifacts"][0].update(kind="other"),
        lambda data: data.pop("provenance"),
    ],
)
def test_what_is_no_report_does_not(spoil: Any, tmp_path: Path) -> None:
    data = written(sample.report(engines=("exact",), testbeds=("free_fall",)), tmp_path)
    spoil(data)
    assert complaints(data)
