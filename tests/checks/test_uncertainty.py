"""Every value comes with the noise that its artifacts hold, and every finding with a subject."""

import math

import pytest
from scipy.stats import linregress

from gradcheck.checks import CHECKS, judge
from gradcheck.checks.trend import trend
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from tests.checks import made_up as m
from tests.checks.test_cases import CASES, Case

BY_INPUT = {check.code for check in CHECKS if check.by_input}


def found(evidence: Evidence, code: str) -> Finding:
    """The first finding of a check."""
    return next(one for one in judge(evidence) if one.code == code)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_finite_value_has_a_finite_uncertainty_and_no_other_has_one(case: Case) -> None:
    for finding in judge(case.make()):
        if finding.value is not None and math.isfinite(finding.value):
            assert finding.uncertainty is not None, finding
            assert 0 <= finding.uncertainty < math.inf, finding
        else:
            assert finding.uncertainty is None, finding


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_subject_does_not_depend_on_the_verdict(case: Case) -> None:
    for finding in judge(case.make()):
        if finding.code == "GC501":
            assert (finding.subject == "") == (finding.input is None)
        elif finding.code in BY_INPUT:
            assert finding.subject == (finding.input or "")
        else:
            assert finding.subject == "", finding


def test_a_smoothed_slope_goes_by_its_coordinate() -> None:
    assert found(m.evidence(), "GC501").subject == "x[0]"


def test_agreement_is_as_noisy_as_its_differences() -> None:
    right = found(m.evidence(), "GC201")
    assert right.uncertainty is not None
    assert 1e-12 < right.uncertainty < 1e-6
    wrong = found(m.evidence(m.agreement(gradient={"x": [9.0, m.P], "p": [m.X[1]]})), "GC201")
    assert wrong.verdict is Verdict.FAIL
    assert wrong.uncertainty == pytest.approx(right.uncertainty, rel=10)


def test_physics_is_as_noisy_as_its_reference() -> None:
    exact = found(m.evidence(), "GC202").uncertainty
    assert exact is not None
    assert exact < 1e-12
    doubt = {"x": [0.02, 0.02], "p": [0.0]}
    doubtful = [
        one
        for one in judge(m.evidence(m.physics(uncertainty=doubt)))
        if (one.code, one.input) == ("GC202", "x")
    ]
    assert doubtful[0].uncertainty == pytest.approx(0.02 / (0.7648 * 1.001), rel=1e-3)


def test_a_ratio_of_times_is_as_noisy_as_both() -> None:
    cost = found(m.evidence(), "GC601")
    assert cost.value == pytest.approx(3.0)
    # 3 % of the loss's time and 4 % of the gradient's
    assert cost.uncertainty == pytest.approx(3.0 * 0.05)


def test_times_without_a_recorded_spread_have_no_uncertainty() -> None:
    cost = m.cost()
    rows = [row.model_copy(update={"forward_spread": None}) for row in cost.rows]
    assert found(m.evidence(cost.model_copy(update={"rows": rows})), "GC601").uncertainty is None


def test_growth_is_as_noisy_as_the_line_through_it() -> None:
    steps = [1, 2, 4, 8, 16, 32, 64]
    sizes = [math.exp(0.1 * n + 0.05 * (-1) ** k) for k, n in enumerate(steps)]
    read = trend(steps, 0.01, sizes)
    line = linregress([0.01 * n for n in steps], [math.log(size) for size in sizes])
    assert read is not None
    assert read.error == pytest.approx(line.stderr)
    assert read.doubt() == pytest.approx(line.stderr * 0.63)


def test_rounding_is_amplified_as_the_gradient_is() -> None:
    quiet = found(m.evidence(), "GC403").uncertainty
    grown = found(m.evidence(m.horizon(m.ladder(lambda n: 1.2**n))), "GC403").uncertainty
    assert quiet is not None
    assert grown is not None
    assert grown > 1000 * quiet
