"""The figures of the cells: error over memory, error over budgets, memory over horizons."""

from gradcheck.experiments.cells_record import Error
from gradcheck.reports.figures.cells import cells
from gradcheck.taxonomy import Referent
from tests.experiments.rows import failed, found, row

EXECUTED, CONVERGED, CONTINUOUS = Referent
CUSTOM = {"referent": CONVERGED}


def test_error_over_memory_is_of_the_place_with_the_most_rows() -> None:
    rows = [
        row("a", 1e-3, 100.0),
        row("b", 1e-12, 10.0, **CUSTOM),
        row("c", 1e-4, None),
        row("a", 1e-1, 50.0, iterations=9),
        failed("d", "broke"),
    ]
    program, equation, *_ = cells(found(*rows))
    assert program.title == "Error against the executed computation, over memory"
    assert "k = 3, T = 16" in program.caption
    assert [(one.label, list(one.x), list(one.y)) for one in program.series] == [
        ("of the executed computation", [100.0], [1e-3]),
        # At the reference's own uncertainty.
        ("of the converged equation", [10.0], [1e-10]),
    ]
    assert list(equation.series[0].y) == [2e-2]
    assert not any(plot.lost or plot.floored for plot in (program, equation))


def test_error_over_budgets_takes_the_worst() -> None:
    rows = [
        row("a", 1e-3, None, iterations=1),
        row("a", 1e-4, None, iterations=9),
        row("b", 1e-2, None, iterations=1),
        row("b", 1e-5, None, iterations=9),
        # Of what else can be kept, at one budget only.
        row("b", 1e-1, None, iterations=9, keep="sqrt"),
    ]
    program, equation = cells(found(*rows))
    assert (list(program.series[0].x), list(program.series[0].y)) == ([1.0, 9.0], [1e-2, 1e-4])
    assert equation.title == "Error against the converged equation"


def test_memory_over_horizons() -> None:
    none: dict[Referent, Error] = {}
    rows = [
        row("a", 0.0, 64.0, errors=none, steps=64),
        row("a", 0.0, 16.0, errors=none),
        row("a", 0.0, 8.0, errors=none, keep="sqrt", steps=64),
        row("b", 0.0, None, errors=none),
    ]
    (plot,) = cells(found(*rows))
    assert plot.title == "Memory of a"
    assert [(one.label, list(one.x), list(one.y)) for one in plot.series] == [
        ("keeps all", [16.0, 64.0], [16.0, 64.0])
    ]


def test_nothing_measured_gives_no_figure() -> None:
    assert cells(found(failed("a", "broke"))) == []
    assert cells(found()) == []
