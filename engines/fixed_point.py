"""Implicit Euler, each step solved by a fixed number of fixed-point iterations, in three ways.

The next velocity v' solves v' = v + dt a(q + dt v', v', t + dt); the iteration starts at v. What
is differentiated is a choice: the iterations that ran ("unrolled"), the equation they approximate
("implicit", by the implicit function theorem at the last iterate), or the last iteration alone
("last"). The first is right at any budget, the second only at convergence, the third never.

Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.8; Blondel et al.,
Efficient and Modular Implicit Differentiation (arXiv 2105.15183).
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp

from gradcheck.engine import Ability, EngineCard, Knob, Settings
from gradcheck.engines.jax_program import JaxEngine, JaxInputs, Program
from gradcheck.scene import Equations
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Testbed

ITERATIONS = 2
GRADIENTS = ("unrolled", "implicit", "last")


class FixedPointEngine(JaxEngine):
    """Implicit Euler on `Equations`. `gradient` is one of `GRADIENTS`."""

    def __init__(self, gradient: str = "unrolled", iterations: int = ITERATIONS) -> None:
        if gradient not in GRADIENTS:
            raise ValueError(f"gradient is {gradient!r}: choose one of {', '.join(GRADIENTS)}")
        self.gradient = gradient
        self.iterations = iterations
        implicit = gradient == "implicit"
        self.card = EngineCard(
            name=f"fixed_point:{gradient}",
            version="1",
            summary=f"implicit Euler by {iterations} fixed-point iterations a step",
            referent=Referent.CONVERGED if implicit else Referent.EXECUTED,
            realization=Realization.EQUATION_ADJOINT if implicit else Realization.GENERATED,
            retention=Retention.STORE_ALL,
            contact=ContactTreatment.NONE,
            frozen=(),
            abilities=(Ability.BATCH, Ability.STEPS, Ability.MEMORY, Ability.STRUCTURE),
            knobs=(Knob.STEPS, Knob.DT, Knob.PRECISION, Knob.ITERATIONS),
            sources=dict.fromkeys(
                ("referent", "realization", "retention"), "the docstring of engines/fixed_point.py"
            ),
        )

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        scene = testbed.scene(Equations)
        count = self.iterations if settings.iterations is None else settings.iterations

        def update(
            new: jax.Array, state: Any, inputs: JaxInputs, index: jax.Array, dt: jax.Array
        ) -> jax.Array:
            q, v = state
            at = scene.acceleration(q + dt * new, new, inputs, (index + 1) * dt, jnp)
            return jnp.asarray(v + dt * at)

        solve: Any = {"unrolled": _unrolled, "implicit": _implicit, "last": _last}[self.gradient]

        def step(state: Any, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> Any:
            new = solve(update, count, state, inputs, index, dt)
            return state[0] + dt * new, new

        def outputs(state: Any, inputs: JaxInputs) -> jax.Array:
            q, v = state
            return jnp.asarray(scene.outputs(q, v, inputs, jnp))

        return Program(lambda inputs, dt: scene.start(inputs, jnp), step, outputs)


def _unrolled(update: Any, count: int, state: Any, *rest: Any) -> jax.Array:
    new: jax.Array = state[1]
    for _ in range(count):
        new = update(new, state, *rest)
    return new


def _last(update: Any, count: int, state: Any, *rest: Any) -> jax.Array:
    before = _unrolled(update, count - 1, state, *rest)
    new: jax.Array = update(jax.lax.stop_gradient(before), state, *rest)
    return new


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _implicit(update: Any, count: int, state: Any, *rest: Any) -> jax.Array:
    return _unrolled(update, count, state, *rest)


def _implicit_forward(update: Any, count: int, state: Any, *rest: Any) -> tuple[jax.Array, Any]:
    new = _unrolled(update, count, state, *rest)
    return new, (new, state, rest)


def _implicit_backward(update: Any, count: int, kept: Any, cotangent: jax.Array) -> Any:
    """With r(v') = v' - update(v'): solve (dr/dv')ᵀ w = cotangent, then pull w through update."""
    new, state, (inputs, index, dt) = kept
    by_new = jax.jacfwd(lambda x: update(x, state, inputs, index, dt))(new)
    adjoint = jnp.linalg.solve((jnp.eye(new.size) - by_new).T, cotangent)
    pull = jax.vjp(lambda s, i: update(new, s, i, index, dt), state, inputs)[1]
    return (*pull(adjoint), None, None)


_implicit.defvjp(_implicit_forward, _implicit_backward)
