"""Every command line that the README shows is one that the program takes."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from gradcheck.cli import app

README = (Path(__file__).parents[2] / "README.md").read_text()


def lines() -> list[str]:
    """Lines of shell blocks that begin with `gradcheck`, without their comments."""
    blocks = re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    every = [line for block in blocks for line in block.splitlines()]
    return [line.partition("  #")[0].strip() for line in every if line.startswith("gradcheck ")]


@pytest.mark.parametrize("line", lines())
def test_the_program_takes_it(line: str) -> None:
    command = typer.main.get_command(app)
    words = shlex.split(line)[1:]
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    # Parsing only: an unknown option or a missing argument raises.
    command.make_context("gradcheck", words)


def test_there_are_such_lines() -> None:
    assert len(lines()) >= 10


def test_every_link_leads_to_a_file() -> None:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README):
        assert (Path(__file__).parents[2] / link).exists(), link
