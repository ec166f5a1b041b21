"""The command line: parse, call, print. What is heavy is imported by the command that uses it."""

import functools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from gradcheck import listing

if TYPE_CHECKING:
    from rich.console import Console

C = TypeVar("C", bound=Callable[..., Any])

EXIT_CODES = """\b
Exit codes:
  0  everything that was judged passes
  1  findings: something fails, or could not be judged (FAIL or ERROR)
  2  wrong usage or bad input
  3  nothing could be measured
"""

app = typer.Typer(
    name="gradcheck",
    help="Audit the gradients of differentiable physics engines: what was differentiated, is it "
    "right, is it useful, what does it cost.",
    epilog="""\b
Examples:
  gradcheck audit                              the built-in engines on their testbeds
  gradcheck audit --engine mjx --testbed drop  one engine on one testbed
  gradcheck check my_file.py:loss --at '[1.0, 2.0]'
  gradcheck explain GC201
\b
"""
    + EXIT_CODES[2:],
    no_args_is_help=True,
    add_completion=False,
    # Plain help appears in half the time that decorated help takes.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
lists = typer.Typer(
    help="List engines, testbeds or checks.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(lists, name="list")


def _polite(command: C) -> C:
    """Make one line and exit code 2 of bad input, exit code 3 of what is not supported."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        from gradcheck.engine import BadInput, Unsupported

        try:
            return command(*args, **kwargs)
        except (BadInput, Unsupported) as error:
            typer.echo(f"gradcheck: {error}", err=True)
            raise typer.Exit(2 if isinstance(error, BadInput) else 3) from None
        except BrokenPipeError:
            raise
        except OSError as error:  # what remains are writes to standard output
            typer.echo(f"gradcheck: the output cannot be written: {error.strerror}", err=True)
            raise typer.Exit(2) from None

    return run  # type: ignore[return-value]


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


@app.command(
    epilog="""\b
Examples:
  gradcheck audit
  gradcheck audit --engine mjx --testbed drop --out DIR
  gradcheck audit --engine particles --testbed bounce --code GC202
  gradcheck audit path/to/file.py:MyEngine --profile full
\b
"""
    + EXIT_CODES[2:]
)
@_polite
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
    from gradcheck.pool import Limits

    # As Ctrl-C: children are ended, and what was measured is reported.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console = _console()
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
    made = runner.audit(request, display.display(console))
    # Where lines are read by machines, one finding stays one line.
    console.print(verdicts.render(made, out), soft_wrap=not console.is_terminal)
    raise typer.Exit(report.exit_code(made))


@app.command(
    epilog="""\b
Examples:
  gradcheck check losses.py:loss --at '[1.0, 2.0]'
  gradcheck check losses.py:loss --at '{"mass": 1.0, "q": [0.1, 0.2]}'
  gradcheck check losses.py:loss --at losses.py:x0
  gradcheck check numeric.py:f --grad numeric.py:df --at 0.5
\b
"""
    + EXIT_CODES[2:]
)
@_polite
def check(
    function: Annotated[
        str, typer.Argument(metavar="FILE.py:FUNCTION", help="Returns one number.")
    ],
    at: Annotated[
        str | None,
        typer.Option(
            help="Where to look: JSON, or FILE.py:NAME. An object with the names of the "
            "function's parameters gives them by name; any other value is its one argument. "
            "Left out: the parameters' default values."
        ),
    ] = None,
    grad: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.py:FUNCTION", help="The gradient, for a function that JAX cannot trace."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all that is random.")] = 0,
) -> None:
    """Check the gradient of one function.

    It may be written in JAX, in PyTorch, or in anything, with its gradient by hand.
    """
    from gradcheck import api
    from gradcheck.call import Call

    call = Call.named(function, at, grad)
    result = api.check(call.function, call.argument, call.gradient, seed=seed, name=call.name)
    _console().print(result)
    raise typer.Exit(0 if result.ok else 1)


@app.command(
    epilog="""\b
Examples:
  gradcheck explain GC201
  gradcheck list checks
"""
)
@_polite
def explain(
    code: Annotated[str, typer.Argument(help="The code of a check, as in a finding.")],
) -> None:
    """Explain a check by its code.

    What it measures, why it matters, a failing example, the cure.
    """
    _console().print(listing.explanation(code))


@lists.command("engines", epilog="\b\nExample:\n  gradcheck list engines\n")
@_polite
def list_engines() -> None:
    """Engines, with what each states about its gradient."""
    _console().print(listing.engines())


@lists.command("testbeds", epilog="\b\nExample:\n  gradcheck list testbeds\n")
@_polite
def list_testbeds() -> None:
    """Testbeds, each with its question."""
    _console().print(listing.testbeds())


@lists.command("checks", epilog="\b\nExample:\n  gradcheck list checks\n")
@_polite
def list_checks() -> None:
    """Checks, each with what it claims where it passes."""
    _console().print(listing.checks())


def _console() -> "Console":
    from rich.console import Console

    # Without a terminal Rich takes 80 columns, which cuts tables that a file has room for.
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 120
    return Console(highlight=False, width=wide)
