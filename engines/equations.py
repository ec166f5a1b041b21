"""Testbeds stated as formulas or as ordinary differential equations, in JAX.

Equations are advanced by semi-implicit Euler: v += dt a(q, v, t); q += dt v.
"""

import jax
import jax.numpy as jnp

from gradcheck.engine import Ability, EngineCard, Knob, Settings, Unsupported
from gradcheck.engines.jax_program import JaxEngine, JaxInputs, Program
from gradcheck.scene import Equations, Formula
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Testbed

State = tuple[jax.Array, ...]

CARD = EngineCard(
    name="equations",
    version="1",
    summary="formulas as they stand; second-order equations by semi-implicit Euler",
    referent=Referent.EXECUTED,
    realization=Realization.GENERATED,
    retention=Retention.STORE_ALL,
    contact=ContactTreatment.EXACT_BRANCH,
    frozen=(),
    abilities=(
        Ability.BATCH,
        Ability.FORWARD_MODE,
        Ability.STEPS,
        Ability.MEMORY,
        Ability.STRUCTURE,
    ),
    knobs=(Knob.STEPS, Knob.DT, Knob.PRECISION),
    sources={
        "referent": "engines/equations.py: reverse mode through the steps as they ran",
        "realization": "engines/jax_program.py: jax.value_and_grad",
        "retention": "engines/jax_program.py: lax.scan without rematerialisation",
        "contact": "scenes write contact as xp.where or xp.maximum; JAX takes the active branch",
        "frozen": "engines/equations.py: no stop_gradient",
    },
)


class EquationsEngine(JaxEngine):
    """Answers scenes of the forms `Equations` and `Formula`, the first that a testbed has."""

    card = CARD

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """Raises `Unsupported` for a testbed of neither form."""
        dtype = jnp.dtype(settings.precision)
        for scene in testbed.scenes:
            if isinstance(scene, Equations):
                return _equations(scene, dtype)
            if isinstance(scene, Formula):
                return _formula(scene)
        known = ", ".join(type(scene).__name__ for scene in testbed.scenes)
        raise Unsupported(f"testbed {testbed.name} is stated as {known}, not as equations")


def _equations(scene: Equations, dtype: jnp.dtype) -> Program:
    def start(inputs: JaxInputs, dt: jax.Array) -> State:
        q, v = scene.start(inputs, jnp)
        return jnp.asarray(q, dtype), jnp.asarray(v, dtype)

    def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        q, v = state
        v = v + dt * jnp.asarray(scene.acceleration(q, v, inputs, index * dt, jnp), dtype)
        return q + dt * v, v

    def outputs(state: State, inputs: JaxInputs) -> jax.Array:
        q, v = state
        return jnp.asarray(scene.outputs(q, v, inputs, jnp))

    return Program(start, step, outputs)


def _formula(scene: Formula) -> Program:
    """No state and no steps: all of it is the outputs."""

    def start(inputs: JaxInputs, dt: jax.Array) -> State:
        return ()

    def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        return state

    def outputs(state: State, inputs: JaxInputs) -> jax.Array:
        return jnp.asarray(scene.outputs(inputs, jnp))

    return Program(start, step, outputs)
