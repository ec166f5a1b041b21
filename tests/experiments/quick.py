"""An engine of a moment whose fits end where algebra says.

The state x solves x = x / 2 + p; k iterations from 0 give r_k 2 p with r_k = 1 - 2^-k. Outputs are
(x, p), in units of their spread over p: (r_k p, p). With the target (t p*, p*), t = r_k, 1 or
TRUTH, the exact derivative ends at p / p* = (1 + t r_k) / (1 + r_k²), that of the equation, which
takes x for 2 p, at (1 + t) / (1 + r_k).
"""

from collections.abc import Callable

import numpy as np

from gradcheck.engine import (
    AbstractEngine,
    AbstractSimulation,
    Array,
    EngineCard,
    Gradient,
    Inputs,
    Knob,
    Settings,
)
from gradcheck.scene import AnyArray, AnyInputs, Equations
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Family, Input, Testbed, Truth

TRUTH = 1.5
STEP = 1e-20


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return xp.zeros(1), inputs["p"] * inputs["twin"]


def _acceleration(
    q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: AnyArray
) -> AnyArray:
    return xp.zeros_like(q)


def _outputs(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return xp.concatenate([q, v])


def _truth(inputs: Inputs) -> Array:
    product = inputs["p"] * inputs["twin"]
    return np.concatenate([TRUTH * 2 * product, product])


TESTBED = Testbed(
    name="quick",
    question="Where do fits end?",
    family=Family.SMOOTH,
    source="made up",
    inputs=(
        Input("p", np.array([3.0])),
        Input("twin", np.array([1.0])),
        Input("idle", np.array([1.0])),
        Input("pair", np.array([1.0, 2.0])),
        Input("below", np.array([-1.0])),
    ),
    outputs=("x", "p"),
    weights=(1.0, 1.0),
    scenes=(Equations(_start, _acceleration, _outputs),),
    dt=0.1,
    truth=Truth("made up", _truth, lambda inputs: {}),
)


class Simulation(AbstractSimulation):
    """`jacobian`: what dx/dp is taken for; `spoil` changes a loss and its slope by p."""

    def __init__(
        self, scene: Equations, iterations: int, exact: bool, spoil: "Spoil | None"
    ) -> None:
        self.scene, self.spoil = scene, spoil
        self.factor = 2 * (1 - 0.5**iterations)
        self.jacobian = self.factor if exact else 2.0

    def loss(self, q: AnyArray, v: AnyArray, inputs: Inputs) -> complex:
        return complex(self.scene.outputs(q, v, inputs, np)[0])

    def value(self, inputs: Inputs) -> float:
        product = inputs["p"] * inputs["twin"]
        value = self.loss(self.factor * product, product, inputs).real
        return self.spoil(float(inputs["p"][0]), value, 0.0)[0] if self.spoil else value

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        product = inputs["p"] * inputs["twin"]
        q, h = self.factor * product, 1j * STEP
        by_q = self.loss(q + h, product, inputs).imag / STEP
        by_v = self.loss(q, product + h, inputs).imag / STEP
        value, slope = self.value(inputs), by_q * self.jacobian + by_v
        if self.spoil:
            value, slope = self.spoil(float(inputs["p"][0]), value, slope)
        return value, {"p": slope * inputs["twin"], "twin": slope * inputs["p"]}


Spoil = Callable[[float, float, float], tuple[float, float]]


class Quick(AbstractEngine):
    """Its gradient is that of the iterations, or else of the equation."""

    def __init__(
        self,
        exact: bool,
        knobs: tuple[Knob, ...] = (Knob.STEPS, Knob.ITERATIONS),
        spoil: Spoil | None = None,
    ) -> None:
        self.exact, self.spoil = exact, spoil
        self.card = EngineCard(
            name="quick:exact" if exact else "quick:adjoint",
            version="1",
            referent=Referent.EXECUTED if exact else Referent.CONVERGED,
            knobs=knobs,
        )

    def simulate(self, testbed: Testbed, settings: Settings) -> Simulation:
        scene = testbed.scene(Equations)
        return Simulation(scene, settings.iterations or 4, self.exact, self.spoil)


EXACT, ADJOINT = Quick(True), Quick(False)
