"""A page of the documentation as its fenced blocks, each with the comment that stands above it.

What a test does with a block is said by its language and by an HTML comment on the line above:

(none)             python and sh are run; toml, yaml and json must parse
<!-- file: NAME -->   is written to NAME in the page's folder
<!-- exit: N -->      sh: one command, which ends with exit code N
<!-- output -->       text: lines that the block above it prints, in this order; … are left out
<!-- skip: WHY -->    is left alone, for a reason
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
README = ROOT / "README.md"
FENCE = re.compile(
    r"(?:^<!-- (?P<marker>[^\n]*?) -->\n)?^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$",
    flags=re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block. `marker` and `detail` are the two sides of the comment's colon."""

    language: str
    marker: str
    detail: str
    text: str
    line: int


def blocks(file: Path) -> list[Block]:
    """The blocks of a page, in their order."""
    text = file.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        marker, _, detail = (match["marker"] or "").partition(":")
        line = text.count("\n", 0, match.start("text"))
        found.append(Block(match["language"], marker, detail.strip(), match["text"], line))
    return found


def pages() -> list[Path]:
    """The README and every page of the documentation but those of the example simulators, each of
    which is a project of its own, with its own tests."""
    documentation = [file for file in DOCS.rglob("*.md") if EXAMPLES not in file.parents]
    return [README, *sorted(documentation)]


def title(file: Path) -> str:
    """A page by its path in the project."""
    return file.relative_to(ROOT).as_posix()
