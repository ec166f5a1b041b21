"""One way of breaking, bending or only shaking an audit, and what the gate must say of it."""

import copy
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradcheck.baseline import Baseline
from gradcheck.engine import BadInput
from gradcheck.gate import gate
from gradcheck.policy import GateSettings
from gradcheck.report import Report

Data = dict[str, Any]
Change = Callable[[Data], Any]

IDEAL, EXACT = "particles:ideal", "closed_form"
ENGINES, TESTBEDS = (IDEAL, EXACT), ("bounce", "free_fall")
"""The audit that is mutated: one engine with known failures, one without, one pair unsupported."""

PASS, FAIL, BAD, NOTHING = 0, 1, 2, 3


@dataclass(frozen=True)
class Audit:
    """A report's JSON, and the baseline that is made of it unchanged."""

    data: Data
    baseline: str

    @classmethod
    def of(cls, data: Data) -> "Audit":
        """That of a report's JSON."""
        return cls(data, _baseline(json.dumps(data)))


@dataclass(frozen=True)
class Mutation:
    """`change` edits the new report's JSON in place, or answers with the file's whole content.

    code: the exit code that is right. says: a pattern that a line (or the complaint) must match,
    as `level title: text`; empty where nothing at all may be told. before: edits the report that
    the baseline is made of. baseline: makes another file of the baseline's text.
    """

    name: str
    change: Change
    code: int
    says: str = ""
    before: Change | None = None
    baseline: Callable[[str], str | bytes] | None = None
    settings: Data = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def verdict(mutation: Mutation, audit: Audit, folder: Path) -> tuple[int, list[str]]:
    """The exit code that the gate gives, by way of both files, and what it says."""
    new, old = folder / "report.json", folder / "baseline.json"
    _write(new, _changed(mutation.change, audit.data))
    kept = audit.baseline
    if mutation.before is not None:
        kept = _baseline(_changed(mutation.before, audit.data))
    try:
        _write(old, mutation.baseline(kept) if mutation.baseline else kept)
        settings = GateSettings.model_validate(mutation.settings)
        result = gate(Report.load(new), Baseline.load(old), settings)
    except BadInput as error:
        return BAD, [str(error)]
    return result.exit_code, [f"{line.level} {line}" for line in result.lines]


def wrong(mutation: Mutation, audit: Audit, folder: Path) -> str | None:
    """How the gate misjudges the mutation; None where it is right."""
    code, said = verdict(mutation, audit, folder)
    if code != mutation.code:
        return f"exit code {code}, right is {mutation.code}; it says {said}"
    if not mutation.says:
        return f"it says {said}, and there is nothing to say" if said else None
    if not any(re.search(mutation.says, line) for line in said):
        return f"nothing it says matches '{mutation.says}': {said}"
    if any("\n" in line for line in said):
        return f"more than one line: {said}"
    return None


def nothing(data: Data) -> None:
    """Leaves the audit as it is."""


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(data: Data) -> None:
        for one in changes:
            one(data)

    return change


def findings(data: Data, **wanted: Any) -> list[Data]:
    """The findings with these fields; at least one, since a mutation that hits nothing is none."""
    found = [one for one in data["findings"] if all(one[key] == wanted[key] for key in wanted)]
    assert found, f"no finding with {wanted}"
    return found


def edit(change: Data, **wanted: Any) -> Change:
    """Gives fields of the findings with these other values."""

    def edited(data: Data) -> None:
        for one in findings(data, **wanted):
            for key, value in change.items():
                one[key] = value

    return edited


def drop(**wanted: Any) -> Change:
    """Leaves out the findings with these fields."""

    def dropped(data: Data) -> None:
        gone = findings(data, **wanted)
        data["findings"] = [one for one in data["findings"] if one not in gone]

    return dropped


def add(change: Data, **wanted: Any) -> Change:
    """Adds a copy of the first finding with these fields, changed, behind the others."""

    def added(data: Data) -> None:
        data["findings"].append({**copy.deepcopy(findings(data, **wanted)[0]), **change})

    return added


def add_first(change: Data, **wanted: Any) -> Change:
    """The same, before the others."""

    def added(data: Data) -> None:
        data["findings"].insert(0, {**copy.deepcopy(findings(data, **wanted)[0]), **change})

    return added


def job(change: Data | None, engine: str, testbed: str) -> Change:
    """Changes how one pair ended; None leaves its job out."""

    def changed(data: Data) -> None:
        for one in [*data["jobs"]]:
            if (one["engine"], one["testbed"]) == (engine, testbed):
                if change is None:
                    data["jobs"].remove(one)
                else:
                    one.update(change)

    return changed


def ended(status: str, reason: str, engine: str, testbed: str) -> Change:
    """Adds a job that ended so."""
    added = {"engine": engine, "testbed": testbed, "status": status, "reason": reason}
    return lambda data: data["jobs"].append(added)


def without(engine: str | None = None, testbed: str | None = None) -> Change:
    """Leaves an engine, a testbed or a pair out of everything."""

    def left_out(data: Data) -> None:
        def kept(one: Data, bed: str) -> bool:
            return not (engine in (None, one["engine"]) and testbed in (None, bed))

        for key in ("findings", "jobs"):
            data[key] = [one for one in data[key] if kept(one, one["testbed"])]
        data["evidence"] = [one for one in data["evidence"] if kept(one, one["testbed"]["name"])]

    return left_out


def renamed(**names: tuple[str, str]) -> Change:
    """Renames an engine or testbed (old, new) everywhere."""

    def change(data: Data) -> None:
        for key, (old, new) in names.items():
            for one in (*data["findings"], *data["jobs"], *data["evidence"]):
                if key == "testbed" and isinstance(one.get(key), dict):
                    one[key]["name"] = new if one[key]["name"] == old else one[key]["name"]
                elif one.get(key) == old:
                    one[key] = new

    return change


def every(change: Data) -> Change:
    """Gives fields of all findings other values."""

    def changed(data: Data) -> None:
        for one in data["findings"]:
            one.update(change)

    return changed


def put(path: Iterable[str | int], value: Any) -> Change:
    """Puts a value at a place of the report."""
    *way, last = path

    def change(data: Data) -> None:
        here: Any = data
        for key in way:
            here = here[key]
        here[last] = value

    return change


def _baseline(report: str | bytes) -> str:
    return Baseline.of(Report.model_validate_json(report)).text()


def _changed(change: Change, audit: Data) -> str | bytes:
    data = copy.deepcopy(audit)
    content = change(data)
    return content if isinstance(content, str | bytes) else json.dumps(data)


def _write(file: Path, content: str | bytes) -> None:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
