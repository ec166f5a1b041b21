"""`gradcheck gate`."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradcheck.commands.command import console, near

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from gradcheck.baseline import Baseline
    from gradcheck.config import Config
    from gradcheck.gate import GateResult
    from gradcheck.policy import GateSettings
    from gradcheck.report import Report

EXAMPLES = """
  gradcheck gate
  gradcheck gate DIR --baseline gradcheck-baseline.json
  gradcheck gate new/report.json --baseline old/report.json
"""
EXIT_CODES = """
Exit codes:
  0  nothing is worse than in the baseline
  1  something is worse, missing, or could not be judged
  2  wrong usage or bad input
  3  nothing was measured
"""
STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


AuditArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[DIR|report.json]", help="The audit. Left out: where the last one was written."
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(help="A gradcheck.toml or pyproject.toml. Left out: the nearest one."),
]


@dataclass(frozen=True)
class Held:
    """A baseline and how it is held against audits, read before anything is measured."""

    baseline: Baseline
    path: Path
    settings: GateSettings


def gate(
    new: AuditArgument = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            help="What to compare with: a baseline, or another audit's folder or report.json. "
            "Left out: that of gradcheck.toml, or gradcheck-baseline.json."
        ),
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Compare an audit with a baseline, and fail for what is worse.

    Worse is: a new failure or warning, a value that rose beyond the noise that both runs recorded,
    and whatever was there and is missing, crashed or no longer judged. Known failures and
    improvements pass. Policies and limits are read from [gate] in gradcheck.toml. In GitHub
    Actions every line is an annotation too, and the step's summary gets the outcome.
    """
    from gradcheck.report import Report

    said = configured(config)
    file = audited(new, said)
    report = Report.load(file)
    raise typer.Exit(judge(report, hold(baseline, said), console(), file))


def configured(file: Path | None) -> Config:
    """The configuration in that file, or the nearest one. Raises `BadInput`."""
    from gradcheck import config

    return config.load(file) if file is not None else config.find()


def audited(given: Path | None, said: Config) -> Path:
    """The report.json of a folder, of itself, or of where audits are written."""
    from gradcheck.engine import BadInput
    from gradcheck.report import source
    from gradcheck.request import Request

    place = given if given is not None else near(Request(config=said).folder)
    if not place.exists():
        raise BadInput(f"there is no audit in {place}: run `gradcheck audit`, or name another")
    return source(place)


def baseline_file(given: Path | None, said: Config) -> Path:
    """Where the baseline lies: as given, as configured, or under its usual name."""
    return near(given if given is not None else said.folder / said.gate.baseline)


def hold(baseline: Path | None = None, said: Config | None = None) -> Held:
    """Read the baseline and the settings. Raises `BadInput` for what is wrong with either, so
    that an audit can ask before it measures for an hour."""
    from gradcheck.baseline import Baseline

    said = said if said is not None else configured(None)
    _known_codes(said.gate)
    path = baseline_file(baseline, said)
    return Held(Baseline.load(path), path, said.gate)


def judge(
    report: Report, held: Held | Path | None, screen: Console, file: Path | None = None
) -> int:
    """Hold the report against the baseline, print every difference, and give the exit code.

    held: from `hold`, or the baseline's path, which is then read now. file: where the report is.
    """
    from gradcheck.gate import gate as compared

    held = held if isinstance(held, Held) else hold(held)
    result = compared(report, held.baseline, held.settings)
    actions = os.environ.get("GITHUB_ACTIONS") == "true"
    for text in _rendered(result, held, file, actions):
        screen.print(text, soft_wrap=True)
    if actions:
        _annotate(result, held, screen)
    return result.exit_code


def _rendered(result: GateResult, held: Held, file: Path | None, actions: bool) -> Iterator[Text]:
    """One line a difference, the outcome, and what to do next."""
    from rich.text import Text

    from gradcheck.annotation import harmless

    for line in result.lines:
        text = Text(f"{line.level:<8} ", STYLES[line.level])
        yield text.append(harmless(str(line)) if actions else str(line), "default")
    yield Text(str(result), "bold green" if result.exit_code == 0 else "bold red")
    yield Text(f"baseline: {held.path}" + (f", audit: {file}" if file is not None else ""))
    yield Text(f"next: {_next(result, held, file)}")


def _next(result: GateResult, held: Held, file: Path | None) -> str:
    audit = file.parent if file is not None and file.name == "report.json" else file
    renew = f"gradcheck baseline {shlex.quote(str(audit)) if audit is not None else 'DIR'}"
    if result.exit_code == 3:
        return "see in the report why nothing was measured or judged"
    if result.exit_code == 1:
        from gradcheck.finding import Verdict

        told = [line for line in result.lines if line.code]
        told.sort(key=lambda line: line.verdict is not Verdict.FAIL)
        code = told[0].code if told else ""
        explain = f"gradcheck explain {code}; " if code else ""
        return f"{explain}where a difference is meant, {renew}, and commit {held.path}"
    if any(line.better for line in result.lines):
        return f"keep what got better: {renew}, and commit {held.path}"
    return "nothing to do"


def _annotate(result: GateResult, held: Held, screen: Console) -> None:
    """Annotations on standard output, and the outcome in the step's summary."""
    from rich.text import Text

    from gradcheck import annotation

    for command in annotation.annotations(result):
        screen.print(Text(command), soft_wrap=True)
    if file := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with Path(file).open("a", encoding="utf-8") as out:
                out.write(annotation.summary(result, str(held.path)))
        except OSError as error:  # what was found counts more than where it is told
            typer.echo(f"gradcheck: cannot write the step's summary: {error.strerror}", err=True)


def _known_codes(settings: GateSettings) -> None:
    """Raises `BadInput` where a rule or limit is for a check that nobody knows."""
    from fnmatch import fnmatchcase

    from gradcheck.checks import CHECKS
    from gradcheck.engine import BadInput

    known = [check.code for check in CHECKS]
    for kind, patterns in (("rule", settings.rule), ("limit", settings.limit)):
        for pattern in patterns:
            if not any(fnmatchcase(code, pattern.code) for code in known):
                raise BadInput(
                    f"[[gate.{kind}]] for unknown check {pattern.code}; "
                    f"the checks are {', '.join(known)}"
                )
