"""`gradcheck check`."""

from typing import Annotated

import typer

from gradcheck.commands.command import console

EXAMPLES = """
  gradcheck check losses.py:loss --at '[1.0, 2.0]'
  gradcheck check losses.py:loss --at '{"mass": 1.0, "q": [0.1, 0.2]}'
  gradcheck check losses.py:loss --at losses.py:x0
  gradcheck check numeric.py:f --grad numeric.py:df --at 0.5
"""


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
    console().print(result)
    raise typer.Exit(0 if result.ok else 1)
