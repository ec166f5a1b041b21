"""A right engine whose loss carries the noise of a solver that stops at a tolerance."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Array,
    Gradient,
    Inputs,
    Settings,
)
from gradcheck.testbed import Testbed

TOLERANCE = 1e-9


class NoisyEngine(AbstractEngine):
    """`right` with a loss that is off by up to `TOLERANCE`, as a solver leaves it: the same at
    the same inputs, and unrelated at inputs that differ in the last bit."""

    def __init__(self, right: AbstractEngine) -> None:
        self.right = right
        self.probe_limit = right.probe_limit
        self.slow_build = right.slow_build
        self.card = right.card.model_copy(
            update={
                "name": "noisy",
                "abilities": (Ability.BATCH,),
                "summary": f"a right engine with solver noise of {TOLERANCE:g} in its loss",
            }
        )

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        return NoisySimulation(self.right.simulate(testbed, settings))


class NoisySimulation(AbstractSimulation):
    """A simulation with noise in its loss and none in its gradient."""

    def __init__(self, right: AbstractSimulation) -> None:
        self.right = right
        self.undifferentiated = right.undifferentiated

    def value(self, inputs: Inputs) -> float:
        return float(self.values({name: np.asarray(a)[None] for name, a in inputs.items()})[0])

    def values(self, batch: Inputs) -> Array:
        return self.right.values(batch) + noise(batch)

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        return self.value(inputs), self.right.value_and_grad(inputs)[1]

    def values_and_grads(self, batch: Inputs) -> tuple[Array, Gradient]:
        values, gradients = self.right.values_and_grads(batch)
        return values + noise(batch), gradients


def noise(batch: Mapping[str, NDArray[np.float64]]) -> Array:
    """Numbers [n] in +-TOLERANCE, made of the bits of the inputs."""
    rows = np.concatenate([np.asarray(a).reshape(len(a), -1) for a in batch.values()], axis=1)
    seeds = [np.random.default_rng(row.view(np.uint32)) for row in np.ascontiguousarray(rows)]
    return np.array([TOLERANCE * one.uniform(-1, 1) for one in seeds])
