"""A page of the command line, from its functions: the same text that `--help` prints."""

import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any

import typer
from typer.models import ArgumentInfo, OptionInfo

from gradcheck.cli import app
from tests.docs.markdown import escaped, table

HEAD = """# Command line

What each command says of itself; `gradcheck COMMAND --help` prints it. The
[exit codes](exit-codes.md) are the same for all.

"""
EXAMPLES = """<!-- skip: examples with names of files that are not here -->
```sh
{}
```
"""


def pages() -> dict[str, str]:
    """The page by its path in docs/."""
    return {"cli.md": HEAD + "\n".join(sections(app, "gradcheck"))}


def sections(group: typer.Typer, name: str) -> Iterator[str]:
    """A section for each command of a group and of the groups in it."""
    if group.registered_callback is not None:
        yield section(name, group.registered_callback.callback, "")
    for command in group.registered_commands:
        function = command.callback
        assert function is not None
        yield section(f"{name} {command.name or function.__name__}", function, command.epilog or "")
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        yield from sections(inner.typer_instance, f"{name} {inner.name}")


def section(name: str, function: Callable[..., Any] | None, epilog: str) -> str:
    """One command: what it does, its arguments and options, examples."""
    assert function is not None
    said = "\n\n".join(map(escaped, (inspect.getdoc(function) or "").split("\n\n")))
    parts = [f"## {name}\n\n{said}\n"]
    rows = list(parameters(function))
    if rows:
        parts.append(table(("argument or option", "default", "meaning"), rows))
    examples = epilog.replace("\b", "").partition("Exit codes:")[0].partition("Examples:")[2]
    if examples:
        lines = "\n".join(line.strip() for line in examples.strip().splitlines())
        parts.append(EXAMPLES.format(lines))
    return "\n".join(parts)


def parameters(function: Callable[..., Any]) -> Iterator[tuple[str, str, str]]:
    """Name, default and meaning of each."""
    hints = typing.get_type_hints(inspect.unwrap(function), include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        (told,) = hints[name].__metadata__
        assert isinstance(told, ArgumentInfo | OptionInfo)
        shown = told.metavar or name.upper()
        if isinstance(told, OptionInfo):
            shown = ", ".join(told.param_decls or (f"--{name.replace('_', '-')}",))
            shown += f" {told.metavar}" if told.metavar else ""
        required = parameter.default is inspect.Parameter.empty
        silent = parameter.default in (None, "") or parameter.default is False
        default = "required" if required else "" if silent else f"`{parameter.default}`"
        yield f"`{shown}`", default, escaped(told.help or "")
