"""Newton's iteration for a square root, differentiated as executed and as converged."""

import math
from typing import Any

import numpy as np
import pytest

from gradcheck.artifact import ReferentRow, Referents, Setting
from gradcheck.checks.observed_referent import observed
from gradcheck.engine import (
    AbstractSimulation,
    Array,
    Diverged,
    Inputs,
    Knob,
    Settings,
    Unsupported,
)
from gradcheck.measure.referents import measure
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Input, Testbed
from tests.measure.toys import Toy, ToySimulation, bed, subject

BED = bed(Input("x", np.array([9.0]), scale=1.0))


def newton(x: Any, iterations: int) -> Any:
    y = np.ones_like(x)
    for _ in range(iterations):
        y = (y + x / y) / 2
    return y


class Told(ToySimulation):
    def diagnostics(self, inputs: Inputs) -> dict[str, float]:
        root: Array = newton(inputs["x"], self.settings.iterations or 50)
        return {"residual": abs(float(root[0] ** 2 - inputs["x"][0]))}


class Root(Toy):
    refusal: type[Exception] = Unsupported

    def __init__(
        self, *, implicit: bool = False, least: int = 0, standard: int = 50, **options: Any
    ) -> None:
        self.least, self.standard = least, standard

        def grad(batch: Any, settings: Settings) -> Any:
            count = settings.iterations or standard
            if implicit:
                return {"x": 1 / (2 * newton(batch["x"], count))}
            return {"x": newton(batch["x"] + 1e-30j, count).imag / 1e-30}

        super().__init__(
            lambda batch, s: newton(batch["x"][:, 0], s.iterations or standard),
            grad,
            **{"knobs": (Knob.ITERATIONS,), **options},
        )

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        if (settings.iterations or self.standard) < self.least:
            raise self.refusal(f"at least {self.least} iterations")
        made = super().simulate(testbed, settings)
        assert isinstance(made, ToySimulation)
        return Told(self, made.settings)


def budgets(referents: Referents) -> list[ReferentRow]:
    return [row for row in referents.rows if row.setting is Setting.ITERATIONS]


def test_the_executed_computation_is_followed_at_every_budget() -> None:
    referents = measure(subject(Root(), BED))
    assert [row.at for row in budgets(referents)] == [1, 2, 4, 8]
    for row in budgets(referents):
        executed, converged = row.references[Referent.EXECUTED], row.references[Referent.CONVERGED]
        for slope, difference, doubt in zip(
            row.gradient, executed.value, executed.uncertainty, strict=True
        ):
            assert abs(slope - difference) <= doubt < 1e-7
        # d sqrt(x) / dx at 9, along +1 or -1
        assert abs(converged.value[0]) == pytest.approx(1 / 6, rel=1e-8)
        assert row.residual is not None
    first = budgets(referents)[0]
    assert abs(first.references[Referent.EXECUTED].value[0]) == pytest.approx(0.5, rel=1e-8)
    assert first.residual == 16.0
    assert budgets(referents)[-1].residual == 0.0
    assert observed(referents, 1e-5).possible == (Referent.EXECUTED, Referent.CONTINUOUS)
    assert "no closed form" in referents.absent[Referent.CONTINUOUS]


def test_an_implicit_gradient_departs_from_the_program_until_it_converges() -> None:
    referents = measure(subject(Root(implicit=True), BED))
    first, *_, last = budgets(referents)
    assert abs(first.gradient[0]) == pytest.approx(0.1)
    assert abs(first.gradient[0] - first.references[Referent.EXECUTED].value[0]) > 0.3
    assert last.gradient[0] == pytest.approx(last.references[Referent.EXECUTED].value[0], rel=1e-8)
    assert Referent.EXECUTED not in observed(referents, 1e-5).possible


def test_budgets_that_are_refused_are_left_out() -> None:
    assert [row.at for row in budgets(measure(subject(Root(least=8), BED)))] == [8]
    diverging = Root(least=8)
    diverging.refusal = Diverged
    assert [row.at for row in budgets(measure(subject(diverging, BED)))] == [8]
    referents = measure(subject(Root(least=100, standard=200), BED))
    assert budgets(referents) == []
    assert referents.absent[Referent.CONVERGED] == "at least 100 iterations"
    with pytest.raises(Unsupported, match="at least 100 iterations"):
        measure(subject(Root(least=100), BED))


def test_reasons() -> None:
    referents = measure(subject(Root(knobs=()), BED))
    assert "no knob 'iterations' or 'tolerance'" in referents.absent[Referent.CONVERGED]
    engine = Root()
    engine.slow_build = True
    referents = measure(subject(engine, BED))
    assert "quick profile" in referents.absent[Referent.CONVERGED]
    assert [row.setting for row in referents.rows] == [Setting.IN_USE]


# An explicit step of x' = -x: T steps of dt, one second.
DECAY = bed(Input("x", np.array([2.0]), scale=1.0), dt=0.1, steps=10)


def decay(*, continuous: bool) -> Toy:
    def rate(s: Settings) -> float:
        dt, steps = s.dt or 0.1, s.steps or 10
        return math.exp(-dt * steps) if continuous else (1 - dt) ** steps

    return Toy(
        lambda batch, s: batch["x"][:, 0] * (1 - (s.dt or 0.1)) ** (s.steps or 10),
        lambda batch, s: {"x": np.full_like(batch["x"], rate(s))},
        knobs=(Knob.DT, Knob.STEPS),
    )


def test_time_steps_tell_the_physics_from_the_program() -> None:
    executed = measure(subject(decay(continuous=False), DECAY))
    assert [row.at for row in executed.rows if row.setting is Setting.DT] == [0.05, 0.025]
    assert executed.made[Referent.CONTINUOUS] == "the engine at dt / 8, extrapolated to dt 0"
    seen = observed(executed, 1e-5)
    assert seen.possible == (Referent.EXECUTED, Referent.CONVERGED)
    assert "no knob" in seen.told
    assert (
        Referent.EXECUTED
        not in observed(measure(subject(decay(continuous=True), DECAY)), 1e-5).possible
    )


def test_a_time_step_that_is_refused_costs_the_physics_only() -> None:
    class Coarse(Toy):
        def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
            if (settings.dt or 0.1) < 0.02:
                raise Unsupported("dt below 0.02 is refused")
            return super().simulate(testbed, settings)

    fine = decay(continuous=False)
    engine = Coarse(fine.loss, fine.grad, knobs=(Knob.DT, Knob.STEPS))
    referents = measure(subject(engine, DECAY))
    assert referents.absent[Referent.CONTINUOUS] == "dt below 0.02 is refused"
    assert Referent.EXECUTED in referents.rows[0].references


@pytest.mark.parametrize("implicit", [False, True])
def test_a_first_order_time_step_is_extrapolated(implicit: bool) -> None:
    """The physics is named though every refinement leaves half of its error."""

    def rate(s: Settings) -> float:
        dt, steps = s.dt or 0.1, s.steps or 10
        return (1 + dt) ** -steps if implicit else (1 - dt) ** steps

    def engine(slope: float | None) -> Toy:
        return Toy(
            lambda batch, s: batch["x"][:, 0] * rate(s),
            lambda batch, s: {"x": np.full_like(batch["x"], rate(s) if slope is None else slope)},
            knobs=(Knob.DT, Knob.STEPS),
        )

    physics = observed(measure(subject(engine(math.exp(-1)), DECAY)), 1e-5)
    assert physics.followed == (Referent.CONTINUOUS,)
    program = observed(measure(subject(engine(None), DECAY)), 1e-5)
    assert program.followed == (Referent.EXECUTED,)
    assert any(
        pair.winner is Referent.EXECUTED and pair.loser is Referent.CONTINUOUS
        for pair in program.pairs
    )
