"""The G1 simulator (`gradcheck.engines.g1`) as an engine under audit, on MJCF scenes."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gradcheck.engine import Ability, EngineCard, Knob, Settings, Unsupported
from gradcheck.engines import g1
from gradcheck.engines.g1.touching import Pair
from gradcheck.engines.jax_program import JaxEngine, JaxInputs, Program, State
from gradcheck.engines.mjcf import compile_model
from gradcheck.scene import Field, Mjcf
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Testbed

HERE = "gradcheck/engines/g1"
# Fields of MjModel that are parameters of the simulator, entry by entry.
DIRECT = ("body_mass", "dof_damping", "dof_armature", "dof_frictionloss", "actuator_gainprm")


class G1Engine(JaxEngine):
    """MuJoCo's contact dynamics solved to convergence, with the implicit function theorem's
    gradient."""

    probe_limit = 64
    slow_build = True

    def __init__(self) -> None:
        self.card = EngineCard(
            name="g1",
            version="1",
            summary="MuJoCo's dynamics in JAX, solved to convergence; reverse mode by the implicit "
            "function theorem at the solution",
            referent=Referent.CONVERGED,
            realization=Realization.CUSTOM_ADJOINT,
            retention=Retention.CHECKPOINT,
            contact=ContactTreatment.REGULARISED_CONVEX,
            frozen=(
                "the solver's warm start, which has no influence at convergence",
                "body_invweight0 and dof_invweight0, the regularisation's constants",
            ),
            abilities=(
                Ability.BATCH,
                Ability.STEPS,
                Ability.MEMORY,
                Ability.STRUCTURE,
                Ability.FORWARD_MODE,
            ),
            knobs=(Knob.STEPS, Knob.DT, Knob.PRECISION, Knob.CONE),
            sources={
                "referent": f"{HERE}/implicit.py: the derivative of the equation at its solution; "
                f"{HERE}/solver.py ends at roundings, a world that did not is refused",
                "realization": f"{HERE}/implicit.py: a hand-written tangent, one solve with the "
                f"factor of {HERE}/factor.py, and its transpose",
                "retention": "gradcheck/engines/jax_stepwise.py: the state before each step is "
                "kept, the step is computed again",
                "contact": "https://mujoco.readthedocs.io/en/stable/computation/index.html"
                f"#constraint-model; points, normals and distances are differentiated: "
                f"{HERE}/contact.py",
                "frozen": f"{HERE}/parameters.py",
            },
        )

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """The MJCF scene as a program. Raises `Unsupported`, naming the element, for what the
        simulator does not compute."""
        model = g1.load(compile_model(testbed, settings), dtype=settings.precision)
        scene = G1Scene(model, testbed)
        return Program(
            scene.start,
            scene.step,
            scene.outputs,
            stepwise=True,
            batched=True,
            compiler_options=g1.COMPILER_OPTIONS,
            diagnostics=scene.diagnostics,
        )


class G1Scene:
    """One model as the three functions of a program.

    The state is a tuple (qpos [nq], qvel [nv], qacc [nv]); a world that did not converge or that
    cannot be simulated becomes NaN, so that the audit sees it.
    """

    def __init__(self, model: g1.Model, testbed: Testbed) -> None:
        self.model = model
        self.fields: Mapping[str, tuple[Field, ...]] = testbed.scene(Mjcf).fields
        for fields in self.fields.values():
            for field in fields:
                places(model, field)

    def start(self, inputs: JaxInputs, dt: jax.Array) -> State:
        """The initial state; parts that no input gives are the model's own."""
        del dt
        zero = jnp.zeros(self.model.nv, self.model.dtype)
        qpos = jnp.asarray(self.model.structure.mj_model.qpos0, self.model.dtype)
        return inputs.get("qpos", qpos), inputs.get("qvel", zero), zero

    def step(self, state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        """One step, of one world or of a batch of them."""
        del index
        after = self._after(state, inputs, dt)
        fine = (after.status & ~g1.Status.CONTROL == 0)[..., None]
        return tuple(jnp.where(fine, new, jnp.nan) for new in (after.qpos, after.qvel, after.qacc))

    def outputs(self, state: State, inputs: JaxInputs) -> jax.Array:
        """qpos and qvel."""
        del inputs
        return jnp.concatenate([state[0], state[1]])

    def diagnostics(self, inputs: JaxInputs, steps: int, dt: float) -> dict[str, float]:
        """Worst over the steps: the solver's iterations and its residual, relative to forces."""
        once = jax.jit(self._after, compiler_options=g1.COMPILER_OPTIONS)
        time_step = jnp.asarray(dt, self.model.dtype)
        state, worst = self.start(inputs, time_step), np.zeros(2)
        for _ in range(steps):
            after = once(state, inputs, time_step)
            worst = np.maximum(worst, [after.residual, after.iterations])
            state = after.qpos, after.qvel, after.qacc
        return {"residual": float(worst[0]), "iterations": float(worst[1])}

    def _after(self, state: State, inputs: JaxInputs, dt: jax.Array) -> g1.State:
        qpos, qvel, warm = state
        lead = qpos.shape[:-1]
        model = self.model.with_parameters(**self._parameters(inputs, lead))
        model = dataclasses.replace(model, timestep=dt)
        # The warm start is no part of the function that is differentiated.
        warm = jax.lax.stop_gradient(warm)
        current = dataclasses.replace(g1.state(model, qpos, qvel), qacc=warm)
        zero = jnp.zeros((*lead, model.nu), model.dtype)
        return g1.step(model, current, inputs.get("ctrl", zero))

    def _parameters(self, inputs: JaxInputs, lead: tuple[int, ...]) -> dict[str, Any]:
        """Those that inputs give, one a world; the others are shared by all."""
        changed: dict[str, Any] = {}
        for name, fields in self.fields.items():
            entries = inputs[name].reshape(*lead, -1)
            for field in fields:
                parameter, indices = places(self.model, field)
                array = changed.get(parameter)
                if array is None:
                    own = getattr(self.model.parameters, parameter)
                    array = jnp.broadcast_to(own, (*lead, *own.shape))
                for index in indices:
                    array = array.at[(..., *index)].set(field.factor * entries[..., field.entry])
                changed[parameter] = array
        return changed


def places(model: g1.Model, field: Field) -> tuple[str, list[tuple[int, ...]]]:
    """The parameter that a field of MjModel is, and where. Raises `Unsupported`."""
    if field.name in DIRECT:
        return field.name, [field.index[:1]]
    if field.name == "actuator_biasprm" and field.index[1] < 3:
        return field.name, [field.index]
    pairs = [
        row
        for row, pair in enumerate(model.structure.pairs)
        if decides(model, pair, field.index[0])
    ]
    if field.name == "geom_friction" and field.index[1] == 0:
        return "friction", [(row,) for row in pairs]
    if field.name == "geom_solref":
        return "solref", [(row, field.index[1]) for row in pairs]
    raise Unsupported(f"g1: {field.name}{list(field.index)} is no parameter that it differentiates")


def decides(model: g1.Model, pair: Pair, geom: int) -> bool:
    """Whether a geom alone sets the pair's friction and solref: by its priority, or as the only one
    with friction. Raises `Unsupported` where both do."""
    if geom not in (pair.geom, pair.plane):
        return False
    other = pair.plane if geom == pair.geom else pair.geom
    mj = model.structure.mj_model
    mine, its = (int(mj.geom_priority[one]) for one in (geom, other))
    if mine != its:
        return mine > its
    same = np.allclose(mj.geom_solref[geom], mj.geom_solref[other])
    if mj.geom_friction[geom, 0] > mj.geom_friction[other, 0] and same:
        return True
    raise Unsupported(f"g1: geoms {geom} and {other} share the parameters of their contact")
