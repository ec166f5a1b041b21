"""Engines of a few lines whose errors are known, and a testbed of theirs. Loaded as files too.

Of y = x², by k iterations y += r (x² - y) from 0: y_k = x² (1 - (1 - r)^k). T steps sum T of them.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Diverged,
    EngineCard,
    Gradient,
    Inputs,
    Knob,
    Settings,
    require_knobs,
)
from gradcheck.experiments.cells_contender import Contender
from gradcheck.taxonomy import Realization, Referent, Retention
from gradcheck.testbed import Family, Input, Testbed, Truth

X, R, STEPS = 1.5, 0.5, 4


def bed(x: float = X, r: float = R, **changes: Any) -> Testbed:
    """A testbed at that point."""
    fields: dict[str, Any] = {
        "name": "square",
        "question": "what is the slope of a square?",
        "family": Family.SMOOTH,
        "source": "y = x²",
        "inputs": (
            Input("x", np.array([x]), scale=0.1),
            Input("r", np.array([r]), scale=0.05),
        ),
        "outputs": ("y",),
        "weights": (1.0,),
        "scenes": (),
        "dt": 0.1,
        "steps": STEPS,
        "truth": Truth(
            source="y = x²",
            outputs=lambda inputs: STEPS * inputs["x"] ** 2,
            jacobian=lambda inputs: {
                "x": 2 * STEPS * inputs["x"][None],
                "r": np.zeros((1, 1)),
            },
        ),
    }
    return Testbed(**{**fields, **changes})


BED = bed()


class Square(AbstractSimulation):
    """Its gradient is that of the iterations."""

    def __init__(self, steps: int, iterations: int) -> None:
        self.steps, self.iterations = steps, iterations

    def value(self, inputs: Inputs) -> float:
        left = (1 - float(inputs["r"][0])) ** self.iterations
        return self.steps * float(inputs["x"][0]) ** 2 * (1 - left)

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        x, r, k = inputs["x"], inputs["r"], self.iterations
        by_x = 2 * x * (1 - (1 - r) ** k)
        by_r = x**2 * k * (1 - r) ** (k - 1)
        return self.value(inputs), {"x": self.steps * by_x, "r": self.steps * by_r}

    def memory(self) -> tuple[float, float]:
        return 8.0, 800.0 * self.steps


class Right(AbstractEngine):
    """The gradient of the iterations, by storing all."""

    simulation: type[Square] = Square
    card = EngineCard(
        name="right",
        version="1",
        referent=Referent.EXECUTED,
        realization=Realization.GENERATED,
        retention=Retention.STORE_ALL,
        abilities=(Ability.MEMORY,),
        knobs=(Knob.STEPS, Knob.ITERATIONS),
    )

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        require_knobs(self.card, settings)
        steps = testbed.steps if settings.steps is None else settings.steps
        return self.simulation(steps, settings.iterations or 8)


def card(**changes: Any) -> EngineCard:
    return Right.card.model_copy(update=changes)


class _Implicit(Square):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        by_x = 2 * self.steps * inputs["x"]
        return self.value(inputs), {"x": by_x, "r": np.zeros(1)}

    def memory(self) -> tuple[float, float]:
        return 8.0, 40.0


class Implicit(Right):
    """The gradient of the equation, of nothing but the solution."""

    simulation = _Implicit
    card = card(referent=Referent.CONVERGED, retention=Retention.NOTHING)


class Silent(Right):
    """Does not tell its memory."""

    card = card(abilities=())


class Refuses(Right):
    """Says that it tells its memory, and does not."""

    class _Refusing(Square):
        def memory(self) -> tuple[float, float]:
            return AbstractSimulation.memory(self)

    simulation = _Refusing


class Fixed(Right):
    """Has no budget."""

    card = card(knobs=(Knob.STEPS,))


class _Runaway(Square):
    def value(self, inputs: Inputs) -> float:
        return math.inf


class Runaway(Right):
    """Its forward pass is not finite."""

    simulation = _Runaway


class _Lost(Square):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        return self.value(inputs), {name: np.full(1, np.nan) for name in ("x", "r")}


class Lost(Right):
    """Its backward pass is not finite."""

    simulation = _Lost


class _Blown(Square):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        raise Diverged("the adjoint blew up: lower the damping")


class Blown(Right):
    """Says why it has no gradient."""

    simulation = _Blown


class _Broken(Square):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        raise ZeroDivisionError("by\nzero")


class Broken(Right):
    """Breaks."""

    simulation = _Broken


class _Misshapen(Square):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        return self.value(inputs), {"x": np.zeros(3), "r": np.zeros(1)}


class Misshapen(Right):
    """Answers with another shape than it was asked for."""

    simulation = _Misshapen


def contenders(*engines: AbstractEngine) -> Sequence[Contender]:
    """Each with its own program."""
    return [Contender(type(one).__name__, str(one.card.retention), one, one) for one in engines]
