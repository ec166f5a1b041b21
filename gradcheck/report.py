"""The one truth of an audit: a single JSON file from which every report is drawn.

It holds the findings, the raw measurements they were judged from, what was not run and why, and
the checks' own words, so that it can be judged again and drawn again without any engine.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from gradcheck import whole_file
from gradcheck.artifact import Missing
from gradcheck.engine import BadInput
from gradcheck.evidence import Evidence, Provenance
from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.record import Record

SCHEMA_VERSION = 2
FILE = "report.json"


def source(path: str | Path) -> Path:
    """The JSON of an audit, given by itself or by the audit's folder."""
    return Path(path) / FILE if Path(path).is_dir() else Path(path)


def measurements(evidence: Iterable[Evidence]) -> int:
    """How many measurements were made."""
    return sum(not isinstance(artifact, Missing) for one in evidence for artifact in one.artifacts)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst verdict; of none at all: not applicable, never a pass."""
    return min(verdicts, key=WORST_FIRST.index, default=Verdict.NOT_APPLICABLE)


class Status(StrEnum):
    """How the job of one engine on one testbed ended."""

    OK = "ok"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    INTERRUPTED = "interrupted"
    UNSUPPORTED = "unsupported"

    @property
    def faulty(self) -> bool:
        """Did the job end in a way that leaves its verdict unknown?"""
        return self not in (Status.OK, Status.UNSUPPORTED)


class Job(Record):
    """One engine on one testbed, as it was run. `seconds` by stage: `set-up` until the engine was
    ready, then each measurement, compilation included."""

    engine: str
    testbed: str
    status: Status
    reason: str = ""
    seconds: dict[str, float] = Field(default_factory=dict)


class NotRun(Record):
    """Something that a reader may expect and that was not measured.

    An empty testbed stands for all testbeds, an empty measurement for all measurements. `error`
    tells a fault from an engine that says that it cannot or a plan that leaves it out.
    """

    engine: str
    testbed: str = ""
    measurement: str = ""
    reason: str
    error: bool = False


class CheckText(Record):
    """A check in its own words, from its docstring, so that reports need no check."""

    code: str
    title: str
    failure_title: str = ""
    error_title: str = ""
    warning_title: str = ""
    measures: str = ""
    why: str = ""
    cure: str = ""
    limit: str = ""


class Summary(Record):
    """Counts. `measured` is the number of measurements made; `counts` are findings by verdict."""

    verdict: Verdict
    counts: dict[Verdict, int]
    engines: list[str]
    testbeds: list[str]
    measured: int
    not_run: list[NotRun]

    @property
    def told(self) -> str:
        """The counts in words: `2 FAIL, 9 PASS`; empty where there are no findings."""
        return ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items() if count)


class Report(Record):
    """An audit. Written once by the runner, read by everything that draws, gates or compares."""

    schema_version: int = SCHEMA_VERSION
    provenance: Provenance
    summary: Summary
    findings: list[Finding]
    evidence: list[Evidence]
    jobs: list[Job]
    checks: dict[str, CheckText]

    @classmethod
    def build(
        cls,
        *,
        provenance: Provenance,
        evidence: Sequence[Evidence],
        findings: Sequence[Finding],
        jobs: Sequence[Job],
        checks: Mapping[str, CheckText],
        not_run: Sequence[NotRun] = (),
    ) -> Self:
        """A report with its summary worked out. All sequences in the order to be shown.

        `not_run` adds what no job or artifact tells: an engine that is not installed, a
        measurement that the profile leaves out.
        """
        measured = measurements(evidence)
        found = Counter(finding.verdict for finding in findings)
        faults = [Verdict.ERROR for job in jobs if job.status.faulty]
        summary = Summary(
            verdict=worst([*found, *faults]) if measured else Verdict.NOT_APPLICABLE,
            counts={verdict: found[verdict] for verdict in WORST_FIRST},
            engines=_names([job.engine for job in jobs], [one.engine for one in evidence]),
            testbeds=_names([job.testbed for job in jobs], [one.testbed.name for one in evidence]),
            measured=measured,
            not_run=[*_from_jobs(jobs), *_from_evidence(evidence), *not_run],
        )
        return cls(
            provenance=provenance,
            summary=summary,
            findings=list(findings),
            evidence=list(evidence),
            jobs=list(jobs),
            checks=dict(checks),
        )

    def save(self, path: str | Path) -> None:
        """Write the report whole or not at all. Raises `BadInput` where it cannot be written."""
        whole_file.write(path, self.model_dump_json() + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a report. Raises `BadInput`, in one line, for a file that is not one."""
        whole_file.require_file(path)
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise BadInput(
                f"cannot read report {path}: {reason}; give the report.json of an audit"
            ) from error
        try:
            version = _version(json.loads(text))
        except (ValueError, RecursionError) as error:
            line = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
            raise BadInput(f"{path} is not JSON{line}: it may be cut short; audit again") from error
        if version != SCHEMA_VERSION:
            raise BadInput(
                f"{path} has report schema {version!r}, this gradcheck reads {SCHEMA_VERSION}: "
                "audit again or install the gradcheck that wrote it"
            )
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise BadInput(
                f"{path} is not a report at {place}: {first['msg']}; audit again"
            ) from error


def schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of the file."""
    return Report.model_json_schema(schema_generator=_Schema)


def exit_code(report: Report) -> int:
    """0: pass. 1: a finding fails or could not be judged. 3: nothing could be measured."""
    if report.summary.verdict is Verdict.NOT_APPLICABLE:
        return 3
    return 1 if report.summary.verdict in (Verdict.FAIL, Verdict.ERROR) else 0


class _Schema(GenerateJsonSchema):
    """Numbers as they are really written: non-finite ones as strings, since JSON has no NaN."""

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        number = super().float_schema(schema)
        return {"anyOf": [number, {"enum": ["NaN", "Infinity", "-Infinity"]}]}


def _version(data: object) -> object:
    return data.get("schema_version") if isinstance(data, dict) else None


def _names(*lists: list[str]) -> list[str]:
    """Each name once, in the order in which it is first met."""
    return list(dict.fromkeys(name for names in lists for name in names))


def _from_jobs(jobs: Sequence[Job]) -> list[NotRun]:
    return [
        NotRun(
            engine=job.engine,
            testbed=job.testbed,
            reason=f"{job.status}: {job.reason}" if job.reason else str(job.status),
            error=job.status.faulty,
        )
        for job in jobs
        if job.status is not Status.OK
    ]


def _from_evidence(evidence: Sequence[Evidence]) -> list[NotRun]:
    return [
        NotRun(
            engine=one.engine,
            testbed=one.testbed.name,
            measurement=artifact.measurement,
            reason=artifact.reason,
            error=artifact.error,
        )
        for one in evidence
        for artifact in one.artifacts
        if isinstance(artifact, Missing)
    ]
