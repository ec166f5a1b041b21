"""Newton's iteration for a square root, differentiated as executed and as converged."""

from typing import Any

import numpy as np
import pytest

from gradcheck.engine import (
    AbstractSimulation,
    Array,
    Inputs,
    Knob,
    Settings,
    Unsupported,
)
from gradcheck.measure.referents import measure
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
        assert self.settings.iterations is not None
        root: Array = newton(inputs["x"], self.settings.iterations)
        return {"residual": abs(float(root[0] ** 2 - inputs["x"][0]))}


class Root(Toy):
    def __init__(self, *, implicit: bool = False, least: int = 0, **options: Any) -> None:
        self.least = least

        def grad(batch: Any, settings: Settings) -> Any:
            count = settings.iterations or 50
            if implicit:
                return {"x": 1 / (2 * newton(batch["x"], count))}
            return {"x": newton(batch["x"] + 1e-30j, count).imag / 1e-30}

        super().__init__(
            lambda batch, s: newton(batch["x"][:, 0], s.iterations or 50),
            grad,
            **{"knobs": (Knob.ITERATIONS,), **options},
        )

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        if (settings.iterations or 50) < self.least:
            raise Unsupported(f"at least {self.least} iterations")
        made = super().simulate(testbed, settings)
        assert isinstance(made, ToySimulation)
        return Told(self, made.settings)


def test_the_executed_computation_is_followed_at_every_budget() -> None:
    referents = measure(subject(Root(), BED))
    assert [row.iterations for row in referents.rows] == [1, 2, 4, 8, 32]
    for row in referents.rows:
        assert abs(row.gradient - row.difference) <= row.uncertainty < 1e-7
        assert row.residual is not None
    assert abs(referents.rows[0].difference) == pytest.approx(0.5, rel=1e-8)
    assert abs(referents.converged) == pytest.approx(1 / 6, rel=1e-8)
    assert referents.rows[0].residual == 16.0
    assert referents.rows[-1].residual == 0.0


def test_an_implicit_gradient_departs_from_the_program_until_it_converges() -> None:
    rows = measure(subject(Root(implicit=True), BED)).rows
    assert abs(rows[0].gradient) == pytest.approx(0.1)
    assert abs(rows[0].gradient - rows[0].difference) > 0.3
    assert rows[-1].gradient == pytest.approx(rows[-1].difference, rel=1e-8)


def test_budgets_that_are_refused_are_left_out() -> None:
    assert [r.iterations for r in measure(subject(Root(least=8), BED)).rows] == [8, 32]
    with pytest.raises(Unsupported, match="at least 100 iterations"):
        measure(subject(Root(least=100), BED))


def test_reasons() -> None:
    with pytest.raises(Unsupported, match="no knob 'iterations'"):
        measure(subject(Root(knobs=()), BED))
    engine = Root()
    engine.slow_build = True
    with pytest.raises(Unsupported, match="quick profile"):
        measure(subject(engine, BED))
