"""`gradcheck baseline`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradcheck.commands.gate import (
    AuditArgument,
    ConfigOption,
    audited,
    baseline_file,
    configured,
)

if TYPE_CHECKING:
    from gradcheck.baseline import Baseline
    from gradcheck.entry import Entry, Subject

EXAMPLES = """
  gradcheck baseline
  gradcheck baseline DIR --out gradcheck-baseline.json
"""
SHOWN = 20


def baseline(
    new: AuditArgument = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The file. Left out: that of gradcheck.toml, or gradcheck-baseline.json."
        ),
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Write what an audit found into a small file, for `gradcheck gate` to compare with.

    Commit the file. Where it is there already, it keeps every number that the new audit confirms
    within the noise that both runs recorded, so that its diff shows what has really changed.
    """
    from gradcheck.baseline import Baseline
    from gradcheck.engine import Unsupported
    from gradcheck.entry import about, measured
    from gradcheck.move import Measured
    from gradcheck.report import Report

    said = configured(config)
    report = Report.load(audited(new, said))
    file = baseline_file(out, said)
    previous = _previous(file)
    if not measured(report):
        raise Unsupported("nothing was measured in this audit: it is no baseline")
    made = Baseline.of(report, previous, said.gate.noise)
    if previous is not None and made.text() == previous.text():
        typer.echo(f"{file} stands: the audit confirms all of its {len(made.findings)} findings")
    else:
        made.save(file)
        typer.echo(f"wrote {file}: {_counts(made)}")
        if previous is not None:
            _tell_changes(previous, made)
    for one in made.findings:
        if _drowned(one, said.gate.noise):
            value = Measured(one.value or 0.0, one.uncertainty)
            typer.echo(
                f"{_title(about(one))}: {value} {one.unit} is too noisy to be gated: remove the "
                "file, and audit on a quiet machine"
            )
    known = sum(one.verdict in ("FAIL", "ERROR") for one in made.findings)
    if known:
        what = "a failure" if known == 1 else f"{known} failures"
        typer.echo(f"it holds {what} that the gate will not fail for again")
    typer.echo(f"next: commit {file}, and let CI run: gradcheck audit --baseline {file}")


def _previous(file: Path) -> Baseline | None:
    """What is there already. Raises `BadInput` rather than overwrite what is no baseline."""
    import json

    from gradcheck import whole_file
    from gradcheck.baseline import KIND, Baseline
    from gradcheck.engine import BadInput

    if not file.exists():
        return None
    whole_file.require_file(file)
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        data = None
    if data is not None and not (isinstance(data, dict) and data.get("kind") == KIND):
        raise BadInput(f"{file} is there and no baseline: choose another file with --out")
    try:
        return Baseline.load(file)
    except BadInput as error:
        typer.echo(f"the file that was there could not be used: {error}", err=True)
        return None


def _drowned(entry: Entry, noise: float) -> bool:
    """Could the value double, and cross its check's limit, within its noise?"""
    value, uncertainty, limit = entry.value, entry.uncertainty, entry.limit
    if not value or not uncertainty or limit is None or value > limit:
        return False
    return noise * uncertainty > value and value + noise * uncertainty > limit


def _counts(made: Baseline) -> str:
    verdicts = Counter(one.verdict for one in made.findings)
    told = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    return f"{len(made.findings)} findings ({told})"


def _tell_changes(old: Baseline, new: Baseline) -> None:
    """What is other than in the file before, a line for each subject."""
    from gradcheck.entry import entries_by_subject

    for change in old.origin.changes(new.origin):
        typer.echo(f"  {change}")
    before, now = entries_by_subject(old.findings), entries_by_subject(new.findings)
    changed = [one for one in sorted({*before, *now}) if before.get(one) != now.get(one)]
    for subject in changed[:SHOWN]:
        typer.echo(f"  {_title(subject)}: {_said(before, subject)} -> {_said(now, subject)}")
    if len(changed) > SHOWN:
        typer.echo(f"  … and {len(changed) - SHOWN} more: see the file's diff")


def _title(subject: Subject) -> str:
    from gradcheck.gate_line import Level, Line

    return Line.at(Level.NOTE, subject, "", subject.subject).title


def _said(groups: dict[Subject, list[Entry]], subject: Subject) -> str:
    from gradcheck.move import Measured

    return (
        ", ".join(
            one.verdict
            if one.value is None
            else f"{one.verdict} {Measured(one.value, one.uncertainty)}"
            for one in groups.get(subject, [])
        )
        or "none"
    )
