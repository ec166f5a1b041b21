"""The command line: its commands, put together."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from gradcheck.commands import (
    audit,
    baseline,
    check,
    compare,
    experiment,
    experiment_target,
    explain,
    gate,
    init,
    listing,
    report,
)
from gradcheck.commands.command import epilog, polite

EXAMPLES = """
  gradcheck init                               begin with a simulator of your own
  gradcheck audit                              it, or else the built-in engines on their testbeds
  gradcheck audit --engine mjx --testbed drop  one engine on one testbed
  gradcheck check my_file.py:loss --at '[1.0, 2.0]'
  gradcheck baseline                           keep what was found, and then, in CI:
  gradcheck gate                               fail for what is worse
  gradcheck explain GC201
"""

app = typer.Typer(
    name="gradcheck",
    help="Audit the gradients of differentiable physics engines: what was differentiated, is it "
    "right, is it useful, what does it cost.",
    epilog=epilog(EXAMPLES),
    no_args_is_help=True,
    add_completion=False,
    # Plain help appears in half the time that decorated help takes.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
experiments = typer.Typer(
    help="One question each, over knobs that an audit leaves alone.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
lists = typer.Typer(
    help="List engines, testbeds, checks or published methods.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add(command: Callable[..., Any], text: str, to: typer.Typer = app) -> None:
    """Make a command of a function, under its own name; `text` stands below its help."""
    to.command(epilog=text)(polite(command))


add(init.init, epilog(init.EXAMPLES, ""))
add(audit.audit, epilog(audit.EXAMPLES))
add(report.report, epilog(report.EXAMPLES, ""))
add(compare.compare, epilog(compare.EXAMPLES, ""))
add(baseline.baseline, epilog(baseline.EXAMPLES, ""))
add(gate.gate, epilog(gate.EXAMPLES, gate.EXIT_CODES))
add(check.check, epilog(check.EXAMPLES))
add(explain.explain, epilog(explain.EXAMPLES, ""))
app.add_typer(experiments, name="experiment")
add(experiment.cells, epilog(experiment.CELLS, ""), experiments)
add(experiment_target.target, epilog(experiment_target.TARGET, ""), experiments)
app.add_typer(lists, name="list")
add(listing.engines, epilog(listing.ENGINES, ""), lists)
add(listing.testbeds, epilog(listing.TESTBEDS, ""), lists)
add(listing.checks, epilog(listing.CHECKS, ""), lists)
add(listing.methods, epilog(listing.METHODS, ""), lists)


def _version(show: bool) -> None:
    if show:
        from gradcheck import __version__

        typer.echo(f"gradcheck {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """The options before any command."""
