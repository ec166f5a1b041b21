"""What GitHub Actions is told: no name and no message becomes a workflow command."""

import re

import pytest

from gradcheck.annotation import SHOWN, annotations, harmless, summary
from gradcheck.entry import Subject
from gradcheck.gate import GateResult
from gradcheck.gate_line import Level, Line
from tests.mutations.presence import HOSTILE

PLACE = Subject("particles:toi", "bounce", "GC202")


def result(*lines: Line, exit_code: int = 1) -> GateResult:
    return GateResult(lines=list(lines), exit_code=exit_code, compared=3, known=0, left_out=0)


def line(text: str = "PASS -> FAIL", level: Level = Level.ERROR, subject: str = "x0") -> Line:
    return Line.at(level, PLACE, text, subject)


def test_a_line_is_an_annotation_with_its_title() -> None:
    told = annotations(result(line("100 % worse"), line("better", Level.NOTE, "")))
    assert told == [
        "::error title=gradcheck GC202 particles%3Atoi on bounce%2C x0::100 %25 worse",
        "::notice title=gradcheck GC202 particles%3Atoi on bounce::better",
    ]


def test_a_line_about_the_whole_has_the_tools_name_as_its_title() -> None:
    told = annotations(result(Line.of(Level.WARNING, "a rule fits nothing")))
    assert told == ["::warning title=gradcheck::a rule fits nothing"]


def test_ten_of_a_level_are_annotated_and_it_is_said_how_many_there_are() -> None:
    many = [line(f"{n}") for n in range(23)] + [line(f"{n}", Level.NOTE) for n in range(10)]
    told = annotations(result(*many))
    assert sum(one.startswith("::error ") for one in told) == SHOWN
    assert sum(one.startswith("::notice ") for one in told) == 10
    assert "10 of 23 errors are annotated: GitHub takes no more" in told


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_and_messages_stay_where_they_are(name: str) -> None:
    place = Subject(name, name, "GC202", name)
    bad = Line.at(Level.ERROR, place, name, name)
    (told,) = annotations(result(bad))
    shown = harmless(str(bad))
    for one in (told, shown):
        assert one.isprintable() or "\u200b" in one
        assert "\n" not in one
        assert len(one) < 1500
    # One command with one title, and the name nowhere before its end.
    assert re.fullmatch(r"::error title=[^:,]*::.*", told)
    assert not shown.lstrip().startswith("::")
    assert "##[" not in shown
    text = summary(result(bad), "gradcheck-baseline.json")
    assert "<script" not in text
    assert "\n::" not in text


@pytest.mark.parametrize("text", ["::error::owned", "  ::set-output name=a::b", "a ##[error]b"])
def test_a_line_of_log_is_no_command(text: str) -> None:
    assert not harmless(text).lstrip().startswith("::")
    assert "##[" not in harmless(text)


def test_the_summary_is_short_and_says_what_failed() -> None:
    lines = [line(f"number {n}") for n in range(100)] + [line("a note", Level.NOTE)]
    text = summary(result(*lines), "ci/base|line.json")
    assert text.startswith("### gradcheck gate: FAIL: 100 errors, 0 warnings, 1 note; ")
    assert "`ci/base|line.json`" in text
    assert "- **error** GC202 particles:toi on bounce, x0: number 0\n" in text
    assert text.count("\n- ") == 31
    assert "and 71 more in the step's log" in text
    assert text.endswith("\n\n")
