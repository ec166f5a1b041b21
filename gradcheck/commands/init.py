"""`gradcheck init`."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """
  gradcheck init
  gradcheck init --kind python    C++ with bindings, Warp, PyTorch, anything
  gradcheck init path/to/project
"""


def init(
    folder: Annotated[Path, typer.Argument(help="Where to begin.")] = Path(),
    kind: Annotated[
        str,
        typer.Option(
            help="jax: the adapter holds one step, the rest comes with it. python: the adapter "
            "returns a value and a gradient, from whatever computes them."
        ),
    ] = "jax",
) -> None:
    """Begin to audit a simulator of your own.

    Writes a commented gradcheck.toml and an adapter, my_simulator.py, that runs as it is.
    """
    from gradcheck.engine import BadInput
    from gradcheck.project import Kind, begin

    if kind not in tuple(Kind):
        raise BadInput(f"unknown kind '{kind}'; there are {' and '.join(Kind)}")
    for path in begin(folder, Kind(kind)):
        typer.echo(f"wrote {path}")
    go = "" if folder == Path() else f"cd {folder} && "
    typer.echo(f"next: {go}gradcheck audit    (the adapter runs as it is; then put yours in it)")
