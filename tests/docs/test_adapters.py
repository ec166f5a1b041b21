"""The page on adapters tells every field of a card and every value that it may have."""

from enum import StrEnum

import pytest

from gradcheck import (
    Ability,
    ContactTreatment,
    EngineCard,
    Knob,
    Realization,
    Referent,
    Retention,
)
from tests.docs.page import DOCS, blocks

PAGE = DOCS / "adapters.md"


@pytest.mark.parametrize(
    "names", [Referent, Realization, Retention, ContactTreatment, Ability, Knob]
)
def test_every_value_is_explained(names: type[StrEnum]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert not [one.name for one in names if f"`{one.name}`" not in text]


def test_every_field_of_the_card_is_explained() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert not [name for name in EngineCard.model_fields if f"`{name}`" not in text]


def test_jax_adapter_is_25_lines() -> None:
    (adapter,) = [block.text for block in blocks(PAGE) if block.detail == "my_simulator.py"]
    assert len([line for line in adapter.splitlines() if line.strip()]) <= 25
