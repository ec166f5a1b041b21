"""The table of inputs: what is shown where a ratio or a verdict would not be true."""

import math

import pytest

from gradcheck.artifact import Agreement
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.reports.inputs import InputRow, input_rows
from tests.reports import sample

BED = sample.testbed("bounce")
POSITION = BED.inputs[0]


def row(claimed: float, slope: float) -> InputRow:
    """The row of one coordinate with that gradient and that true slope."""
    curve = sample.curve("position[0]", POSITION, 0, claimed, slope)
    agreement = Agreement(
        engine="e", testbed="bounce", steps=1, dt=0.1, curves=[curve], truncated={}
    )
    return input_rows(evidence(agreement), [])[0]


def evidence(*artifacts: Agreement) -> Evidence:
    return Evidence(
        engine="e",
        card=sample.card("e"),
        testbed=BED,
        provenance=sample.PROVENANCE,
        artifacts=list(artifacts),
    )


def finding(verdict: Verdict, name: str | None) -> Finding:
    return Finding(
        code="GC201", engine="e", testbed="bounce", verdict=verdict, message="", input=name
    )


@pytest.mark.parametrize(
    ("claimed", "slope", "ratio", "error"),
    [
        (-1.0, -1.0, 1.0, 0.0),
        (1.0, -1.0, -1.0, 2.0),
        (0.0, -1.0, 0.0, 1.0),
        (0.0, 0.0, None, None),
        (0.5, 0.0, None, math.inf),
        (math.nan, -1.0, math.nan, math.nan),
    ],
)
def test_ratio_and_error(
    claimed: float, slope: float, ratio: float | None, error: float | None
) -> None:
    shown = row(claimed, slope)
    assert shown.ratio == pytest.approx(ratio, abs=1e-6, nan_ok=True)
    assert shown.error == pytest.approx(error, abs=1e-6, nan_ok=True)


def test_the_verdict_is_the_worst_of_the_whole_input() -> None:
    found = [finding(Verdict.PASS, "position"), finding(Verdict.WARN, "position")]
    rows = input_rows(sample.report().evidence[0], [*found, finding(Verdict.FAIL, "velocity")])
    assert [one.verdict for one in rows[:4]] == [Verdict.WARN] * 2 + [Verdict.FAIL] * 2


def test_an_input_that_nothing_judged_has_no_verdict() -> None:
    rows = input_rows(sample.report().evidence[0], [finding(Verdict.PASS, "velocity")])
    assert rows[0].verdict is None


def test_an_input_without_a_gradient_says_why() -> None:
    last = input_rows(sample.report().evidence[0], [])[-1]
    assert (last.label, last.note) == ("mass", "no gradient: the engine keeps masses constant")


def test_slopes_are_told_per_unit_of_the_input() -> None:
    curve = sample.curve("position[0]", POSITION, 0, -1.0, -1.0)
    scaled = curve.model_copy(update={"scale": 1000.0})
    agreement = Agreement(
        engine="e", testbed="bounce", steps=1, dt=0.1, curves=[scaled], truncated={}
    )
    (shown,) = input_rows(evidence(agreement), [])
    assert shown.gradient == pytest.approx(-1e-3)
    assert shown.difference == pytest.approx(-1e-3)
    assert shown.ratio == pytest.approx(1.0)
