"""The refinement figure shows the judged errors over their time steps."""

from gradcheck.artifact import Physics, PhysicsRow
from gradcheck.reports.figures.physics import physics


def artifact(errors: list[float]) -> Physics:
    rows = [
        PhysicsRow(dt=0.1 / 2**level, difference={}, gradient={"x": [0.0, 0.0]})
        for level in range(len(errors))
    ]
    return Physics(
        engine="e",
        testbed="t",
        source="closed form",
        exact=True,
        gradient={"x": [0.0, 0.0]},
        reference={"x": [3.0, 4.0]},
        uncertainty={"x": [0.0, 0.0]},
        directions={},
        value=0.0,
        truth_value=None,
        rows=rows,
        refinement_errors=errors,
    )


def test_errors_lie_over_their_time_steps() -> None:
    (plot,) = physics(artifact([0.5, 0.25]))
    (gradient,) = plot.series
    assert list(gradient.x) == [0.1, 0.05]
    assert list(gradient.y) == [0.5, 0.25]
    assert plot.x_log
    assert plot.y_log


def test_without_refinement_there_is_no_figure() -> None:
    assert physics(artifact([])) == []
