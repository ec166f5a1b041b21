"""findings.csv: one row a finding, numbers as numbers, no cell that a spreadsheet would run."""

import csv
import io
import math
from functools import cache

import pandas as pd

from gradcheck.finding import Finding, Where
from gradcheck.report import Report
from gradcheck.reports.findings_csv import FORMULA, findings_csv
from tests.reports import hostile, sample


@cache
def report() -> Report:
    return sample.report()


def rows(made: Report) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(findings_csv(made), newline="")))


def test_there_is_a_row_for_each_finding_and_a_column_for_each_field() -> None:
    found = rows(report())
    assert len(found) == len(report().findings)
    assert set(found[0]) == (set(Finding.model_fields) - {"where"}) | {
        f"where_{name}" for name in Where.model_fields
    }
    for row, one in zip(found, report().findings, strict=True):
        assert (row["code"], row["engine"], row["testbed"]) == (one.code, one.engine, one.testbed)
        assert row["verdict"] == one.verdict
        assert row["message"] == one.message
    located = next(row for row in found if row["where_label"])
    assert located["where_first_bad_step"] == "32"
    assert located["where_at"] == '{"position": [-1.0, 1.0]}'
    assert located["snippet"].startswith("import gradcheck\n\nprint")
    assert located["signature"] == "ratio exactly -1: a sign error in the adjoint"


def test_numbers_are_numbers() -> None:
    text = findings_csv(report())
    frame = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=["", "nan"])
    assert frame["value"].dtype.kind == "f"
    assert frame["limit"].dtype.kind == "f"
    assert set(frame["verdict"]) == {"PASS", "WARN", "FAIL", "ERROR", "N/A"}
    found = rows(report())
    values = [one.value for one in report().findings]
    assert any(value is not None and math.isnan(value) for value in values)
    for row, value in zip(found, values, strict=True):
        assert (row["value"] == "") == (value is None)
        if value is not None:
            assert float(row["value"]) == value or math.isnan(value)


def test_negative_and_infinite_numbers_stay_numbers() -> None:
    made = sample.report(engines=("exact",), testbeds=("bounce",))
    values = (-1.5, math.inf, -math.inf, math.nan, 0.0)
    findings = [made.findings[0].model_copy(update={"value": value}) for value in values]
    found = rows(made.model_copy(update={"findings": findings}))
    assert [row["value"] for row in found] == ["-1.5", "inf", "-inf", "nan", "0.0"]


def test_no_cell_is_a_formula() -> None:
    found = rows(hostile.report())
    assert any(row["engine"] == f"'{hostile.FORMULA}" for row in found)
    for row in found:
        for name, cell in row.items():
            if name not in ("value", "limit"):
                assert not cell.startswith(FORMULA), name


def test_each_start_of_a_formula_is_defused() -> None:
    made = sample.report(engines=("exact",), testbeds=("bounce",))
    starts = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\n=1", "＝1", "plain", "'quoted")
    findings = [made.findings[0].model_copy(update={"message": one}) for one in starts]
    found = rows(made.model_copy(update={"findings": findings}))
    assert [row["message"] for row in found] == [
        *(f"'{one}" for one in starts[:-2]),
        "plain",
        "'quoted",
    ]


def test_hostile_names_stay_in_their_cells() -> None:
    found = rows(hostile.report())
    assert len(found) == len(hostile.report().findings)
    assert any(row["engine"] == hostile.LONG for row in found)
    assert any("⟨U+0000⟩" in row["engine"] for row in found)
    assert all(None not in row and None not in row.values() for row in found)
    findings_csv(hostile.report()).encode("utf-8")


def test_a_report_of_nothing_has_names_of_columns() -> None:
    empty = Report.build(provenance=sample.PROVENANCE, evidence=[], findings=[], jobs=[], checks={})
    assert findings_csv(empty).startswith('"code","engine","testbed","verdict"')
