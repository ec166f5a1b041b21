"""`gradcheck audit`."""

import signal
from pathlib import Path
from typing import Annotated

import typer

from gradcheck.commands.command import console

EXAMPLES = """
  gradcheck audit
  gradcheck audit --engine mjx --testbed drop --out DIR
  gradcheck audit --engine particles --testbed bounce --code GC202
  gradcheck audit path/to/file.py:MyEngine --profile full
"""


def audit(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE.py:NAME]...", help="Engines of your own, or names."),
    ] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option(help="An engine, or a family of them (particles). May be repeated."),
    ] = None,
    testbed: Annotated[
        list[str] | None, typer.Option(help="A testbed, or FILE.py:NAME. May be repeated.")
    ] = None,
    code: Annotated[
        list[str] | None, typer.Option(help="Judge only this check (GC201). May be repeated.")
    ] = None,
    profile: Annotated[str, typer.Option(help="quick or full: how much is measured.")] = "quick",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("gradcheck-audit"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of all that is random.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Child processes at once.")] = 2,
    time_limit: Annotated[
        float, typer.Option(min=0.1, help="Seconds for one measurement.")
    ] = 120.0,
    memory_limit: Annotated[
        float, typer.Option(min=0.25, help="GiB of memory for one child process.")
    ] = 8.0,
) -> None:
    """Audit engines on testbeds.

    What was measured is judged and written to a report: report.html, report.json and the raw
    measurements, in the output folder. Without engines and testbeds the built-in plan is run;
    with engines only, these on every testbed; with testbeds only, the plan's engines on these.
    """
    from gradcheck import display, report, runner, verdicts
    from gradcheck.jobs.pool import Limits

    # As Ctrl-C: children are ended, and what was measured is reported.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    screen = console()
    request = runner.Request(
        engines=[*(targets or ()), *(engine or ())],
        testbeds=testbed or (),
        codes=tuple(one.upper() for one in code or ()),
        profile=profile,
        seed=seed,
        jobs=jobs,
        limits=Limits(seconds=time_limit, memory=int(memory_limit * 2**30)),
        out=out,
    )
    made = runner.audit(request, display.display(screen))
    # Where lines are read by machines, one finding stays one line.
    screen.print(verdicts.render(made, out), soft_wrap=not screen.is_terminal)
    raise typer.Exit(report.exit_code(made))
