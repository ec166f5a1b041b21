"""`gradcheck audit`."""

import shlex
import signal
from pathlib import Path
from typing import Annotated

import typer

from gradcheck import request
from gradcheck.commands.command import console

EXAMPLES = """
  gradcheck audit
  gradcheck audit --engine mjx --testbed drop --out DIR
  gradcheck audit --engine particles --testbed bounce --code GC202
  gradcheck audit path/to/file.py:MyEngine --profile full
  gradcheck audit --baseline gradcheck-baseline.json
  gradcheck audit --resume --out DIR
  gradcheck audit --executor dask=tcp://scheduler:8786
"""


def audit(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE.py:NAME]...", help="Engines of your own, or names."),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(
            help="An engine, a family of them (particles), or a name from gradcheck.toml. "
            "May be repeated."
        ),
    ] = None,
    testbed: Annotated[
        list[str] | None, typer.Option(help="A testbed, or FILE.py:NAME. May be repeated.")
    ] = None,
    code: Annotated[
        list[str] | None,
        typer.Option(
            help="Judge only this check (GC201), and measure only what it needs. May be repeated."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help=f"quick or full: how much is measured. [default: {request.PROFILE}]"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help=f"Folder of the report. [default: {request.OUT}]")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help=f"Seed of all that is random. [default: {request.SEED}]"),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help=f"Child processes at once. [default: {request.JOBS}]"),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0.1, help=f"Seconds for one measurement. [default: {request.TIME_LIMIT:g}]"
        ),
    ] = None,
    memory_limit: Annotated[
        float | None,
        typer.Option(
            min=0.25,
            help=f"GiB of memory for one child process. [default: {request.MEMORY_LIMIT:g}]",
        ),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            help="Then hold the audit against this baseline, as `gradcheck gate` does: the exit "
            "code is the gate's, and known failures pass."
        ),
    ] = None,
    format: Annotated[
        list[str] | None,
        typer.Option(
            help="Also write report.pdf: --format pdf. (HTML, Markdown, JUnit XML and CSV are "
            "always written.) May be repeated."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with the audit that was begun in the output folder and interrupted: what "
            "was measured is kept. Nothing else need be said; what is said must agree.",
        ),
    ] = False,
    retry: Annotated[
        bool,
        typer.Option(
            "--retry",
            help="With --resume: measure again what crashed, ran out of time or memory, or failed.",
        ),
    ] = False,
    executor: Annotated[
        str,
        typer.Option(
            metavar="WHERE",
            help="Where jobs run: local, or on the workers of a running cluster: dask=ADDRESS, "
            "ray, ray=ADDRESS.",
        ),
    ] = request.LOCAL,
) -> None:
    """Audit engines on testbeds.

    What was measured is judged and written to a report: report.json and what is drawn from it
    (report.html, report.md, junit.xml, findings.csv), and the raw measurements, in the output
    folder. Without engines and testbeds the built-in plan is run; with engines only, these on
    every testbed; with testbeds only, the plan's engines on these.

    What the options leave out is read from [audit] in the nearest gradcheck.toml, or in
    [tool.gradcheck] of pyproject.toml; [engines.NAME] there gives engines names of their own.

    Ctrl-C (or SIGTERM) ends the measurements, and what was measured is reported: exit code 1, or 3
    where nothing was. --resume goes on from there, also after a kill or a power cut.
    """
    from gradcheck import config, display, report, runner, verdicts
    from gradcheck.commands.gate import hold, judge
    from gradcheck.engine import BadInput

    if retry and not resume:
        raise BadInput("--retry measures again what failed before: give it together with --resume")
    screen = console()
    said = config.find()
    # What is wrong with a baseline is told before an hour of measuring, not after.
    held = hold(baseline, said) if baseline is not None else None
    asked = runner.Request(
        engines=[*(targets or ()), *(engine or ())],
        testbeds=testbed or (),
        codes=code or (),
        profile=profile,
        seed=seed,
        jobs=jobs,
        time_limit=time_limit,
        memory_limit=memory_limit,
        out=out,
        executor=executor,
        resume=resume,
        retry=retry,
        formats=format or (),
        config=said,
    )
    try:
        made = runner.audit(asked, display.display(screen), (signal.SIGINT, signal.SIGTERM))
    except KeyboardInterrupt:
        # While jobs are performed a first Ctrl-C ends them and is reported; this came before.
        if any(asked.folder.glob("artifacts/*/*/*.json")):
            raise
        typer.echo("gradcheck: interrupted, and nothing was measured yet", err=True)
        raise typer.Exit(3) from None
    # Where lines are read by machines, one finding stays one line.
    shown = verdicts.render(made, asked.folder, advise=held is None)
    screen.print(shown, soft_wrap=not screen.is_terminal)
    if any(job.status is report.Status.INTERRUPTED for job in made.jobs):
        words = ["gradcheck", "audit", "--resume", "--out", str(asked.folder)]
        words += ["--baseline", str(baseline)] if baseline is not None else []
        words += ["--executor", executor] if executor != request.LOCAL else []
        screen.print(f"resume with: {shlex.join(words)}", markup=False, soft_wrap=True)
    if held is not None:
        raise typer.Exit(judge(made, held, screen, asked.folder / "report.json"))
    raise typer.Exit(report.exit_code(made))
