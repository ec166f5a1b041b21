"""Pages that are made of the code say what the code says."""

import pytest

from tests.docs import markdown, write
from tests.docs.page import DOCS

PAGES = write.pages()


@pytest.mark.parametrize("path", PAGES)
def test_page_is_up_to_date(path: str) -> None:
    written = (DOCS / path).read_text(encoding="utf-8") if (DOCS / path).exists() else None
    assert written == PAGES[path], "run: python -m tests.docs.write"


def test_no_page_of_a_check_is_left_over() -> None:
    written = {file.relative_to(DOCS).as_posix() for file in (DOCS / "checks").iterdir()}
    assert written == {path for path in PAGES if path.startswith("checks/")}


def test_text_of_the_code_is_no_markup() -> None:
    said = markdown.linked(
        markdown.escaped("<Jv, w> of a_b * [x] `a*b`: GC201, GC999"), {"GC201": "p"}
    )
    assert said == r"&lt;Jv, w> of a\_b \* \[x\] `a*b`: [GC201](p), GC999"
    assert markdown.cell("a | b") == r"a \| b"
