"""A figure as a document of its own: black on white, with its own font and name space."""

import re

from gradcheck.reports.figures.drawing import HEIGHT, WIDTH

VARIABLE = re.compile(r"var\(--s\d+, (#[0-9a-f]{6})\)")


def standalone(svg: str, font: str) -> str:
    """The inline `<svg>` element as a file, its text in `font` at 10 px."""
    plain = VARIABLE.sub(r"\1", svg).replace("currentColor", "#000000")
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="{font}" font-size="10px" '
    )
    return plain.replace("<svg ", head, 1)
