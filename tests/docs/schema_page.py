"""docs/report-schema.json: the JSON schema of an audit's report.json, from its records."""

import json

from gradcheck.report import SCHEMA_VERSION, schema


def pages() -> dict[str, str]:
    """The schema by its path in docs/."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The report.json of a gradcheck audit, schema version {SCHEMA_VERSION}",
    }
    return {"report-schema.json": json.dumps(schema() | head, indent=1, ensure_ascii=False) + "\n"}
