"""Errors against each reference are the known ones; whatever goes wrong is told by name."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from gradcheck.engine import AbstractEngine, BadInput, Gradient, Inputs
from gradcheck.experiments import cells as experiment
from gradcheck.experiments.cells_contender import of_chain, of_user
from gradcheck.experiments.cells_record import Cells, Row
from gradcheck.experiments.cells_text import cells, error, notes
from gradcheck.reports.cells import page
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Testbed
from gradcheck.testbeds.spring_chain import TESTBED
from tests.checks.made_up import PROVENANCE
from tests.experiments.made_up import (
    BED,
    Blown,
    Broken,
    Fixed,
    Implicit,
    Lost,
    R,
    Refuses,
    Right,
    Runaway,
    Silent,
    Square,
    X,
    bed,
    contenders,
)

EXECUTED, CONVERGED, CONTINUOUS = Referent


def measured(
    *engines: AbstractEngine,
    testbed: Testbed = BED,
    budgets: Sequence[int] = (2,),
    horizons: Sequence[int] = (),
    seeds: Sequence[int] = (0,),
) -> list[Row]:
    them = contenders(*engines)
    return list(experiment.measure(testbed, them, budgets, horizons, seeds))


def slopes(iterations: int) -> tuple[float, float]:
    """Of one step, per typical change, by the formula of `made_up`."""
    left = (1 - R) ** iterations
    return 0.1 * 2 * X * (1 - left), 0.05 * X**2 * iterations * left / (1 - R)


# Errors


def test_errors_against_each_reference() -> None:
    right, implicit = measured(Right(), Implicit())
    by_x, by_r = slopes(2)
    whole = 0.1 * 2 * X
    apart = max(whole - by_x, by_r)
    assert right.errors[EXECUTED].worst < 1e-8
    assert right.errors[CONVERGED].worst == pytest.approx(apart / whole, rel=1e-6)
    assert right.errors[CONTINUOUS].worst == pytest.approx(apart / whole, rel=1e-6)
    assert implicit.errors[EXECUTED].worst == pytest.approx(apart / max(by_x, by_r), rel=1e-6)
    assert implicit.errors[CONVERGED].worst < 1e-8
    assert implicit.errors[CONTINUOUS].worst == 0.0
    assert [row.memory for row in (right, implicit)] == [3200.0, 40.0]


class Double(Square):
    def value(self, inputs: Inputs) -> float:
        return 2 * super().value(inputs)

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        _, grads = super().value_and_grad(inputs)
        return self.value(inputs), {name: 2 * grad for name, grad in grads.items()}


def test_an_engine_is_held_against_its_own_program() -> None:
    class Doubled(Right):
        simulation = Double

    for row in measured(Right(), Doubled()):
        assert row.errors[EXECUTED].worst < 1e-8


def test_grid_and_what_is_known_where() -> None:
    rows = measured(Right(), budgets=(1, 2, 3), horizons=(BED.steps, 8))
    assert [(row.iterations, row.steps) for row in rows] == [(1, 4), (2, 4), (3, 4), (2, 8)]
    assert CONTINUOUS not in rows[-1].errors
    assert "at its own horizon, T = 4" in rows[-1].unknown[CONTINUOUS]
    assert rows[-1].errors[EXECUTED].worst < 1e-8


def test_points_vary_and_the_worst_is_kept() -> None:
    (row,) = measured(Implicit(), seeds=(0, 1, 2))
    (alone,) = measured(Implicit())
    (again,) = measured(Implicit(), seeds=(0, 1, 2))
    found = row.errors[EXECUTED]
    assert found.worst > found.median
    assert found.worst > alone.errors[EXECUTED].worst
    assert row.errors == again.errors
    assert " to " in error(row, EXECUTED)


# What is not known, by name


def test_a_solver_that_does_not_converge_is_no_reference() -> None:
    (row,) = measured(Right(), testbed=bed(r=1e-4))
    assert row.measured
    assert row.unknown[CONVERGED].startswith("266 iterations have not converged: half of them move")
    assert row.errors[EXECUTED].worst < 1e-8


def test_a_reference_of_zero_has_no_relative_error() -> None:
    (row,) = measured(Right(), testbed=bed(x=0.0))
    assert row.measured
    assert not row.errors
    for referent in Referent:
        assert row.unknown[referent].startswith("the reference is zero, to ")
    assert cells(row)[4:7] == ("not known",) * 3


class Folded(Square):
    """Its loss has a kink at the nominal x, by `fold`, and jumps by `leap`."""

    fold, leap = 1.0, 0.0

    def value(self, inputs: Inputs) -> float:
        away = float(inputs["x"][0]) - X
        return super().value(inputs) + self.fold * abs(away) + self.leap * (away > 0)


@pytest.mark.parametrize(("fold", "leap", "text"), [(1.0, 0.0, "has a kink"), (0.0, 1.0, "jumps")])
def test_where_there_is_no_derivative_there_is_no_error(
    fold: float, leap: float, text: str
) -> None:
    class Here(Folded):
        pass

    Here.fold, Here.leap = fold, leap

    class Bent(Right):
        simulation = Here

    (row,) = measured(Bent())
    assert row.measured
    assert EXECUTED not in row.errors
    assert row.unknown[EXECUTED].startswith(f"the loss {text} along x")


def test_notes_name_the_engine_that_they_are_about() -> None:
    class Bent(Right):
        simulation = Folded

    rows = measured(Right(), Bent())
    found = Cells(testbed="t", command="c", seeds=[0], provenance=PROVENANCE, rows=rows)
    about = [one for one in notes(found) if "has a kink" in one]
    assert all(one.startswith("Not known of Bent against the ") for one in about)
    assert about


class Alternating(Square):
    """Its solver alternates between two states."""

    def value(self, inputs: Inputs) -> float:
        size = self.steps * float(inputs["x"][0]) ** 2
        return size if self.iterations % 2 else 2 * size


class Leaving(Square):
    def value(self, inputs: Inputs) -> float:
        raise SystemExit(3)


def test_a_solver_that_alternates_has_not_converged() -> None:
    class Cycle(Right):
        simulation = Alternating

    (row,) = measured(Cycle())
    assert "have not converged" in row.unknown[CONVERGED]


def test_an_engine_that_would_end_the_program_is_a_row() -> None:
    class Leaves(Right):
        simulation = Leaving

    left, right = measured(Leaves(), Right())
    assert left.outcome.startswith("failed: ")
    assert right.measured


def test_a_front_needs_memory() -> None:
    rows = measured(Silent())
    found = Cells(testbed="t", command="c", seeds=[0], provenance=PROVENANCE, rows=rows)
    assert notes(found)[-1].startswith("No engine tells its memory (Ability.MEMORY)")
    assert page(found).first == []


def test_a_testbed_without_truth() -> None:
    (row,) = measured(Right(), testbed=replace(BED, truth=None))
    assert row.unknown == {CONTINUOUS: "the testbed states no truth"}


@pytest.mark.parametrize("engine", [Silent, Refuses])
def test_memory_that_is_not_told(engine: type[Right]) -> None:
    (row,) = measured(engine())
    assert row.memory is None
    assert row.errors[EXECUTED].worst < 1e-8
    assert cells(row)[7] == "not told"


@pytest.mark.parametrize(
    ("engine", "outcome"),
    [
        (Runaway, "the forward pass is not finite"),
        (Lost, "the gradient is not finite"),
        (Blown, "the adjoint blew up: lower the damping"),
        (Broken, "failed: ZeroDivisionError: by zero"),
    ],
)
def test_what_goes_wrong_is_a_row_and_the_rest_goes_on(engine: type[Right], outcome: str) -> None:
    wrong, right = measured(engine(), Right())
    assert wrong.outcome.startswith(outcome)
    assert cells(wrong)[4:] == (wrong.outcome, "", "", "", "")
    assert not wrong.errors
    assert right.measured


# Of the chain, with real inputs


def at(**parameters: float) -> Testbed:
    inputs = [
        replace(one, default=np.array([parameters[one.name]])) if one.name in parameters else one
        for one in TESTBED.inputs
    ]
    return replace(TESTBED, inputs=tuple(inputs), truth=None)


def of_cell(cell: str, testbed: Testbed, iterations: int, steps: int) -> Row:
    contender = next(one for one in of_chain(testbed) if one.name == f"spring_chain:{cell}")
    testbed = replace(testbed, steps=steps)
    (row,) = experiment.measure(testbed, [contender], [iterations], [])
    return row


@pytest.mark.parametrize(
    ("cell", "testbed", "iterations", "steps", "outcome"),
    [
        ("executed-adjoint", at(damping=-60.0), 1, 25, "the forward pass is not finite"),
        ("executed-custom", at(damping=-60.0), 9, 25, "the forward pass is not finite"),
        ("continuous-adjoint", at(damping=40.0), 1, 25, "the adjoint ODE solved backward blew up"),
    ],
)
def test_a_chain_that_runs_away(
    cell: str, testbed: Testbed, iterations: int, steps: int, outcome: str
) -> None:
    row = of_cell(cell, testbed, iterations, steps)
    assert row.outcome.startswith(outcome)
    assert "\n" not in row.outcome


def test_a_chain_too_stiff_for_its_solver() -> None:
    row = of_cell("executed-custom", at(stiffness=1e6), 1, 5)
    assert row.measured
    assert error(row, EXECUTED).startswith("< ")
    assert "iterations have not converged" in row.unknown[CONVERGED]


def test_the_chain_has_nine_cells_and_all_that_each_can_keep() -> None:
    them = of_chain(TESTBED)
    assert len({one.name for one in them}) == 9
    assert len({(one.name, one.keep) for one in them}) == len(them) == 40
    # The midpoint rule is another program.
    assert len({id(one.program) for one in them if "midpoint" in one.keep}) == 1
    assert len({id(one.program) for one in them}) == 2


def test_bad_input() -> None:
    with pytest.raises(BadInput, match="--budget 0: no iteration solves nothing"):
        experiment.require([1, 0], [1], 1)
    with pytest.raises(BadInput, match="--horizon -1: no step"):
        experiment.require([1], [-1], 1)
    with pytest.raises(BadInput, match="--seeds 0: errors are taken"):
        experiment.require([1], [1], 0)
    with pytest.raises(BadInput, match=r"no knob 'iterations' \(it has: steps"):
        of_user(f"{__file__.replace('test_cells', 'made_up')}:{Fixed.__name__}")
