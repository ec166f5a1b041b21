"""Faults in a JAX program before it is differentiated. They can be planted on any `JaxEngine`.

Each takes the right program and returns one with the same forward pass (but for `float32_inside`)
and a spoilt derivative, made by the means by which such faults are made in earnest:
`stop_gradient`, `custom_vjp`, `where` and casts.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.flatten_util
import jax.numpy as jnp

from gradcheck.engine import Ability, Settings, Unsupported
from gradcheck.engines.jax_program import JaxEngine, JaxInputs, Program, State
from gradcheck.testbed import Testbed

Fault = Callable[[Program, Testbed], Program]
FAULTS: dict[str, Fault] = {}

DETACHED_STEP = 3
STALE_FROM = 2


def planted(fault: Fault) -> Fault:
    """Put a function into the table under its own name."""
    FAULTS[fault.__name__] = fault
    return fault


class AlteredEngine(JaxEngine):
    """A JAX engine whose programs are spoilt before they are differentiated."""

    def __init__(self, right: JaxEngine, fault: Fault) -> None:
        self.right = right
        self.fault = fault
        self.probe_limit = right.probe_limit
        self.slow_build = right.slow_build
        # custom_vjp has no forward mode.
        abilities = tuple(a for a in right.card.abilities if a is not Ability.FORWARD_MODE)
        self.card = right.card.model_copy(update={"abilities": abilities})

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        program = self.right.program(testbed, settings)
        if not program.reverse:
            raise Unsupported(
                f"the fault is one of reverse mode, and {self.right.card.name} has none here"
            )
        return self.fault(program, testbed)


@planted
def power_growth(program: Program, testbed: Testbed) -> Program:
    """Each step adds its cotangent twice: 2^k after k steps."""

    def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        return _scaled(program.step(state, inputs, index, dt), 2.0)

    return replace(program, step=step)


@planted
def decayed_adjoint(program: Program, testbed: Testbed) -> Program:
    """Each step passes on 90 % of its cotangent: a discount left in from a training script."""

    def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        return _scaled(program.step(state, inputs, index, dt), 0.9)

    return replace(program, step=step)


@planted
def transposed_jacobian(program: Program, testbed: Testbed) -> Program:
    """The step's adjoint multiplies by J where it should by its transpose."""

    def backward(
        state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array, after: State
    ) -> tuple[State, JaxInputs]:
        along = jax.jvp(lambda s: program.step(s, inputs, index, dt), (state,), (after,))[1]
        by_inputs = jax.vjp(lambda i: program.step(state, i, index, dt), inputs)[1](after)[0]
        return along, by_inputs

    return replace(program, step=_with_backward(program.step, backward))


@planted
def stale_buffer(program: Program, testbed: Testbed) -> Program:
    """From step 2 on the backward pass finds the state of step 1 in its buffer."""

    def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        start = program.start(inputs, dt)
        first = program.step(start, inputs, jnp.zeros_like(index), dt)
        stale = index >= STALE_FROM
        saved = jax.tree.map(lambda old, now: jnp.where(stale, old, now), first, state)
        return wrapped(state, jax.lax.stop_gradient(saved), inputs, index, dt)

    @jax.custom_vjp
    def wrapped(
        state: State, saved: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array
    ) -> State:
        return program.step(state, inputs, index, dt)

    def forward(
        state: State, saved: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array
    ) -> tuple[State, Any]:
        return program.step(state, inputs, index, dt), (saved, inputs, index, dt)

    def backward(kept: Any, after: State) -> tuple[Any, ...]:
        saved, inputs, index, dt = kept
        pull = jax.vjp(lambda s, i: program.step(s, i, index, dt), saved, inputs)[1]
        by_state, by_inputs = pull(after)
        return by_state, None, by_inputs, None, None

    wrapped.defvjp(forward, backward)
    return replace(program, step=step)


@planted
def detached_state(program: Program, testbed: Testbed) -> Program:
    """The state is cut off from what came before at step 3, as by a call of `detach`."""

    def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        cut = index == DETACHED_STEP
        kept = jax.tree.map(lambda leaf: jnp.where(cut, jax.lax.stop_gradient(leaf), leaf), state)
        return program.step(kept, inputs, index, dt)

    return replace(program, step=step)


@planted
def detached_parameter(program: Program, testbed: Testbed) -> Program:
    """The last input is read as a plain number, outside differentiation."""
    name = testbed.inputs[-1].name

    def cut(inputs: JaxInputs) -> JaxInputs:
        return {**inputs, name: jax.lax.stop_gradient(inputs[name])}

    return replace(
        program,
        start=lambda inputs, dt: program.start(cut(inputs), dt),
        step=lambda state, inputs, index, dt: program.step(state, cut(inputs), index, dt),
        outputs=lambda state, inputs: program.outputs(state, cut(inputs)),
    )


@planted
def float32_inside(program: Program, testbed: Testbed) -> Program:
    """Each step is computed in single precision inside a double-precision interface."""

    def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        after = program.step(
            _cast(state, jnp.float32), _cast(inputs, jnp.float32), index, dt.astype(jnp.float32)
        )
        return jax.tree.map(lambda new, old: new.astype(old.dtype), after, state)

    return replace(program, step=step)


@planted
def nan_masked_branch(program: Program, testbed: Testbed) -> Program:
    """`where(x > 0, sqrt(x), 0)` where x < 0: the loss is right and the gradient 0 * NaN."""

    def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        flat, unravel = jax.flatten_util.ravel_pytree(program.step(state, inputs, index, dt))
        # A stop that is never reached: the first coordinate beyond a kilometre.
        beyond = flat[0] - 1e3
        return unravel(flat.at[0].add(-jnp.where(beyond > 0, jnp.sqrt(beyond), 0.0)))

    return replace(program, step=step)


def _with_backward(step: Any, backward: Any) -> Any:
    """`step` with a backward pass of its own: (state, inputs, index, dt, cotangent of the next
    state) -> (cotangent of the state, cotangent of the inputs)."""

    @jax.custom_vjp
    def wrapped(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
        return step(state, inputs, index, dt)

    def forward(
        state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array
    ) -> tuple[State, Any]:
        return step(state, inputs, index, dt), (state, inputs, index, dt)

    def pull(kept: Any, after: State) -> tuple[Any, ...]:
        by_state, by_inputs = backward(*kept, after)
        return by_state, by_inputs, None, None

    wrapped.defvjp(forward, pull)
    return wrapped


def _scaled(tree: Any, factor: float) -> Any:
    """The same numbers, to the last bit, with `factor` times their cotangent."""

    def leaf(x: jax.Array) -> jax.Array:
        still = jax.lax.stop_gradient(x)
        return still + factor * (x - still) if _real(x) else x

    return jax.tree.map(leaf, tree)


def _cast(tree: Any, dtype: Any) -> Any:
    return jax.tree.map(lambda x: x.astype(dtype) if _real(x) else x, tree)


def _real(x: jax.Array) -> bool:
    return bool(jnp.issubdtype(x.dtype, jnp.floating))
