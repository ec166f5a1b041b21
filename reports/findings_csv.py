"""The findings as a table for spreadsheets and data frames: one row each, with every field.

Numbers are numbers: `nan`, `inf` and `-inf` where they are not finite. Text that a spreadsheet
would run as a formula gets an apostrophe before it, as spreadsheets themselves mark text.

pandas takes the verdict N/A for a missing value unless it is read with `keep_default_na=False,
na_values=["", "nan"]`.
"""

import csv
import io
import json
from typing import Any

from gradcheck.finding import Finding, Where
from gradcheck.report import Report
from gradcheck.reports.legible import legible

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
COLUMNS = [
    column
    for field in Finding.model_fields
    for column in ([f"where_{one}" for one in Where.model_fields] if field == "where" else [field])
]


def findings_csv(report: Report) -> str:
    """The table as text, with one line of column names. Lines end as RFC 4180 says."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    writer.writerows(_row(one) for one in report.findings)
    return out.getvalue()


def _row(finding: Finding) -> dict[str, Any]:
    row = {name: getattr(finding, name) for name in Finding.model_fields if name != "where"}
    for name in Where.model_fields:
        row[f"where_{name}"] = getattr(finding.where, name) if finding.where else None
    if finding.where is not None and finding.where.at is not None:
        row["where_at"] = json.dumps(finding.where.model_dump(mode="json")["at"])
    return {name: _text(value) if isinstance(value, str) else value for name, value in row.items()}


def _text(text: str) -> str:
    safe = legible(str(text))
    return f"'{safe}" if safe.startswith(FORMULA) else safe
