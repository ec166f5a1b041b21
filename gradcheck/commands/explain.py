"""`gradcheck explain`."""

from typing import Annotated

import typer

from gradcheck.commands.command import console

EXAMPLES = """
  gradcheck explain GC201
  gradcheck list checks
"""


def explain(
    code: Annotated[str, typer.Argument(help="The code of a check, as in a finding.")],
) -> None:
    """Explain a check by its code.

    What it measures, why it matters, a failing example, the cure.
    """
    from gradcheck import listing

    console().print(listing.explanation(code))
