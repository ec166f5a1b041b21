"""Faults in a testbed's equations of motion, as an engine may have them in its force laws.

Each takes the right scene and returns one with the same forces and a spoilt derivative. They can
be planted on any engine that differentiates `Equations` in JAX.
"""

from collections.abc import Callable
from dataclasses import replace

import jax

from gradcheck.engine import AbstractEngine, AbstractSimulation, Settings
from gradcheck.scene import AnyArray, AnyInputs, Equations
from gradcheck.testbed import Testbed

Fault = Callable[[Equations], Equations]
FAULTS: dict[str, Fault] = {}


def planted(fault: Fault) -> Fault:
    """Put a function into the table under its own name."""
    FAULTS[fault.__name__] = fault
    return fault


class AlteredScene(AbstractEngine):
    """An engine to whom each testbed is shown with its equations spoilt."""

    def __init__(self, right: AbstractEngine, fault: Fault) -> None:
        self.right = right
        self.fault = fault
        self.card = right.card
        self.probe_limit = right.probe_limit
        self.slow_build = right.slow_build
        # The engine under it tells testbeds apart by identity, so each is altered once and kept.
        self._altered: dict[int, tuple[Testbed, Testbed]] = {}

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        if id(testbed) not in self._altered:
            spoilt = replace(testbed, scenes=(self.fault(testbed.scene(Equations)),))
            self._altered[id(testbed)] = (testbed, spoilt)
        return self.right.simulate(self._altered[id(testbed)][1], settings)


@planted
def dropped_term(scene: Equations) -> Equations:
    """The derivative of the force by the velocity is forgotten: damping in the motion alone."""

    def acceleration(
        q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: object
    ) -> AnyArray:
        return scene.acceleration(q, jax.lax.stop_gradient(v), inputs, t, xp)

    return replace(scene, acceleration=acceleration)
