"""Your simulator as gradcheck sees it, whatever it is written in: C++ with bindings, Warp, PyTorch.

It runs as it is, in NumPy with an adjoint by hand; put calls of your own library in their place.

    gradcheck audit        (what is audited is written in gradcheck.toml)
"""

import math
from typing import Any

import numpy as np

from gradcheck import (
    AbstractEngine,
    AbstractSimulation,
    ContactTreatment,
    EngineCard,
    Knob,
    Realization,
    Referent,
    Retention,
    Settings,
    Testbed,
    Unsupported,
)

GRAVITY, MASS, INERTIA = 9.81, 1.0, 0.01


class Pendulum(AbstractSimulation):
    """Semi-implicit Euler of (m l² + I) q'' = -m g l sin q - c q', and its adjoint.

    Two methods are all that must be written. Arrays are float64 NumPy arrays by input name.
    """

    def __init__(self, dt: float, steps: int, weights: tuple[float, ...]) -> None:
        self.dt, self.steps, self.weights = dt, steps, weights

    def value(self, inputs: Any) -> float:
        """The loss."""
        return self.loss(self.states(inputs)[-1])

    def value_and_grad(self, inputs: Any) -> Any:
        """The loss and its gradient, by the names and in the shapes of the inputs."""
        # YOUR BACKWARD PASS HERE.
        length, damping = float(inputs["length"][0]), float(inputs["damping"][0])
        inertia = MASS * length**2 + INERTIA
        states = self.states(inputs)
        dq, dv = self.weights  # d loss / d state, carried from the last step to the first
        dlength = ddamping = 0.0
        for q, v in reversed(states[:-1]):
            dv += self.dt * dq  # q += dt v
            torque = -MASS * GRAVITY * length * math.sin(q) - damping * v
            by_length = -MASS * GRAVITY * math.sin(q) - torque / inertia * 2 * MASS * length
            dlength += dv * self.dt / inertia * by_length
            ddamping -= dv * self.dt / inertia * v
            dq -= dv * self.dt / inertia * MASS * GRAVITY * length * math.cos(q)
            dv -= dv * self.dt / inertia * damping
        gradient = {"qpos": dq, "qvel": dv, "length": dlength, "damping": ddamping}
        return self.loss(states[-1]), {name: np.array([entry]) for name, entry in gradient.items()}

    def loss(self, state: tuple[float, float]) -> float:
        """The testbed's weights times its outputs, here angle and rate at the end."""
        return float(self.weights[0] * state[0] + self.weights[1] * state[1])

    def states(self, inputs: Any) -> list[tuple[float, float]]:
        """Angle and rate before the first step and after every one."""
        # YOUR FORWARD PASS HERE.
        length, damping = float(inputs["length"][0]), float(inputs["damping"][0])
        q, v = float(inputs["qpos"][0]), float(inputs["qvel"][0])
        states = [(q, v)]
        for _ in range(self.steps):
            torque = -MASS * GRAVITY * length * math.sin(q) - damping * v
            v += self.dt * torque / (MASS * length**2 + INERTIA)
            q += self.dt * v
            states.append((q, v))
        return states


class MySimulator(AbstractEngine):
    """Builds its own scene for the testbeds that it knows, and refuses the others by name."""

    # What you state about your gradient. The audit measures it and says where it differs; leave
    # out what you do not want to state (the report then says: not stated).
    card = EngineCard(
        name="my_simulator",
        version="0.1",
        referent=Referent.EXECUTED,  # or CONVERGED, CONTINUOUS: whose derivative is it?
        realization=Realization.CUSTOM_ADJOINT,  # or GENERATED, EQUATION_ADJOINT: how is it made?
        retention=Retention.STORE_ALL,  # or CHECKPOINT, RECOMPUTE, …: how are states kept?
        contact=ContactTreatment.NONE,  # how is contact made differentiable?
        frozen=(),  # what the backward pass holds constant: "contact normal", "friction", …
        knobs=(Knob.STEPS, Knob.DT),  # settings that `simulate` obeys
        sources={"realization": "my_simulator.py: Pendulum.value_and_grad"},
    )

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        """The simulation of a testbed (its loss and gradient) under these settings."""
        if testbed.name != "pendulum":
            raise Unsupported(f"my_simulator has no scene for {testbed.name} yet")
        return Pendulum(settings.dt or testbed.dt, settings.steps or testbed.steps, testbed.weights)
