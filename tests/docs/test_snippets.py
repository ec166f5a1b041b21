"""README and docs do what they say: their snippets and commands run, and print what is shown."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.page import README, ROOT, Block, blocks, pages, title
from tests.docs.session import Session, session

MARKERS = {"", "run", "file", "exit", "output", "skip"}
# Installing and testing the project itself is what runs this test.
OWN_COMMANDS = {"audit command", "test command"}
PARSERS: dict[str, Callable[[str], Any]] = {
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
    "json": json.loads,
}
# Programs that commands in the docs may call, beside those of the system.
PROGRAMS = {"gradcheck": "-m gradcheck", "pytest": "-m pytest -p no:cacheprovider", "python": ""}
TIMEOUT = 240


class Reader:
    """Somebody who does what a page says, from its top to its end, in an empty folder."""

    def __init__(self, folder: Path, environment: dict[str, str], python: Session) -> None:
        self.folder, self.environment, self.python = folder, environment, python
        self.printed = ""

    def do(self, block: Block, page: str) -> None:
        """Write it, run it, or look for it in what was printed."""
        place = f"{page}:{block.line}"
        if block.marker == "skip":
            assert len(block.detail.split()) > 2, f"{place}: give the reason"
        elif block.marker == "file":
            (self.folder / block.detail).write_text(block.text, encoding="utf-8")
        elif block.marker == "output":
            self.look(block, place)
        elif block.language == "python":
            self.printed = self.python.run(block.text, place)
        elif block.language == "sh":
            self.command(block, place)
        elif block.language in PARSERS:
            PARSERS[block.language](block.text)
        else:
            raise AssertionError(f"{place}: nothing says where this {block.language} comes from")

    def command(self, block: Block, place: str) -> None:
        """Run the commands of a block; the first that fails ends it."""
        expected = int(block.detail) if block.marker == "exit" else 0
        if expected:
            assert len(block.text.splitlines()) == 1, f"{place}: one command can have an exit code"
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text],
            cwd=self.folder,
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        self.printed = result.stdout + result.stderr
        assert result.returncode == expected, f"{place}: {result.returncode}\n{self.printed}"

    def look(self, block: Block, place: str) -> None:
        """Every line must have been printed, each after the one before it."""
        lines = iter([line.strip() for line in self.printed.splitlines()])
        for line in block.text.splitlines():
            wanted = line.strip()
            if wanted not in ("", "…"):
                assert any(matches(wanted, seen) for seen in lines), (
                    f"{place}: {wanted!r} is not printed in its place:\n{self.printed}"
                )


def matches(wanted: str, seen: str) -> bool:
    """The same line, but for the parts that `…` stands for."""
    parts = [re.escape(part) for part in wanted.split("…")]
    return re.fullmatch(".*".join(parts), seen) is not None


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of commands: this interpreter's programs are found by their names."""
    programs = tmp_path_factory.mktemp("bin")
    for name, words in PROGRAMS.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    path = f"{programs}:{os.environ.get('PATH', '')}"
    made = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "160"}
    if not entry_points(group="pytest11", name="gradcheck"):  # gradcheck is not installed
        made["PYTEST_PLUGINS"] = "gradcheck.pytest_plugin"
    return made


@pytest.mark.parametrize("page", pages(), ids=title)
def test_page_does_what_it_says(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    found = blocks(page)
    if page == README:  # its commands install and test the project, and stand for many others
        found = [block for block in found if block.language == "python"]
    with session(tmp_path, environment) as python:
        reader = Reader(tmp_path, environment, python)
        for block in found:
            assert block.marker in MARKERS, f"{title(page)}:{block.line}: {block.marker}"
            reader.do(block, title(page))


@pytest.mark.parametrize("page", pages(), ids=title)
def test_every_block_is_seen(page: Path) -> None:
    """A fence that is indented, or not closed, would be left out without a word."""
    fences = re.findall(r"^[ >]*(?:```|~~~)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page))


def test_readme_has_the_two_commands() -> None:
    commands = {block.marker: block.text for block in blocks(README)}
    assert "gradcheck audit" in commands["audit command"]
    assert "pytest" in commands["test command"]


def test_a_block_whose_output_is_another_is_caught(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    with session(tmp_path, environment) as python:
        reader = Reader(tmp_path, environment, python)
        reader.do(Block("python", "", "", "x = 1\nprint('a 1.0 s')\nprint('b')", 1), "page")
        reader.do(Block("text", "output", "", "a … s\nb\n", 1), "page")
        with pytest.raises(AssertionError, match="not printed in its place"):
            reader.do(Block("text", "output", "", "b\na 1.0 s\n", 1), "page")
        with pytest.raises(AssertionError, match="ZeroDivisionError"):
            reader.do(Block("python", "", "", "x / 0", 1), "page")
        with pytest.raises(AssertionError, match="page:1: 2"):
            reader.do(Block("sh", "exit", "1", "gradcheck explain GC000", 1), "page")
