"""Engines of a few lines of numpy, whose every number is known."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Array,
    EngineCard,
    Gradient,
    Inputs,
    Knob,
    Settings,
    Unsupported,
    require_knobs,
)
from gradcheck.subject import Profile, Subject
from gradcheck.testbed import Family, Input, Testbed

# Of inputs [n, ...] by name and settings: losses [n], or gradients [n, ...] by name.
Loss = Callable[[Mapping[str, Any], Settings], Any]
Grad = Callable[[Mapping[str, Any], Settings], Gradient]
# (states [b, n], inputs [...], dt) -> states [b, n]; complex states pass through.
Step = Callable[[Any, Mapping[str, Any], float], Any]


def bed(*inputs: Input, **changes: Any) -> Testbed:
    """A testbed of these inputs."""
    fields: dict[str, Any] = {
        "name": "toy",
        "question": "is it right?",
        "family": Family.SMOOTH,
        "source": "made up",
        "outputs": ("y",),
        "weights": (1.0,),
        "scenes": (),
    }
    return Testbed(inputs=inputs, **{**fields, **changes})


def subject(
    engine: AbstractEngine, testbed: Testbed, seed: int = 0, profile: Profile = Profile.QUICK
) -> Subject:
    return Subject("toy", engine, testbed, seed, profile)


class Toy(AbstractEngine):
    """A loss and its gradient, both for batches. `calls` counts rows of each kind."""

    def __init__(
        self,
        loss: Loss,
        grad: Grad,
        *,
        abilities: tuple[Ability, ...] = (Ability.BATCH,),
        knobs: tuple[Knob, ...] = (Knob.STEPS, Knob.DT),
        undifferentiated: Mapping[str, str] | None = None,
        **card: Any,
    ) -> None:
        self.loss = loss
        self.grad = grad
        self.undifferentiated = dict(undifferentiated or {})
        self.card = EngineCard(name="toy", version="0", abilities=abilities, knobs=knobs, **card)
        self.calls = {"values": 0, "gradients": 0, "simulate": 0}

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        require_knobs(self.card, settings)
        self.calls["simulate"] += 1
        steps = testbed.steps if settings.steps is None else settings.steps
        dt = testbed.dt if settings.dt is None else settings.dt
        return ToySimulation(self, settings.model_copy(update={"steps": steps, "dt": dt}))


class ToySimulation(AbstractSimulation):
    def __init__(self, engine: Toy, settings: Settings) -> None:
        self.engine = engine
        self.settings = settings
        self.undifferentiated = engine.undifferentiated

    def value(self, inputs: Inputs) -> float:
        return float(self.values({k: v[None] for k, v in inputs.items()})[0])

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        values, grads = self.values_and_grads({k: v[None] for k, v in inputs.items()})
        return float(values[0]), {k: v[0] for k, v in grads.items()}

    def values(self, batch: Inputs) -> Array:
        values = np.asarray(self.engine.loss(batch, self.settings), np.float64)
        self.engine.calls["values"] += len(values)
        return values

    def values_and_grads(self, batch: Inputs) -> tuple[Array, Gradient]:
        grads = self.engine.grad(batch, self.settings)
        values = np.asarray(self.engine.loss(batch, self.settings), np.float64)
        self.engine.calls["gradients"] += len(values)
        return values, {k: np.asarray(v, np.float64) for k, v in grads.items()}

    def jvp(self, inputs: Inputs, tangents: Inputs) -> float:
        _, grads = self.value_and_grad(inputs)
        return float(sum(np.sum(grads[k] * tangents[k]) for k in grads))

    def value_complex(self, inputs: Mapping[str, NDArray[np.complex128]]) -> complex:
        batch = {k: v[None] for k, v in inputs.items()}
        return complex(self.engine.loss(batch, self.settings)[0])


class Stepper(AbstractEngine):
    """Iterates a map of states, from the input `x`; the loss is the state's first entry.

    Jacobians by complex step, so the map must be analytic along the rollout. `spoil` changes the
    Jacobian of a step: (index, J) -> J.
    """

    def __init__(
        self,
        step: Step,
        *,
        spoil: Callable[[int, Array], Array] | None = None,
        knobs: tuple[Knob, ...] = (Knob.STEPS, Knob.DT),
        abilities: tuple[Ability, ...] = (Ability.BATCH, Ability.STEPS),
    ) -> None:
        self.step = step
        self.spoil = spoil
        self.card = EngineCard(name="stepper", version="0", abilities=abilities, knobs=knobs)

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        require_knobs(self.card, settings)
        if testbed.dt <= 0:
            raise Unsupported("no time steps")
        steps = testbed.steps if settings.steps is None else settings.steps
        dt = testbed.dt if settings.dt is None else settings.dt
        return StepperSimulation(self, steps, dt)


class StepperSimulation(AbstractSimulation):
    def __init__(self, engine: Stepper, steps: int, dt: float) -> None:
        self.engine, self.steps, self.dt = engine, steps, dt

    def value(self, inputs: Inputs) -> float:
        return float(self.trajectory(inputs)[-1, 0])

    def values(self, batch: Inputs) -> Array:
        states = np.asarray(batch["x"])
        for _ in range(self.steps):
            states = self.engine.step(states, {}, self.dt)
        return np.asarray(states[:, 0], np.float64)

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        adjoint = np.zeros(np.size(inputs["x"]))
        adjoint[0] = 1.0
        for jacobian in self.step_jacobians(inputs)[::-1]:
            adjoint = jacobian.T @ adjoint
        return self.value(inputs), {"x": adjoint}

    def trajectory(self, inputs: Inputs) -> Array:
        states = [np.asarray(inputs["x"])[None]]
        for _ in range(self.steps):
            states.append(self.engine.step(states[-1], {}, self.dt))
        return np.concatenate(states)

    def step(self, states: Array, index: NDArray[np.int64], inputs: Inputs) -> Array:
        return np.asarray(self.engine.step(states, {}, self.dt), np.float64)

    def step_jacobians(self, inputs: Inputs) -> Array:
        states = self.trajectory(inputs)[:-1]
        n = states.shape[1]
        columns = [
            self.engine.step(states + 1e-30j * np.eye(n)[j], {}, self.dt).imag / 1e-30
            for j in range(n)
        ]
        jacobians = np.stack(columns, axis=-1) if len(states) else np.zeros((0, n, n))
        if self.engine.spoil is not None:
            jacobians = np.array([self.engine.spoil(k, j) for k, j in enumerate(jacobians)])
        return jacobians


def quadratic(matrix: Array) -> Toy:
    """x' A x / 2 of the input `x`."""
    return Toy(
        lambda batch, _: np.einsum("ni,ij,nj->n", batch["x"], matrix, batch["x"]) / 2,
        lambda batch, _: {"x": batch["x"] @ (matrix + matrix.T) / 2},
    )


def scalar(f: Callable[[Any], Any], g: Callable[[Any], Any], **options: Any) -> Toy:
    """f of the one entry of the input `x`, with derivative g."""
    return Toy(
        lambda batch, _: f(batch["x"][:, 0]), lambda batch, _: {"x": g(batch["x"])}, **options
    )
