"""What an audit found, in short: the file that a project commits and its gate compares with.

One line for each finding and each job, sorted; numbers to what their noise supports; no time, no
name of a machine. Written again after another audit it keeps every number that the new one
confirms, so that a diff shows only what has really changed.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError

from gradcheck import whole_file
from gradcheck.engine import BadInput
from gradcheck.entry import (
    Entry,
    by_subject,
    entries_by_subject,
    judged,
    measured,
    severity,
    worst_jobs,
)
from gradcheck.origin import Origin
from gradcheck.policy import NOISE
from gradcheck.record import Record
from gradcheck.report import Report, Status, source

BASELINE_VERSION = 1
KIND = "gradcheck baseline"


class JobEntry(Record):
    """How one engine on one testbed ended."""

    engine: str
    testbed: str
    status: Status


class Baseline(Record):
    """The file. Entries of one subject are its findings, the worst first."""

    kind: Literal["gradcheck baseline"] = "gradcheck baseline"
    schema_version: int = BASELINE_VERSION
    origin: Origin
    jobs: list[JobEntry] = Field(default_factory=list)
    findings: list[Entry]

    @classmethod
    def of(cls, report: Report, previous: "Baseline | None" = None, noise: float = NOISE) -> Self:
        """The baseline of an audit.

        An entry of `previous` stays where the audit has the same verdict, and value and limit
        within `noise` times both uncertainties (see `move.noise_of`). Raises `BadInput` where
        nothing was measured: such a baseline would guard nothing.
        """
        if not measured(report) or not any(judged(one.verdict) for one in report.findings):
            raise BadInput("nothing was measured or judged in this audit: it is no baseline")
        old = entries_by_subject(previous.findings if previous is not None else ())
        entries = []
        for subject, findings in sorted(by_subject(report.findings).items()):
            entries += _kept([Entry.of(one) for one in findings], old.get(subject, []), noise)
        return cls(
            origin=Origin.of(report),
            jobs=[
                JobEntry(engine=engine, testbed=testbed, status=job.status)
                for (engine, testbed), job in sorted(worst_jobs(report.jobs).items())
            ],
            findings=entries,
        )

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a baseline, or make one of a whole `report.json` or of an audit's folder.

        Raises `BadInput`, in one line, for what is none of them, another schema, or an empty one.
        """
        file = source(path)
        data = _json(file)
        if isinstance(data, dict) and "evidence" in data and "kind" not in data:
            return cls.of(Report.load(file))
        if not isinstance(data, dict) or data.get("kind") != KIND:
            raise BadInput(
                f"{file} is neither a baseline nor a report: make one with `gradcheck baseline`"
            )
        version = data.get("schema_version")
        if version != BASELINE_VERSION:
            raise BadInput(
                f"{file} has baseline schema {version!r}, this gradcheck reads "
                f"{BASELINE_VERSION}: audit and run `gradcheck baseline` again, or install the "
                "gradcheck that wrote it"
            )
        try:
            made = cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise BadInput(
                f"{file} is not a baseline at {place}: {first['msg']}; run `gradcheck baseline` "
                "again"
            ) from None
        pairs = [(one.engine, one.testbed) for one in made.jobs]
        twice = next((pair for pair in pairs if pairs.count(pair) > 1), None)
        if twice is not None:
            raise BadInput(
                f"{file} holds the job of {twice[0]} on {twice[1]} more than once, as after a "
                "merge: run `gradcheck baseline` again"
            )
        if not any(judged(one.verdict) for one in made.findings):
            raise BadInput(
                f"{file} holds no judged finding, so that it guards nothing: run "
                "`gradcheck baseline` again"
            )
        return made

    def text(self) -> str:
        """The file's content: JSON, one finding and one job a line."""
        origin = [f"  {_line(name)}: {_line(value)}" for name, value in _data(self.origin).items()]
        jobs = [f"  {_line(_data(one))}" for one in self.jobs]
        findings = [f"  {_line(_data(one))}" for one in self.findings]
        return (
            "{\n"
            f' "kind": {_line(self.kind)},\n'
            f' "schema_version": {self.schema_version},\n'
            ' "origin": {\n' + ",\n".join(origin) + "\n },\n"
            ' "jobs": [\n' + ",\n".join(jobs) + "\n ],\n"
            ' "findings": [\n' + ",\n".join(findings) + "\n ]\n"
            "}\n"
        )

    def save(self, path: str | Path) -> None:
        """Write it whole or not at all. Raises `BadInput` where it cannot be written."""
        whole_file.write(path, self.text())


def _kept(new: Sequence[Entry], old: Sequence[Entry], noise: float) -> list[Entry]:
    """The new entries of one subject, old ones in place of those that they confirm."""
    left, out = list(old), []
    # The very same come first, so that a second time finds what the first one kept.
    for entry in sorted(new, key=lambda one: one not in old):
        near = (one for one in left if one.confirmed_by(entry, noise))
        kept = entry if entry in left else next(near, None)
        if kept is not None:
            left.remove(kept)
        out.append(entry if kept is None else kept)
    return sorted(out, key=lambda one: (severity(one), one.model_dump_json()))


def _data(record: Record) -> dict[str, Any]:
    """What it says, numbers that are not finite as strings."""
    data: dict[str, Any] = json.loads(record.model_dump_json(exclude_defaults=True))
    return data


def _line(value: object) -> str:
    return json.dumps(value, allow_nan=False)


def _json(file: Path) -> Any:
    whole_file.require_file(file)
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError:
        raise BadInput(f"cannot read baseline {file}: it is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        line = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise BadInput(
            f"{file} is not JSON{line}: it may be cut short; run `gradcheck baseline` again"
        ) from None
    except OSError as error:
        raise BadInput(
            f"cannot read baseline {file}: {error.strerror}; make one with `gradcheck baseline`"
        ) from None
