"""The solver figure: gradient, differences and the converged line, by rising budget."""

from gradcheck.artifact import BudgetRow, Referents
from gradcheck.reports.figures.referents import referents


def artifact(budgets: list[int]) -> Referents:
    rows = [
        BudgetRow(
            iterations=k, gradient=float(-k), difference=float(k), uncertainty=0.1, residual=None
        )
        for k in budgets
    ]
    return Referents(
        engine="e",
        testbed="t",
        label="random 0",
        rows=rows,
        converged=7.0,
        converged_uncertainty=0.0,
    )


def test_budgets_rise_and_the_converged_slope_is_a_line() -> None:
    (plot,) = referents(artifact([4, 1, 2]))
    converged, differences, gradient = plot.series
    assert list(gradient.x) == [1.0, 2.0, 4.0]
    assert list(gradient.y) == [-1.0, -2.0, -4.0]
    assert list(differences.y) == [1.0, 2.0, 4.0]
    assert differences.spread == [0.1, 0.1, 0.1]
    assert list(converged.y) == [7.0, 7.0, 7.0]
    assert plot.y_label == "slope along random 0"


def test_an_engine_without_the_knob_has_no_figure() -> None:
    assert referents(artifact([])) == []
