"""The catalogue of published methods: its rows, its cells, and that it is shown."""

import io
import re

import pydantic
import pytest
from rich.console import Console
from typer.testing import CliRunner

from gradcheck import listing, registry
from gradcheck.cli import app
from gradcheck.methods import (
    NOT_STATED,
    Family,
    Knowledge,
    Method,
    by_cell,
    by_reason,
    methods,
)
from gradcheck.taxonomy import TABLE_COLUMNS, TABLE_ROWS, Realization, Referent

METHODS = methods()
MEASURED = [one for one in METHODS if one.knowledge is Knowledge.MEASURED]
ROW = {
    "name": "a method",
    "family": "rigid bodies",
    "simulates": "a ball",
    "source": "https://example.org",
    "place": "section 3",
    "knowledge": "read in its paper, documentation or code",
}


def test_there_are_enough_rows_of_every_family() -> None:
    assert len(METHODS) >= 40
    assert {one.family for one in METHODS} == set(Family)


def test_no_name_is_given_twice() -> None:
    names = [one.name.lower() for one in METHODS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("one", METHODS, ids=lambda one: one.name)
def test_a_row_names_a_source_and_a_place_in_it(one: Method) -> None:
    here = one.knowledge is Knowledge.MEASURED and one.source.startswith("engines/")
    assert here or re.fullmatch(r"https://[\w./#:-]+", one.source)
    assert len(one.place) > 5


@pytest.mark.parametrize("one", METHODS, ids=lambda one: one.name)
def test_a_row_known_from_an_abstract_alone_says_so(one: Method) -> None:
    assert (one.knowledge is Knowledge.STATED) == (
        "only" in one.place or "in a review" in one.place
    )


@pytest.mark.parametrize("one", MEASURED, ids=lambda one: one.name)
def test_what_is_measured_here_says_what_the_card_of_its_engine_says(one: Method) -> None:
    assert one.engine in registry.engine_names()
    card = registry.engine(one.engine).card
    for field in ("referent", "realization", "retention", "contact", "frozen"):
        assert getattr(one, field) == getattr(card, field), field


def test_no_cell_is_filled_by_what_does_not_state_it() -> None:
    cells = by_cell(METHODS)
    for row, referent in enumerate(TABLE_ROWS):
        for column, realization in enumerate(TABLE_COLUMNS):
            for one in cells[row][column]:
                assert (one.referent, one.realization) == (referent, realization)
    placed = [one for row in cells for some in row for one in some]
    others = by_reason(METHODS)
    assert len(placed) + sum(map(len, others.values())) == len(METHODS)
    for why, some in others.items():
        for one in some:
            unsaid = one.referent is None or one.realization is None
            assert unsaid == why.startswith(NOT_STATED)


def test_a_method_that_states_half_has_no_cell() -> None:
    half = Method.model_validate({**ROW, "realization": Realization.GENERATED})
    assert half.cell is None
    assert half.outside == "not stated: referent"
    whole = half.model_copy(update={"referent": Referent.CONVERGED})
    assert whole.cell == (1, 0)
    assert whole.outside == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"referent": "the physics"},
        {"contact": "soft"},
        {"knowledge": "hearsay"},
        {"place": ""},
        {"source": ""},
        {"knowledge": "measured here"},
        {"engine": "mujoco"},
        {"referrent": "executed computation"},
    ],
)
def test_a_wrong_row_is_refused(wrong: dict[str, str]) -> None:
    Method.model_validate(ROW)
    with pytest.raises(pydantic.ValidationError):
        Method.model_validate({**ROW, **wrong})


def test_every_name_and_place_is_listed() -> None:
    console = Console(file=io.StringIO(), width=400)
    console.print(listing.methods())
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    for one in METHODS:
        assert one.name in shown
        assert one.place in shown
    for family in Family:
        assert family in shown


def test_the_command_lists_them_in_a_narrow_terminal() -> None:
    result = CliRunner().invoke(app, ["list", "methods"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    for one in METHODS:
        assert re.search(rf"^{re.escape(one.name)}( \(\d+\))?$", result.stdout, re.MULTILINE), one
