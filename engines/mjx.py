"""MJX, MuJoCo's simulator written in JAX, differentiated by JAX.

Of `mjx.Data` the rollout carries only what one step hands to the next: qpos, qvel, act and the
solver's warm start qacc_warmstart. The rest is rebuilt from a constant template inside the step,
so that loops, their derivatives and their memory stay small; the numbers are those of `mjx.step`.
The warm start is part of the state and is differentiated: it decides where a solver that stops
early ends.
"""

import contextlib
import importlib.metadata
import io
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import mujoco

from gradcheck.engine import Ability, EngineCard, Knob, Settings, Unsupported
from gradcheck.engines.jax_program import JaxEngine, JaxInputs, Program, State
from gradcheck.engines.mjcf import compile_model
from gradcheck.scene import Field, Mjcf
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Testbed

# MJX prints that the optional package warp is missing.
with contextlib.redirect_stdout(io.StringIO()):
    from mujoco import mjx

DOCS = "https://mujoco.readthedocs.io/en/stable/mjx.html"
REVERSE = "reverse"


class MjxEngine(JaxEngine):
    """MJX with the model's own solver settings, in forward mode; or, as variant `reverse`, with
    one solver iteration, in reverse mode.

    JAX cannot reverse the solver's `while_loop`; MJX leaves it out when `iterations` is 1
    (mjx/_src/solver.py, `solve`), and only then.
    """

    probe_limit = 64
    slow_build = True

    def __init__(self, variant: str = "") -> None:
        if variant not in ("", REVERSE):
            raise Unsupported(f"mjx has no variant '{variant}' (it has: {REVERSE})")
        self.reverse = variant == REVERSE
        knobs = [Knob.STEPS, Knob.DT, Knob.PRECISION, Knob.SOLVER, Knob.CONE]
        # After one iteration no tolerance is asked for.
        budget = [] if self.reverse else [Knob.TOLERANCE, Knob.ITERATIONS]
        self.card = EngineCard(
            name=f"mjx:{REVERSE}" if self.reverse else "mjx",
            version=importlib.metadata.version("mujoco-mjx"),
            summary=(
                "MJX with one solver iteration (all that its reverse mode allows), reverse mode"
                if self.reverse
                else "MJX with the model's own solver settings, forward mode"
            ),
            referent=Referent.EXECUTED,
            realization=Realization.GENERATED,
            retention=Retention.CHECKPOINT if self.reverse else Retention.NOTHING,
            contact=ContactTreatment.REGULARISED_CONVEX,
            frozen=(),
            abilities=(
                Ability.BATCH,
                Ability.STEPS,
                Ability.MEMORY,
                Ability.STRUCTURE,
                *(() if self.reverse else (Ability.FORWARD_MODE,)),
            ),
            knobs=(*knobs, *budget),
            sources={
                "referent": "JAX differentiates what ran, the solver's iterations and their warm "
                "start included",
                "realization": f"{DOCS}; no custom derivative in mujoco/mjx/_src but for one of "
                "signed distance fields (collision_sdf.py)",
                "retention": "gradcheck/engines/jax_stepwise.py: the state before each step is "
                "kept, the step is computed again",
                "contact": "https://mujoco.readthedocs.io/en/stable/computation/index.html"
                "#constraint-model",
                "frozen": "no stop_gradient in mujoco/mjx/_src",
            },
        )

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """The MJCF scene as a program. Raises `Unsupported` with MJX's own words."""
        model = compile_model(testbed, settings)
        if self.reverse:
            model.opt.iterations = 1
        try:
            scene = MjxScene(model, testbed, settings.precision)
            # MJX refuses some elements only when it is traced; jit keeps this trace for later.
            step = jax.jit(scene.step)
            jax.eval_shape(step, *scene.example(testbed.nominal()))
        except NotImplementedError as error:
            raise Unsupported(f"MJX: {' '.join(str(error).split())}") from None
        return Program(
            scene.start,
            step,
            scene.outputs,
            reverse=self.reverse,
            stepwise=True,
        )


class MjxScene:
    """One model in MJX, as the three functions of a program.

    The state is a tuple (qpos [nq], qvel [nv], act [na], qacc_warmstart [nv]).
    """

    def __init__(self, model: mujoco.MjModel, testbed: Testbed, precision: str) -> None:
        self.dtype = jnp.dtype(precision)
        self.model = cast_floats(mjx.put_model(model, impl="jax"), self.dtype)
        self.template = cast_floats(mjx.make_data(model, impl="jax"), self.dtype)
        self.testbed = testbed
        self.fields: Mapping[str, tuple[Field, ...]] = testbed.scene(Mjcf).fields
        for name, fields in self.fields.items():
            for field in fields:
                if not isinstance(getattr(self.model, field.name, None), jax.Array):
                    raise NotImplementedError(
                        f"input '{name}' enters MjModel.{field.name}, which mjx.Model "
                        "has not or holds as a constant of the compiled program"
                    )

    def example(self, inputs: Mapping[str, Any]) -> tuple[Any, ...]:
        """Arguments of `step`."""
        cast = {name: jnp.asarray(value, self.dtype) for name, value in inputs.items()}
        dt = jnp.asarray(0.01, self.dtype)
        return self.start(cast, dt), cast, jnp.asarray(0), dt

    def start(self, inputs: JaxInputs, dt: jax.Array) -> State:
        """The initial state; parts that no input gives are the model's own."""
        data = self.template
        return (
            inputs.get("qpos", data.qpos),
            inputs.get("qvel", data.qvel),
            data.act,
            data.qacc_warmstart,
        )

    def step(self, state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        """One `mjx.step`."""
        qpos, qvel, act, warm = state
        replaced: dict[str, Any] = {"opt.timestep": dt}
        for name, fields in self.fields.items():
            for field in fields:
                array = replaced.get(field.name, getattr(self.model, field.name))
                entry = field.factor * jnp.ravel(inputs[name])[field.entry]
                replaced[field.name] = array.at[field.index].set(entry)
        data = self.template.replace(
            qpos=qpos,
            qvel=qvel,
            act=act,
            qacc_warmstart=warm,
            time=index * dt,
            ctrl=inputs.get("ctrl", self.template.ctrl),
        )
        # Constants inside MJX are of JAX's default precision, and would lift all to float64.
        with jax.enable_x64(self.dtype == jnp.float64):
            after = mjx.step(self.model.tree_replace(replaced), data)
        return after.qpos, after.qvel, after.act, after.qacc_warmstart

    def outputs(self, state: State, inputs: JaxInputs) -> jax.Array:
        """qpos and qvel."""
        return jnp.concatenate([state[0], state[1]])


def cast_floats(tree: Any, dtype: Any) -> Any:
    """Every floating array of a pytree in one precision."""

    def cast(leaf: Any) -> Any:
        floating = isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jnp.floating)
        return leaf.astype(dtype) if floating else leaf

    return jax.tree.map(cast, tree)
