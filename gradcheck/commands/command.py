"""What commands share: exit codes, one line for bad input, the console."""

import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console

C = TypeVar("C", bound=Callable[..., Any])

EXIT_CODES = """
Exit codes:
  0  everything that was judged passes
  1  findings: something fails, or could not be judged (FAIL or ERROR)
  2  wrong usage or bad input
  3  nothing could be measured
"""


def epilog(examples: str, exit_codes: str = EXIT_CODES) -> str:
    """What stands below a command's options; \\b keeps Typer from joining the lines."""
    return "\n\n".join(
        f"\b\n{part.strip(chr(10))}\n" for part in (f"Examples:{examples}", exit_codes) if part
    )


def polite(command: C) -> C:
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


def near(path: Path) -> Path:
    """The same path as one would write it here: without the current folder where it is below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def console() -> "Console":
    """The console to print to."""
    from rich.console import Console

    # Without a terminal Rich takes 80 columns, which cuts tables that a file has room for.
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 120
    return Console(highlight=False, emoji=False, width=wide)
