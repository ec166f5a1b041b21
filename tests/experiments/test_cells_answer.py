"""The front and the answers follow from the rows, and from nothing else."""

from gradcheck.experiments.cells_answer import answers, front, size
from gradcheck.experiments.cells_record import Error
from gradcheck.experiments.cells_text import FRONT_HEAD, HEAD, cells, front_lines, notes
from gradcheck.taxonomy import Realization, Referent, Retention
from tests.experiments.rows import failed, found, row

EXECUTED, CONVERGED, CONTINUOUS = Referent
LEAN = {"retention": Retention.CHECKPOINT, "keep": "sqrt", "backward": 8e-3}


def test_front_holds_what_none_beats() -> None:
    rows = [
        row("exact, dear", 1e-12, 1000.0),
        row("exact, cheap", 5e-9, 500.0),
        row("rough, cheaper", 1e-3, 100.0),
        row("rough, dear", 1e-2, 200.0),
        row("not told", 1e-12, None),
        failed("broken", "it broke"),
    ]
    # Errors that count as exact count as equal: the one with less memory beats the other.
    assert [one.engine for one in front(found(*rows), EXECUTED)] == [
        "exact, cheap",
        "rough, cheaper",
    ]
    assert front(found(*rows), CONTINUOUS) == []


def test_front_is_of_one_budget_and_horizon() -> None:
    rows = [row("a", 1e-3, 10.0), row("b", 1e-2, 20.0, steps=64)]
    assert front(found(*rows), EXECUTED) == rows
    assert front(found(rows[0], row("c", 1e-3, 10.0)), EXECUTED) == [rows[0], row("c", 1e-3, 10.0)]


def test_yes() -> None:
    text = answers(found(row("stored", 1e-12, 10240.0), row("lean", 1e-12, 512.0, **LEAN)))[0]
    assert text == (
        "Against the executed computation (k = 3, T = 16): yes. 2 of 2 gradients have an error "
        "below 1e-08; the least memory among them is 512 B, of lean (keeps sqrt): 0.05 of the "
        "10 KiB that stored (keeps all) takes, in 2 times its time."
    )


def test_no_where_it_saves_little() -> None:
    text = answers(found(row("stored", 1e-12, 10240.0), row("lean", 1e-12, 5120.0, **LEAN)))[0]
    assert "): no. 2 of 2" in text
    assert "0.5 of the 10 KiB" in text


def test_no_where_none_is_exact() -> None:
    text = answers(found(row("stored", 1e-3, 10240.0), row("lean", 1e-4, 5120.0, **LEAN)))[0]
    assert text.endswith(
        "no. None of 2 gradients has an error below 1e-08; the least is 1.0e-04, of lean (keeps "
        "sqrt)."
    )


def test_not_known() -> None:
    vague = {EXECUTED: Error(median=1e-6, worst=1e-6, floor=1e-5)}
    text = answers(found(row("a", 0.0, 10.0, errors=vague)))[0]
    assert "not known. The reference itself is known to 1.0e-05 only" in text
    assert "None that stores all is exact" in answers(found(row("a", 1e-12, 10.0, **LEAN)))[0]
    told = answers(found(row("a", 1e-12, None)))
    assert (
        told[0] == "Against the executed computation: not known, since no engine tells its memory."
    )
    assert told[2].endswith("since the testbed states no truth.")
    assert answers(found(failed("a", "broke")))[0].endswith("since nothing could be measured.")


def test_generated_differentiation_is_what_others_are_held_against() -> None:
    custom = {"realization": Realization.CUSTOM_ADJOINT}
    rows = [row("generated", 1e-12, 2000.0), row("custom", 1e-12, 100.0, **custom)]
    assert "0.05 of the 1.953 KiB that generated" in answers(found(*rows))[0]


def test_another_answer_elsewhere_is_told_too() -> None:
    """Once for each answer, at the place with the most rows."""
    rows = [
        row("a", 1e-3, 10.0),
        row("b", 1e-3, 10.0),
        row("a", 1e-12, 10.0, iterations=9),
        row("a", 1e-12, 10.0, iterations=27),
    ]
    told = [text for text in answers(found(*rows)) if "executed" in text]
    assert [text.partition(".")[0].partition("executed computation ")[2] for text in told] == [
        "(k = 3, T = 16): no",
        "(k = 9, T = 16): no",
    ] or [text.partition("(")[2].partition(")")[0] for text in told] == ["k = 3, T = 16"]


def test_texts() -> None:
    one = row("a", 1e-3, 2048.0)
    assert len(cells(one)) == len(HEAD)
    assert cells(one)[4:] == (
        "1.0e-03",
        "1.0e-02 to 2.0e-02",
        "not known",
        "2 KiB",
        "4.0 ± 0.1 ms",
    )
    assert cells(row("a", 1e-12, 10.0))[4] == "< 1e-10"
    assert all(len(line) == len(FRONT_HEAD) for line in front_lines(found(one)))
    said = " ".join(notes(found(one)))
    assert "the median and, where it is another, the worst of 3 points" in said
    assert "continuous dynamics at k = 3, T = 16: the testbed states no truth." in said
    assert size(100.0) == "100 B"
