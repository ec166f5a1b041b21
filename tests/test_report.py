"""The audit's JSON: whole, honest about NaN, refused in one line when it is something else."""

import json
import math
import re
from pathlib import Path
from typing import get_args

import pytest

from gradcheck.artifact import AnyArtifact
from gradcheck.engine import BadInput
from gradcheck.evidence import Evidence, Provenance
from gradcheck.finding import Finding, Verdict, Where
from gradcheck.record import Record
from gradcheck.report import (
    SCHEMA_VERSION,
    CheckText,
    Job,
    NotRun,
    Report,
    Status,
    Summary,
    exit_code,
    schema,
    worst,
)
from tests.reports import sample

DOCUMENT = Path(__file__).parents[1] / "docs" / "report-schema.md"


def built(
    verdicts: list[Verdict], statuses: tuple[Status, ...] = (Status.OK,), measured: bool = True
) -> Report:
    """A report with one finding for each verdict and one job for each status."""
    return Report.build(
        provenance=sample.PROVENANCE,
        evidence=sample.report().evidence[:1] if measured else [],
        findings=[
            Finding(code="GC201", engine="exact", testbed="bounce", verdict=one, message="so")
            for one in verdicts
        ],
        jobs=[Job(engine="exact", testbed="bounce", status=one) for one in statuses],
        checks={},
    )


def test_a_report_survives_writing_and_reading(tmp_path: Path) -> None:
    report = sample.report()
    report.save(tmp_path / "new" / "report.json")
    again = Report.load(tmp_path / "new" / "report.json")
    assert again.model_dump_json() == report.model_dump_json()
    assert again.findings == report.findings or any(
        one.value is not None and math.isnan(one.value) for one in report.findings
    )


def test_nan_and_infinity_survive_as_numbers(tmp_path: Path) -> None:
    report = sample.report()
    report.save(tmp_path / "report.json")
    text = (tmp_path / "report.json").read_text()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    again = Report.load(tmp_path / "report.json")
    bad = next(
        one
        for one in again.findings
        if one.code == "GC204" and one.value is not None and not one.value <= 1.0
    )
    assert bad.value is not None
    assert math.isnan(bad.value)
    assert bad.limit == 0.0
    assert '"NaN"' in text
    assert '"Infinity"' in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No such file"),
        ("", "not JSON"),
        ('{"schema_version": 1, "prov', "not JSON"),
        ("[]", "schema None"),
        ('{"schema_version": 99}', "schema 99"),
        ('{"schema_version": 2}', "provenance"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_what_is_not_a_report_is_refused_in_one_line(
    tmp_path: Path, text: str | bytes | None, said: str
) -> None:
    path = tmp_path / "report.json"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadInput, match=said) as caught:
        Report.load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_unknown_field_is_refused(tmp_path: Path) -> None:
    data = json.loads(sample.report().model_dump_json())
    data["summary"]["extra"] = 1
    (tmp_path / "report.json").write_text(json.dumps(data))
    with pytest.raises(BadInput, match=r"summary\.extra"):
        Report.load(tmp_path / "report.json")


def test_a_report_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadInput, match="cannot write"):
        sample.report().save(tmp_path / "file" / "report.json")
    (tmp_path / "report.json").mkdir()
    with pytest.raises(BadInput, match="cannot write"):
        sample.report().save(tmp_path / "report.json")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "report.json"]


@pytest.mark.parametrize(
    ("verdicts", "statuses", "verdict", "code"),
    [
        ([Verdict.PASS, Verdict.NOT_APPLICABLE], (Status.OK,), Verdict.PASS, 0),
        ([Verdict.PASS, Verdict.WARN], (Status.OK,), Verdict.WARN, 0),
        ([Verdict.PASS, Verdict.FAIL], (Status.OK,), Verdict.FAIL, 1),
        ([Verdict.PASS, Verdict.ERROR], (Status.OK,), Verdict.ERROR, 1),
        ([Verdict.ERROR, Verdict.FAIL], (Status.OK,), Verdict.FAIL, 1),
        ([Verdict.PASS], (Status.OK, Status.UNSUPPORTED), Verdict.PASS, 0),
        ([Verdict.PASS], (Status.OK, Status.CRASHED), Verdict.ERROR, 1),
        ([Verdict.PASS], (Status.OK, Status.TIMED_OUT), Verdict.ERROR, 1),
        ([Verdict.PASS], (Status.OK, Status.OUT_OF_MEMORY), Verdict.ERROR, 1),
        ([], (Status.OK,), Verdict.NOT_APPLICABLE, 3),
        ([Verdict.NOT_APPLICABLE], (Status.OK,), Verdict.NOT_APPLICABLE, 3),
    ],
)
def test_exit_codes(
    verdicts: list[Verdict], statuses: tuple[Status, ...], verdict: Verdict, code: int
) -> None:
    report = built(verdicts, statuses)
    assert report.summary.verdict is verdict
    assert exit_code(report) == code


def test_nothing_measured_is_neither_a_pass_nor_a_finding() -> None:
    report = built([Verdict.ERROR], (Status.CRASHED,), measured=False)
    assert report.summary.measured == 0
    assert exit_code(report) == 3


def test_the_worst_of_nothing_is_not_a_pass() -> None:
    assert worst([]) is Verdict.NOT_APPLICABLE


def test_everything_that_was_not_run_is_listed_with_its_reason() -> None:
    rows = sample.report().summary.not_run
    said = {(one.engine, one.testbed, one.measurement): (one.reason, one.error) for one in rows}
    assert said["differences", "double_pendulum", ""] == ("timed out: no answer within 30 s", True)
    assert not said["differences", "drop", ""][1]
    assert said["exact", "free_fall", "sweep"] == ("this testbed has no contact", False)
    assert said["newton", "", ""][0].startswith("not installed")


def test_the_schema_allows_numbers_that_are_not_finite() -> None:
    value = schema()["$defs"]["Finding"]["properties"]["value"]
    assert {"enum": ["NaN", "Infinity", "-Infinity"]} in value["anyOf"]


@pytest.mark.parametrize(
    "record",
    [Report, Summary, NotRun, Finding, Where, Evidence, Job, CheckText, Provenance],
)
def test_the_document_names_every_field(record: type[Record]) -> None:
    section = DOCUMENT.read_text().split(f"\n## {record.__name__}\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(record.model_fields)


def test_the_document_names_the_version_and_every_kind_of_artifact() -> None:
    text = DOCUMENT.read_text()
    assert f"Schema version: **{SCHEMA_VERSION}**" in text
    kinds = {one.model_fields["kind"].default for one in get_args(get_args(AnyArtifact)[0])}
    listed = text.split("Kinds of artifact:")[1].split("Their fields")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == kinds
