"""The page on gradcheck.toml tells every key that there is, and no other."""

import re
from pathlib import Path

import pytest

from gradcheck.config import AuditSettings, Config, EngineSettings, load
from gradcheck.policy import GateLimit, GateSettings, Rule
from gradcheck.record import Record
from tests.docs.page import DOCS, blocks

PAGE = DOCS / "configuration.md"
SECTIONS: dict[str, type[Record]] = {
    "[audit]": AuditSettings,
    "[engines.NAME]": EngineSettings,
    "[gate]": GateSettings,
    "[[gate.rule]]": Rule,
    "[[gate.limit]]": GateLimit,
}


@pytest.mark.parametrize("heading", SECTIONS)
def test_section_tells_every_key(heading: str) -> None:
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    told = re.findall(r"^\| `(\w+)` \|", text.partition("\n## ")[0], flags=re.MULTILINE)
    assert sorted(told) == sorted(SECTIONS[heading].model_fields)


def test_every_table_has_a_section() -> None:
    tables = {heading.strip("[]").partition(".")[0] for heading in SECTIONS}
    assert {"file", *tables} == set(Config.model_fields)


def test_example_is_read_as_it_says(tmp_path: Path) -> None:
    file = tmp_path / "gradcheck.toml"
    (text,) = [block.text for block in blocks(PAGE) if block.marker == "file"]
    file.write_text(text, encoding="utf-8")
    found = load(file)
    assert found.engines["my_simulator"].target == "my_simulator.py:MyEngine"
    assert [rule.policy for rule in found.gate.rule] == ["warn", "error"]
