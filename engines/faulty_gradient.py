"""Faults in the gradient that an engine returns. They can be planted on any engine.

Each is a function of a case, a batch of inputs, and the right losses [n] and gradients [n, ...];
it returns what the faulty engine answers instead.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import (
    AbstractEngine,
    AbstractSimulation,
    Array,
    Gradient,
    Inputs,
    Settings,
    Unsupported,
)
from gradcheck.quaternion import multiply, pull_rotation, push_rotation
from gradcheck.structure import Structure
from gradcheck.testbed import Input, Testbed

CONTROLS = ("ctrl", "u0", "force", "push", "torque")
"""Names of inputs that are controls, wherever a testbed has one."""

FRICTION = "friction"


class Entry(NamedTuple):
    """One entry of one input, in the flattened array."""

    name: str
    at: int


@dataclass(frozen=True)
class Case:
    """What a fault may look at: the right engine under it, on one testbed."""

    engine: AbstractEngine
    testbed: Testbed
    settings: Settings
    simulation: AbstractSimulation
    # What a faulty buffer keeps from one call to the next
    kept: dict[str, Array] = field(default_factory=dict)
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    @property
    def steps(self) -> int:
        return self.testbed.steps if self.settings.steps is None else self.settings.steps

    @property
    def dt(self) -> float:
        return self.testbed.dt if self.settings.dt is None else self.settings.dt

    def other(self, **changes: object) -> AbstractSimulation:
        """The right engine under other settings."""
        return self.engine.simulate(self.testbed, self.settings.model_copy(update=changes))

    @functools.cached_property
    def nominal_gradient(self) -> Gradient:
        """The right gradient at the nominal inputs, at the testbed's own horizon and time step.

        So that a fault in "the largest entry" is in the same entry under all settings.
        """
        plain = self.engine.simulate(self.testbed, Settings())
        return plain.value_and_grad(self.testbed.nominal())[1]

    @functools.cached_property
    def main(self) -> Entry:
        """The entry with the largest effect of a typical change; never one of a quaternion."""
        found, most = None, -1.0
        for name, gradient in self.nominal_gradient.items():
            one = self.testbed.input(name)
            rotations = {k + i for k in one.quaternions for i in range(4)}
            for index, entry in enumerate(gradient.ravel()):
                if index not in rotations and abs(entry) * one.scale > most:
                    found, most = Entry(name, index), abs(entry) * one.scale
        if found is None:
            raise Unsupported(f"{self.testbed.name} has no input outside its quaternions")
        return found


Fault = Callable[[Case, Inputs, Array, Gradient], tuple[Array, Gradient]]
FAULTS: dict[str, Fault] = {}


def planted(fault: Fault) -> Fault:
    """Put a function into the table under its own name."""
    FAULTS[fault.__name__] = fault
    return fault


class FaultySimulation(AbstractSimulation):
    """A right simulation whose answers to `value_and_grad` and `values_and_grads` are spoilt."""

    def __init__(self, case: Case, fault: Fault) -> None:
        self.case = case
        self.fault = fault
        self.right = case.simulation
        self.undifferentiated = self.right.undifferentiated

    def exact(self) -> AbstractSimulation:
        case = dataclasses.replace(self.case, simulation=self.right.exact())
        return FaultySimulation(case, self.fault)

    def value(self, inputs: Inputs) -> float:
        return self.right.value(inputs)

    def values(self, batch: Inputs) -> Array:
        return self.right.values(batch)

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        value, gradient = self.right.value_and_grad(inputs)
        batch = {name: array[None] for name, array in gradient.items()}
        values, gradients = self.fault(
            self.case,
            {name: np.asarray(array)[None] for name, array in inputs.items()},
            np.array([value]),
            batch,
        )
        return float(values[0]), {name: array[0] for name, array in gradients.items()}

    def values_and_grads(self, batch: Inputs) -> tuple[Array, Gradient]:
        return self.fault(self.case, batch, *self.right.values_and_grads(batch))

    def jvp(self, inputs: Inputs, tangents: Inputs) -> float:
        return self.right.jvp(inputs, tangents)

    def value_complex(self, inputs: Mapping[str, NDArray[np.complex128]]) -> complex:
        return self.right.value_complex(inputs)

    def trajectory(self, inputs: Inputs) -> Array:
        return self.right.trajectory(inputs)

    def step(self, states: Array, index: NDArray[np.int64], inputs: Inputs) -> Array:
        return self.right.step(states, index, inputs)

    def step_jacobians(self, inputs: Inputs) -> Array:
        return self.right.step_jacobians(inputs)

    def memory(self) -> tuple[float, float]:
        return self.right.memory()

    def structure(self, inputs: Inputs) -> Structure:
        return self.right.structure(inputs)

    def diagnostics(self, inputs: Inputs) -> dict[str, float]:
        return self.right.diagnostics(inputs)


class SpoiltEngine(AbstractEngine):
    """Any engine, with one fault planted in the gradients of its simulations."""

    def __init__(self, right: AbstractEngine, fault: Fault) -> None:
        self.right = right
        self.fault = fault
        self.card = right.card
        self.probe_limit = right.probe_limit
        self.slow_build = right.slow_build

    def simulate(self, testbed: Testbed, settings: Settings) -> FaultySimulation:
        case = Case(self.right, testbed, settings, self.right.simulate(testbed, settings))
        return FaultySimulation(case, self.fault)


@planted
def sign_flip(case: Case, batch: Inputs, values: Array, grads: Gradient) -> tuple[Array, Gradient]:
    """-g in the entry that matters most."""
    return values, _at(grads, case.main, lambda entry: -entry)


@planted
def negated(case: Case, batch: Inputs, values: Array, grads: Gradient) -> tuple[Array, Gradient]:
    """-g in all entries."""
    return values, {name: -grad for name, grad in grads.items()}


@planted
def factor_2(case: Case, batch: Inputs, values: Array, grads: Gradient) -> tuple[Array, Gradient]:
    """2 g."""
    return values, {name: 2 * grad for name, grad in grads.items()}


@planted
def mean_instead_of_sum(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """What the steps give to a parameter is averaged instead of added up."""
    name = case.testbed.inputs[-1].name
    return values, {**grads, name: grads[name] / max(case.steps, 1)}


@planted
def ctrl_scaled_by_dt(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """The gradient by a control is multiplied by the time step once too often."""
    name = _control(case)
    return values, {**grads, name: grads[name] * case.dt}


@planted
def clipped_undeclared(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """Every entry is clipped to 70 % of the largest nominal one."""
    bound = 0.7 * max(np.abs(grad).max() for grad in case.nominal_gradient.values())
    return values, {name: np.clip(grad, -bound, bound) for name, grad in grads.items()}


@planted
def dropped_input(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """Zeros for the input that matters most, as if nobody had passed it on."""
    name = case.main.name
    return values, {**grads, name: np.zeros_like(grads[name])}


@planted
def friction_zero(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """The friction coefficient is a constant to the backward pass."""
    if FRICTION not in grads:
        raise Unsupported(f"{case.testbed.name} has no input named {FRICTION}")
    return values, {**grads, FRICTION: np.zeros_like(grads[FRICTION])}


@planted
def reversed_order(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """The entries of each input in the order of another convention: the last one first."""
    return values, {
        name: grad.reshape(len(grad), -1)[:, ::-1].reshape(grad.shape)
        for name, grad in grads.items()
    }


@planted
def off_by_one_horizon(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """The gradient of one step fewer than the loss has."""
    return values, case.other(steps=case.steps - 1).values_and_grads(batch)[1]


@planted
def wrong_dt(case: Case, batch: Inputs, values: Array, grads: Gradient) -> tuple[Array, Gradient]:
    """The backward pass runs with a time step of its own, 10 % longer."""
    return values, case.other(dt=1.1 * case.dt).values_and_grads(batch)[1]


@planted
def forward_changed(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """With gradients on, the inputs are jittered by a thousandth of a typical change."""
    name, index = case.main
    moved = np.array(batch[name], dtype=np.float64)
    moved.reshape(len(moved), -1)[:, index] += 1e-3 * case.testbed.input(name).scale
    return case.simulation.values_and_grads({**batch, name: moved})


@planted
def nondeterministic_backward(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """Sums in an order that changes from call to call: as if added up by atomics in float32."""
    size = np.finfo(np.float32).eps
    return values, {
        name: grad * (1 + size * case.random.standard_normal(grad.shape))
        for name, grad in grads.items()
    }


@planted
def accumulated(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """The buffers of the gradient are never cleared: each call adds to the one before."""
    for name, grad in grads.items():
        before = case.kept.get(name)
        case.kept[name] = grad + (before if before is not None and len(before) == len(grad) else 0)
    return values, dict(case.kept)


@planted
def cross_talk(case: Case, batch: Inputs, values: Array, grads: Gradient) -> tuple[Array, Gradient]:
    """All rows of a batch share one buffer: each gets the mean over the batch."""
    return values, {
        name: np.broadcast_to(grad.mean(axis=0), grad.shape).copy() for name, grad in grads.items()
    }


@planted
def nan_rare(case: Case, batch: Inputs, values: Array, grads: Gradient) -> tuple[Array, Gradient]:
    """NaN in a slice that takes 1/500 of the range in which one coordinate is probed."""
    name, index = case.main
    one = case.testbed.input(name)
    centre = one.default.ravel()[index] + one.scale * SLICE
    distance = np.abs(np.asarray(batch[name]).reshape(len(values), -1)[:, index] - centre)
    hit = distance < one.scale * PROBED / 500 / 2
    return values, {
        n: np.where(hit.reshape(-1, *[1] * (grad.ndim - 1)), np.nan, grad)
        for n, grad in grads.items()
    }


SLICE, PROBED = 0.31, 1.0
"""Where the slice lies and how wide the probed range is, in typical changes of the coordinate."""


@planted
def wrong_frame(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """A torque in the world's frame is handed over as one in the body's frame."""

    def spoil(q: Array, grad: Array) -> Array:
        body = pull_rotation(q, grad)
        pure = np.concatenate([np.zeros_like(body[..., :1]), body], axis=-1)
        conjugate = q * np.array([1.0, -1.0, -1.0, -1.0])
        world: Array = multiply(multiply(q, pure), conjugate)[..., 1:]
        return push_rotation(q, world)

    return values, _on_quaternions(case, batch, grads, spoil)


@planted
def quaternion_component(
    case: Case, batch: Inputs, values: Array, grads: Gradient
) -> tuple[Array, Gradient]:
    """The gradient of a function that normalises nothing: it also points along the quaternion."""

    def spoil(q: Array, grad: Array) -> Array:
        length: Array = np.linalg.norm(grad, axis=-1, keepdims=True)
        return grad + q * length / 2

    return values, _on_quaternions(case, batch, grads, spoil)


def _at(grads: Gradient, entry: Entry, change: Callable[[Array], Array]) -> Gradient:
    """The gradients with one entry changed in every row."""
    spoilt = np.array(grads[entry.name])
    flat = spoilt.reshape(len(spoilt), -1)
    flat[:, entry.at] = change(flat[:, entry.at])
    return {**grads, entry.name: spoilt}


def _control(case: Case) -> str:
    for name in CONTROLS:
        if name in case.nominal_gradient:
            return name
    raise Unsupported(f"{case.testbed.name} has no control (known names: {', '.join(CONTROLS)})")


def _on_quaternions(
    case: Case, batch: Inputs, grads: Gradient, spoil: Callable[[Array, Array], Array]
) -> Gradient:
    """The gradients with the four entries of each quaternion changed."""
    rotating: list[Input] = [
        one for one in case.testbed.inputs if one.quaternions and one.name in grads
    ]
    if not rotating:
        raise Unsupported(f"{case.testbed.name} has no quaternion among its inputs")
    out = dict(grads)
    for one in rotating:
        rows = np.array(grads[one.name])
        flat = rows.reshape(len(rows), -1)
        point = np.asarray(batch[one.name]).reshape(len(rows), -1)
        for k in one.quaternions:
            flat[:, k : k + 4] = spoil(point[:, k : k + 4], flat[:, k : k + 4])
        out[one.name] = rows
    return out
