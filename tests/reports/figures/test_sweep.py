"""A difference across a jump is moved to the edge, and the caption says so."""

from gradcheck.artifact import SweepResult
from gradcheck.reports.figures.sweep import sweep


def result(differences: list[float]) -> SweepResult:
    count = len(differences)
    return SweepResult(
        engine="e",
        testbed="t",
        input="x",
        index=0,
        label="x[0]",
        points=[float(one) for one in range(count)],
        values=[0.0] * count,
        gradients=[-1.0] * count,
        differences=differences,
        noise=0.0,
        events=[],
    )


def test_a_spike_does_not_flatten_the_rest() -> None:
    _, slopes = sweep(result([-1.0] * 30 + [1e9] + [-1.0] * 30))
    extent = slopes.extent("y")
    assert extent is not None
    assert extent[1] < 10
    assert "1 differences across a jump lie beyond the edge" in slopes.caption


def test_ordinary_slopes_are_left_alone() -> None:
    _, slopes = sweep(result([-1.0, -0.5, 0.0, 0.5]))
    assert slopes.series[1].y == [-1.0, -0.5, 0.0, 0.5]
    assert "beyond" not in slopes.caption
