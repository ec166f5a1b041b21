"""Audits compared: all that must be the same in two of them."""

import re
from typing import Any

from gradcheck.artifact import Cost
from gradcheck.finding import Finding
from gradcheck.report import Report

# Its value is a ratio of measured times.
TIMED = "GC601"


def fixed(report: Report) -> dict[str, Any]:
    """Findings, artifacts and endings of jobs, without measured times and who asked when."""
    return {
        "findings": [_finding(one) for one in report.findings],
        "evidence": [
            (
                one.engine,
                one.card,
                one.testbed,
                one.provenance.versions,
                one.provenance.device,
                [
                    _anywhere(artifact.model_dump_json(exclude=_times(artifact)))
                    for artifact in one.artifacts
                ],
            )
            for one in report.evidence
        ],
        "jobs": [
            (one.engine, one.testbed, one.status, _anywhere(one.reason)) for one in report.jobs
        ],
    }


def _finding(finding: Finding) -> tuple[Any, ...]:
    if finding.code == TIMED:
        return finding.code, finding.engine, finding.testbed, finding.limit
    return finding.code, _anywhere(finding.model_dump_json())


def _anywhere(text: str) -> str:
    """The text without the name of the log, which tells where and as which child it ran."""
    return re.sub(r"log: [^\s;\"]+\.log", "log: …", text)


def _times(artifact: Any) -> dict[str, Any]:
    times = {"forward", "backward", "forward_spread", "backward_spread"}
    return {"seconds": True} | ({"rows": {"__all__": times}} if isinstance(artifact, Cost) else {})
