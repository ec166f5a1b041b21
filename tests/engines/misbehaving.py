"""Engines that do what engines must not do, on a testbed of their own. Loaded as files by tests."""

import ctypes
import os
import signal
import sys
import time
from typing import Any

import numpy as np

from gradcheck.engine import (
    AbstractEngine,
    AbstractSimulation,
    Array,
    EngineCard,
    Gradient,
    Inputs,
    Settings,
    Unsupported,
)
from gradcheck.scene import Formula
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Family, Input, Testbed


def _outputs(inputs: Any, xp: Any) -> Any:
    return xp.stack([xp.sum(inputs["q"] ** 2) + xp.sum(inputs["v"])])


BOWL = Testbed(
    name="bowl",
    question="what is the slope of a bowl?",
    family=Family.SMOOTH,
    source="y = |q|² + sum(v)",
    inputs=(Input("q", np.array([0.3, -0.7])), Input("v", np.array([0.5]))),
    outputs=("y",),
    weights=(1.0,),
    scenes=(Formula(_outputs),),
)

BOWL2 = BOWL


class Bowl(AbstractSimulation):
    """The right answer."""

    def value(self, inputs: Inputs) -> float:
        return float(np.sum(inputs["q"] ** 2) + np.sum(inputs["v"]))

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        return self.value(inputs), {"q": 2 * inputs["q"], "v": np.ones(1)}


class Good(AbstractEngine):
    """Behaves."""

    card = EngineCard(
        name="good",
        version="1",
        referent=Referent.EXECUTED,
        realization=Realization.CUSTOM_ADJOINT,
        retention=Retention.NOTHING,
        contact=ContactTreatment.NONE,
        frozen=(),
        knobs=(),
    )
    simulation: type[AbstractSimulation] = Bowl

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        testbed.scene(Formula)
        if settings.changed():
            raise Unsupported("a bowl has no knobs")
        return self.simulation()


class _Hanging(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        time.sleep(1000)
        raise AssertionError


class Hangs(Good):
    simulation = _Hanging


class _HangingInBatches(Bowl):
    def values(self, batch: Inputs) -> Array:
        time.sleep(1000)
        raise AssertionError


class HangsInBatches(Good):
    simulation = _HangingInBatches


class _Holding(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        ctypes.PyDLL(None).sleep(1000)  # PyDLL does not let go of Python's lock
        raise AssertionError


class HoldsTheLock(Good):
    simulation = _Holding


class _Crashing(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        ctypes.string_at(0)
        raise AssertionError


class Segfaults(Good):
    simulation = _Crashing


class _CrashingInBatches(Bowl):
    def values(self, batch: Inputs) -> Array:
        ctypes.string_at(0)
        raise AssertionError


class SegfaultsInBatches(Good):
    simulation = _CrashingInBatches


class _Hungry(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        kept = []
        while True:
            kept.append(np.empty(2**27))


class Allocates(Good):
    simulation = _Hungry


class _Aborting(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        print("terminate called after throwing an instance of 'std::bad_alloc'", file=sys.stderr)
        os.abort()


class Aborts(Good):
    simulation = _Aborting


class _NotANumber(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        return self.value(inputs), {"q": np.array([np.nan, 1.0]), "v": np.ones(1)}


class ReturnsNan(Good):
    simulation = _NotANumber


class _Misshapen(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        return self.value(inputs), {"q": np.ones(3), "v": np.ones(1)}


class WrongShape(Good):
    simulation = _Misshapen


class _Forgetful(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        return self.value(inputs), {"q": 2 * inputs["q"]}


class MissingName(Good):
    simulation = _Forgetful


class _Raising(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        raise ValueError("no such joint:\n  left_knee")


class Raises(Good):
    simulation = _Raising


class _Exiting(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        sys.exit("goodbye")


class Exits(Good):
    simulation = _Exiting


class _Leaving(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        os._exit(3)


class Leaves(Good):
    simulation = _Leaving


class _Talking(Bowl):
    def value(self, inputs: Inputs) -> float:
        print('{"event": "finished"}')
        os.write(1, b'{"event": "finished"}\n')
        sys.stdin.read()
        return super().value(inputs)


class Prints(Good):
    simulation = _Talking


class _Killing(Bowl):
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1000)
        raise AssertionError


class KillsItsParent(Good):
    simulation = _Killing


class SegfaultsInSetUp(Good):
    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        ctypes.string_at(0)
        raise AssertionError


class Dawdles(Good):
    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        time.sleep(1)
        return super().simulate(testbed, settings)


class RaisesInSetUp(Good):
    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        raise RuntimeError("no licence file")


class Refuses(Good):
    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        raise Unsupported("only odd numbers of dimensions")


class NeedsArguments(Good):
    def __init__(self, port: int) -> None:
        self.port = port


class NoCard(AbstractEngine):
    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        return Bowl()


def not_an_engine(x: float) -> float:
    return x
