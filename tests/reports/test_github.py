"""Text in GitHub's Markdown stays text."""

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from gradcheck.reports.github import block, name, prose
from gradcheck.reports.legible import one_line
from tests.reports.hostile import FORMULA, LONG, NASTY

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


class Words(HTMLParser):
    """Tags and words of a rendered text, words of code apart."""

    def __init__(self, markdown: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self.code = ""
        self._in_code = 0
        self.feed(MARKDOWN.render(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._in_code += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._in_code -= tag == "code"

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self.code += data
        else:
            self.text += data


@pytest.mark.parametrize("text", [NASTY, FORMULA, "a_b*c* `d` [e](f) ~~g~~", "`", "\\", "- [ ] x"])
def test_prose_is_text(text: str) -> None:
    words = Words(f"so: {prose(text)}")
    assert set(words.tags) <= {"p", "span"}
    assert words.text.strip() == f"so: {one_line(text, 600)}"


def test_prose_makes_no_mention_reference_or_link() -> None:
    said = prose("@user, #12, http://evil.example and www.evil.example, a@b.example, x//y")
    bare = re.sub(r"<!-- -->", "\0", said)
    assert not re.search(r"[@#]\w|://|www\.", bare)
    assert Words(said).text.strip() == (
        "@user, #12, http://evil.example and www.evil.example, a@b.example, x//y"
    )


def test_prose_is_cut() -> None:
    assert len(prose(LONG)) == 600


@pytest.mark.parametrize("text", [NASTY, FORMULA, LONG, "`", "``", "a`", "|", "a\\|b", ""])
def test_a_name_is_one_span_of_code_in_one_cell(text: str) -> None:
    table = f"| {name(text, cell=True)} | next |\n| --- | --- |\n"
    words = Words(table)
    assert words.tags == ["table", "thead", "tr", "th", "code", "th"]
    assert words.text.strip() == "next"
    assert "\n" not in name(text)
    outside = Words(f"so {name(text)} on")
    assert outside.tags == ["p", "code"]
    assert outside.code.strip() == words.code.strip()


def test_code_cannot_end_its_block() -> None:
    words = Words(block(f"print()\n```\n````\n<script>\n{NASTY}", "python"))
    assert words.tags == ["pre", "code"]
    assert "<script>" in words.code
    assert "\u202e" not in words.code
    assert len(block(LONG)) < 5000
