"""C MuJoCo. Its derivative is `mjd_transitionFD`, chained over the rollout.

MuJoCo has no backward pass of its own: `mjd_transitionFD` returns finite differences A, B of one
step in the tangent space, [dq, dv, da]' = A [dq, dv, da] + B du (MuJoCo documentation, API
reference, "mjd_transitionFD"). The gradient of a rollout is the adjoint recursion
lambda_t = A_t^T lambda_{t+1}, and d loss / d ctrl = sum_t B_t^T lambda_{t+1}.
"""

from collections.abc import Iterator
from typing import Any

import mujoco
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
from gradcheck.engines.mjcf import STATE_INPUTS, compile_model, quaternion_starts
from gradcheck.quaternion import tangent_basis
from gradcheck.scene import Field, Mjcf
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Testbed

DOCS = "https://mujoco.readthedocs.io/en/stable"
NO_PARAMETERS = (
    "mjd_transitionFD differentiates one step by state and control only, not by fields of MjModel"
)


def quiet(message: str) -> None:
    """Takes MuJoCo's warnings: a blow-up shows in the value, not in a MUJOCO_LOG.TXT."""


class MujocoEngine(AbstractEngine):
    """Rollouts by `mj_step`, gradients by chained `mjd_transitionFD`.

    eps: step of MuJoCo's own differences, in its tangent coordinates; centred throughout.
    Every rollout starts from reset data, so a value does not depend on what ran before.
    """

    probe_limit = 128

    def __init__(self, eps: float = 1e-6) -> None:
        self.eps = eps
        mujoco.set_mju_user_warning(quiet)
        self.card = EngineCard(
            name="mujoco",
            version=mujoco.mj_versionString(),
            summary=(
                "C MuJoCo, mj_step rollouts; no backward pass of its own: "
                f"mjd_transitionFD (centred, eps {eps:g}) chained over the steps, A and B kept"
            ),
            referent=Referent.EXECUTED,
            realization=Realization.DIFFERENCES,
            retention=Retention.STORE_ALL,
            contact=ContactTreatment.REGULARISED_CONVEX,
            frozen=("the solver's warm start (qacc_warmstart) of each step", "fields of MjModel"),
            abilities=(Ability.BATCH, Ability.STEPS),
            knobs=(
                Knob.STEPS,
                Knob.DT,
                Knob.ITERATIONS,
                Knob.TOLERANCE,
                Knob.SOLVER,
                Knob.CONE,
            ),
            sources={
                "referent": f"{DOCS}/APIreference/APIfunctions.html#mjd-transitionfd",
                "realization": f"{DOCS}/APIreference/APIfunctions.html#mjd-transitionfd",
                "retention": "gradcheck/engines/mujoco_c.py: A and B of every step are stored",
                "contact": f"{DOCS}/computation/index.html#constraint-model",
                "frozen": "engine_derivative_fd.c: every perturbed step starts from the same "
                "qacc_warmstart, which A does not propagate",
            },
        )

    def simulate(self, testbed: Testbed, settings: Settings) -> "MujocoSimulation":
        require_knobs(self.card, settings)
        model = compile_model(testbed, settings)
        steps = settings.steps if settings.steps is not None else testbed.steps
        simulation = MujocoSimulation(model, testbed, steps, self.eps)
        try:
            simulation.transition()
        except mujoco.FatalError as error:
            raise Unsupported(f"MuJoCo: {error}") from None
        return simulation


class MujocoSimulation(AbstractSimulation):
    """One compiled model at one horizon.

    States of `trajectory` are [qpos, qvel, act], a quaternion with its four entries; the step
    normalises it, so a step Jacobian is E' A E^+ there (E: `tangent_basis`) and vanishes along
    the quaternion. As in `mjd_transitionFD`, `step` starts from the rollout's own warm start.
    """

    def __init__(self, model: mujoco.MjModel, testbed: Testbed, steps: int, eps: float) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.testbed = testbed
        self.steps = steps
        self.eps = eps
        self.fields: dict[str, tuple[Field, ...]] = dict(testbed.scene(Mjcf).fields)
        self.quaternions = quaternion_starts(model)
        self.undifferentiated = {
            one.name: NO_PARAMETERS for one in testbed.inputs if one.name in self.fields
        }

    def start(self, inputs: Inputs) -> None:
        """Fresh data at the initial state, whatever ran before."""
        mujoco.mj_resetData(self.model, self.data)
        for name, value in inputs.items():
            if name in self.fields:
                for field in self.fields[name]:
                    array = getattr(self.model, field.name)
                    array[field.index] = field.factor * float(np.ravel(value)[field.entry])
            elif name in STATE_INPUTS:
                getattr(self.data, name)[:] = value

    def value(self, inputs: Inputs) -> float:
        self.start(inputs)
        if self.steps:
            mujoco.mj_step(self.model, self.data, nstep=self.steps)
        return float(self.testbed.weights @ self._outputs())

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        self.start(inputs)
        first = self.data.qpos.copy()
        pairs = [self.transition() for _ in self._rollout()]
        weights = np.asarray(self.testbed.weights)
        nq, nv = self.model.nq, self.model.nv
        adjoint = np.zeros(2 * nv + self.model.na)
        adjoint[:nv] = self._tangent(self.data.qpos).T @ weights[:nq]
        adjoint[nv : 2 * nv] = weights[nq:]
        by_ctrl = np.zeros(self.model.nu)
        for a, b in reversed(pairs):
            by_ctrl += b.T @ adjoint
            adjoint = a.T @ adjoint
        # The raw gradient that is tangent to each quaternion's sphere
        by_qpos = np.linalg.pinv(self._tangent(first)).T @ adjoint[:nv]
        all_gradients = {"qpos": by_qpos, "qvel": adjoint[nv : 2 * nv], "ctrl": by_ctrl}
        gradient = {
            one.name: all_gradients[one.name].reshape(one.default.shape)
            for one in self.testbed.inputs
            if one.name in all_gradients and one.name in inputs
        }
        return float(weights @ self._outputs()), gradient

    def transition(self) -> tuple[Array, Array]:
        """A [2nv+na, 2nv+na] and B [2nv+na, nu] of the next step, by MuJoCo's differences."""
        n = 2 * self.model.nv + self.model.na
        a, b = np.zeros((n, n)), np.zeros((n, self.model.nu))
        mujoco.mjd_transitionFD(self.model, self.data, self.eps, True, a, b, None, None)
        return a, b

    def trajectory(self, inputs: Inputs) -> Array:
        self.start(inputs)
        states = [self._state() for _ in self._rollout()]
        return np.stack([*states, self._state()])

    def step(self, states: Array, index: NDArray[np.int64], inputs: Inputs) -> Array:
        self.start(inputs)
        warm = [self.data.qacc_warmstart.copy() for _ in self._rollout()]
        self.start(inputs)
        nq, nv = self.model.nq, self.model.nv
        after = np.zeros_like(states)
        for row, (state, at) in enumerate(zip(states, index, strict=True)):
            self.data.time = at * self.model.opt.timestep
            self.data.qpos[:] = state[:nq]
            self.data.qvel[:] = state[nq : nq + nv]
            self.data.act[:] = state[nq + nv :]
            self.data.qacc_warmstart[:] = warm[at]
            mujoco.mj_step(self.model, self.data)
            after[row] = self._state()
        return after

    def step_jacobians(self, inputs: Inputs) -> Array:
        self.start(inputs)
        raw = [(self._lift(self.data.qpos), self.transition()[0]) for _ in self._rollout()]
        lifts = [lift for lift, _ in raw] + [self._lift(self.data.qpos)]
        return np.stack(
            [
                after @ a @ np.linalg.pinv(before)
                for before, after, (_, a) in zip(lifts[:-1], lifts[1:], raw, strict=True)
            ]
        )

    def diagnostics(self, inputs: Inputs) -> dict[str, float]:
        """Worst over the steps: the solver's iterations and scaled gradient, contacts."""
        self.start(inputs)
        rows = [(0.0, 0.0, 0.0)]
        for _ in range(self.steps):
            mujoco.mj_step(self.model, self.data)
            used = self.data.solver_niter[self.data.solver_niter > 0]
            islands = self.data.solver.gradient.reshape(-1, mujoco.mjNSOLVER)[: len(used)]
            last = islands[np.arange(len(used)), np.minimum(used, mujoco.mjNSOLVER) - 1]
            rows.append((last.max(initial=0), used.max(initial=0), self.data.ncon))
        residual, iterations, contacts = np.max(rows, axis=0)
        return {
            "residual": float(residual),
            "iterations": float(iterations),
            "contacts": float(contacts),
            "contacts at the end": float(self.data.ncon),
        }

    def _rollout(self) -> Iterator[None]:
        """Yields before each step, then takes it."""
        for _ in range(self.steps):
            yield
            mujoco.mj_step(self.model, self.data)

    def _outputs(self) -> Array:
        return np.concatenate([self.data.qpos, self.data.qvel])

    def _state(self) -> Array:
        return np.concatenate([self.data.qpos, self.data.qvel, self.data.act])

    def _tangent(self, qpos: Array) -> Array:
        """d qpos / d tangent coordinates [nq, nv]."""
        out = np.zeros((self.model.nq, self.model.nv))
        row = column = 0
        while row < self.model.nq:
            if row in self.quaternions:
                out[row : row + 4, column : column + 3] = tangent_basis(qpos[row : row + 4])
                row, column = row + 4, column + 3
            else:
                out[row, column] = 1.0
                row, column = row + 1, column + 1
        return out

    def _lift(self, qpos: Array) -> Array:
        """d [qpos, qvel, act] / d tangent coordinates, block diagonal."""
        rest = self.model.nv + self.model.na
        tangent: Any = self._tangent(qpos)
        return np.block(
            [
                [tangent, np.zeros((self.model.nq, rest))],
                [np.zeros((rest, self.model.nv)), np.eye(rest)],
            ]
        )
