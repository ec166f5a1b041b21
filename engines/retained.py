"""A rollout of steps whose backward pass gets their states in one of several ways.

The numbers are those of differentiating the loop, whatever is kept; inversion alone computes other
states than those that were, by rounding and by what each step's solve left.
"""

import functools
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import jax
import jax.numpy as jnp

from gradcheck.taxonomy import Retention

State = Any
Inputs = Any
Step = Callable[[State, Inputs], State]


class Keep(StrEnum):
    """What of a rollout of T steps is kept for its backward pass.

    ALL: what the derivative of every step needs. STATES: the state before each step, which is then
    computed again. SQRT: every sqrt(T)-th of them. BINOMIAL: about log2(T) of them, placed so that
    the fewest steps are computed again (Griewank and Walther, Algorithm 799: revolve; online, as
    equinox has it, after Stumm and Walther, 2010). RECOMPUTE: the first state, from which every
    other is computed when it is needed, in T (T - 1) / 2 more steps. INVERT: the last state, from
    which those before are computed back. NOTHING: no state at all, as in forward mode.
    """

    ALL = "all"
    STATES = "states"
    SQRT = "sqrt"
    BINOMIAL = "binomial"
    RECOMPUTE = "recompute"
    INVERT = "invert"
    NOTHING = "nothing"


RETENTION = {
    Keep.ALL: Retention.STORE_ALL,
    Keep.STATES: Retention.CHECKPOINT,
    Keep.SQRT: Retention.CHECKPOINT,
    Keep.BINOMIAL: Retention.CHECKPOINT,
    Keep.RECOMPUTE: Retention.RECOMPUTE,
    Keep.INVERT: Retention.INVERT,
    Keep.NOTHING: Retention.NOTHING,
}


def rollout(
    step: Step, state: State, inputs: Inputs, steps: int, keep: Keep, back: Step | None = None
) -> State:
    """The state after `steps` steps; states and inputs hold floats only. `back`, needed for
    `Keep.INVERT`, is the step's inverse."""

    def one(current: State, _: Any) -> tuple[State, None]:
        return step(current, inputs), None

    match keep:
        case Keep.ALL:
            return jax.lax.scan(one, state, length=steps)[0]
        case Keep.STATES:
            return jax.lax.scan(jax.checkpoint(one), state, length=steps)[0]
        case Keep.SQRT:
            return _nested(one, state, steps)
        case Keep.BINOMIAL:
            from equinox.internal import scan

            count = max(2, (steps - 1).bit_length())
            found = scan(one, state, None, steps, kind="checkpointed", checkpoints=count)
            return found[0]
        case Keep.RECOMPUTE:
            return _without_states(step, None, steps, state, inputs)
        case Keep.INVERT:
            assert back is not None
            return _without_states(step, back, steps, state, inputs)
        case Keep.NOTHING:
            raise ValueError("reverse mode keeps something")


def _nested(one: Any, state: State, steps: int) -> State:
    """Segments of sqrt(T) steps, each computed again as a whole; what is left over comes first."""
    size = max(1, int(steps**0.5))

    def segment(current: State, _: Any) -> tuple[State, None]:
        return jax.lax.scan(jax.checkpoint(one), current, length=size)[0], None

    if steps % size:
        rest = jax.checkpoint(lambda s: jax.lax.scan(one, s, length=steps % size)[0])
        state = rest(state)
    return jax.lax.scan(jax.checkpoint(segment), state, length=steps // size)[0]


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1, 2))
def _without_states(
    step: Step, back: Step | None, steps: int, state: State, inputs: Inputs
) -> State:
    return jax.lax.fori_loop(0, steps, lambda _, current: step(current, inputs), state)


def _forward(
    step: Step, back: Step | None, steps: int, state: State, inputs: Inputs
) -> tuple[State, Any]:
    last = _without_states(step, back, steps, state, inputs)
    return last, (last if back else state, inputs)


def _backward(step: Step, back: Step | None, steps: int, kept: Any, cotangent: State) -> Any:
    known, inputs = kept

    def one(done: jax.Array, carried: Any) -> Any:
        after, of_state, of_inputs = carried
        if back:
            before = back(after, inputs)
        else:
            again = steps - 1 - done
            before = jax.lax.fori_loop(0, again, lambda _, s: step(s, inputs), known)
        of_state, more = jax.vjp(step, before, inputs)[1](of_state)
        return before, of_state, jax.tree.map(jnp.add, of_inputs, more)

    none = jax.tree.map(jnp.zeros_like, inputs)
    _, of_state, of_inputs = jax.lax.fori_loop(0, steps, one, (known, cotangent, none))
    return of_state, of_inputs


_without_states.defvjp(_forward, _backward)
