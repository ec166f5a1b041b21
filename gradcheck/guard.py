"""An engine whose answers are held against the contract as they come.

A breach raises `Breach` with one clear line. A value that is not finite is no breach, since the
checks judge it; the guard remembers the first, so that an error it leads to can be explained.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import (
    AbstractEngine,
    AbstractSimulation,
    Array,
    Gradient,
    Inputs,
    Settings,
)
from gradcheck.structure import Structure
from gradcheck.testbed import Testbed


class Breach(Exception):
    """An engine answered with something else than the contract says."""


class GuardedEngine(AbstractEngine):
    """The same engine; its simulations are guarded."""

    def __init__(self, engine: AbstractEngine) -> None:
        self.engine = engine
        self.card = engine.card
        self.probe_limit = engine.probe_limit
        self.slow_build = engine.slow_build
        self.non_finite = ""

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        made = self.engine.simulate(testbed, settings)
        if not isinstance(made, AbstractSimulation):
            raise Breach(f"simulate returned a {type(made).__name__}, not an AbstractSimulation")
        return GuardedSimulation(made, testbed, self)


class GuardedSimulation(AbstractSimulation):
    """The same simulation; every answer is looked at."""

    def __init__(
        self, simulation: AbstractSimulation, testbed: Testbed, engine: GuardedEngine
    ) -> None:
        self.simulation = simulation
        self.testbed = testbed
        self.engine = engine
        self.undifferentiated = simulation.undifferentiated
        names = {one.name for one in testbed.inputs}
        if strangers := sorted(set(self.undifferentiated) - names):
            raise Breach(f"undifferentiated names {strangers[0]!r}, which is no input")
        self.differentiated = names - set(self.undifferentiated)

    def exact(self) -> AbstractSimulation:
        return GuardedSimulation(self.simulation.exact(), self.testbed, self.engine)

    def value(self, inputs: Inputs) -> float:
        return self._scalar("value", self.simulation.value(inputs))

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        value, gradient = self._pair("value_and_grad", self.simulation.value_and_grad(inputs))
        return self._scalar("value_and_grad", value), self._gradient(
            "value_and_grad", gradient, inputs
        )

    def values(self, batch: Inputs) -> Array:
        return self._array("values", self.simulation.values(batch), _count(batch))

    def values_and_grads(self, batch: Inputs) -> tuple[Array, Gradient]:
        answer = self.simulation.values_and_grads(batch)
        values, gradients = self._pair("values_and_grads", answer)
        return self._array("values_and_grads", values, _count(batch)), self._gradient(
            "values_and_grads", gradients, batch
        )

    def jvp(self, inputs: Inputs, tangents: Inputs) -> float:
        return self._scalar("jvp", self.simulation.jvp(inputs, tangents))

    def value_complex(self, inputs: Mapping[str, NDArray[np.complex128]]) -> complex:
        return complex(self.simulation.value_complex(inputs))

    def trajectory(self, inputs: Inputs) -> Array:
        return self._array("trajectory", self.simulation.trajectory(inputs), None, None)

    def step(self, states: Array, index: NDArray[np.int64], inputs: Inputs) -> Array:
        return self._array("step", self.simulation.step(states, index, inputs), *states.shape)

    def step_jacobians(self, inputs: Inputs) -> Array:
        jacobians = self.simulation.step_jacobians(inputs)
        return self._array("step_jacobians", jacobians, None, None, None)

    def memory(self) -> tuple[float, float]:
        return self.simulation.memory()

    def structure(self, inputs: Inputs) -> Structure:
        return self.simulation.structure(inputs)

    def diagnostics(self, inputs: Inputs) -> dict[str, float]:
        return self.simulation.diagnostics(inputs)

    def _scalar(self, method: str, answer: Any) -> float:
        array = _real(method, answer)
        if array.shape != ():
            raise Breach(f"{method} returned an array of shape {array.shape}, not a scalar")
        self._look(method, array)
        return float(array)

    def _array(self, method: str, answer: Any, *shape: int | None) -> Array:
        """The answer as float64; None in `shape` stands for any size."""
        array = _real(method, answer)
        fits = len(array.shape) == len(shape) and all(
            want in (None, have) for want, have in zip(shape, array.shape, strict=True)
        )
        if not fits:
            wanted = "(" + ", ".join("any" if n is None else str(n) for n in shape) + ")"
            raise Breach(f"{method} returned shape {array.shape}, not {wanted}")
        self._look(method, array)
        return array

    def _gradient(self, method: str, answer: Any, inputs: Inputs) -> Gradient:
        """One array for every differentiated input, in the shape of that input."""
        if not isinstance(answer, Mapping):
            raise Breach(f"{method} returned a gradient of type {type(answer).__name__}, not dict")
        if absent := sorted(self.differentiated - set(answer)):
            raise Breach(
                f"{method} returned no gradient for input {absent[0]!r}, "
                "which `undifferentiated` does not name either"
            )
        if extra := sorted(set(answer) - self.differentiated):
            why = "it is named undifferentiated" if extra[0] in inputs else "no input has that name"
            raise Breach(f"{method} returned a gradient for {extra[0]!r}, but {why}")
        gradient = {}
        for name in answer:
            array = _real(f"{method}, gradient of {name!r},", answer[name])
            if array.shape != np.shape(inputs[name]):
                raise Breach(
                    f"{method} returned a gradient of shape {array.shape} "
                    f"for input {name!r} of shape {np.shape(inputs[name])}"
                )
            self._look(f"{method}, gradient of {name!r},", array)
            gradient[name] = array
        return gradient

    def _pair(self, method: str, answer: Any) -> tuple[Any, Any]:
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise Breach(f"{method} returned a {type(answer).__name__}, not (value, gradient)")
        return answer

    def _look(self, method: str, array: Array) -> None:
        if not self.engine.non_finite and not np.all(np.isfinite(array)):
            self.engine.non_finite = f"{method} returned {array[~np.isfinite(array)].flat[0]}"


def _count(batch: Inputs) -> int:
    return len(next(iter(batch.values())))


def _real(method: str, answer: Any) -> Array:
    """The answer as a float64 array."""
    array = np.asarray(answer)
    if array.dtype.kind not in "fiu":
        raise Breach(f"{method} returned {array.dtype} ({type(answer).__name__}), not real numbers")
    return array.astype(np.float64, copy=False)
