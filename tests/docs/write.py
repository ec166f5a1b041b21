"""Writes the pages that are made of the code: python -m tests.docs.write

A page is written by a function `pages` that returns texts by their paths in docs/.
"""

from tests.docs import (
    checks_pages,
    cli_page,
    exit_codes_page,
    methods_page,
    python_page,
    schema_page,
    testbeds_page,
)
from tests.docs.page import DOCS

MAKERS = (
    checks_pages,
    cli_page,
    exit_codes_page,
    methods_page,
    python_page,
    schema_page,
    testbeds_page,
)


def pages() -> dict[str, str]:
    """All of them."""
    return {path: text for maker in MAKERS for path, text in maker.pages().items()}


if __name__ == "__main__":
    for path, text in pages().items():
        (DOCS / path).parent.mkdir(exist_ok=True)
        (DOCS / path).write_text(text, encoding="utf-8")
