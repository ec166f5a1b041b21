"""Remedies inside a rollout under `jax.grad`: an identity whose backward pass has them applied.

    def body(state, index):
        return step(remedied(state, remedies, index=index, steps=T)), None

Placed on the state that enters each step, it sees the cotangent that comes out of that step: what
`gradcheck.remedies.backward` does to a list of steps, done to the rollout itself. The forward pass
does not change. Works under jit, scan and checkpoint; forward mode through it is an error of JAX.
"""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from gradcheck.engine import BadInput
from gradcheck.remedies.backward import apply, effect, require_backward
from gradcheck.remedies.remedy import BackwardRemedy, Effect
from gradcheck.remedies.truncate import Truncation

State = Any


def remedied(
    state: State,
    remedies: Sequence[BackwardRemedy],
    *,
    index: Any = None,
    steps: int | None = None,
    tally: jax.Array | None = None,
) -> State:
    """`state` as it is, its cotangent with `remedies` applied in their order; without any, `state`
    itself.

    state: a pytree whose floating leaves are [batch, ...]; other leaves pass. A sample is one row
    of all leaves, so use it outside of a `vmap` over samples, between batched steps.
    index, steps: which step the state enters, and how many there are; a truncation needs them.
    tally: zeros from `new_tally`, which the loss takes as an argument; its gradient counts what
    the remedies did over all steps (`tallied`).

    Raises `BadInput` when traced, for a leaf without the batch or a truncation without an index.
    """
    require_backward(remedies)
    if not remedies:
        return state
    if index is None and any(isinstance(one, Truncation) for one in remedies):
        raise BadInput("a truncation needs `index`, the number of the step that the state enters")
    leaves, tree = jax.tree.flatten(state)
    floating = [jnp.issubdtype(jnp.result_type(leaf), jnp.floating) for leaf in leaves]
    parts = tuple(jnp.asarray(leaf) for leaf, real in zip(leaves, floating, strict=True) if real)
    _require_batch(parts)
    tally = new_tally(remedies) if tally is None else tally
    at = jnp.asarray(0 if index is None else index)
    through = iter(_identity(tuple(remedies), steps, parts, at, tally))
    made = [next(through) if real else leaf for leaf, real in zip(leaves, floating, strict=True)]
    return jax.tree.unflatten(tree, made)


def new_tally(remedies: Sequence[BackwardRemedy]) -> jax.Array:
    """Zeros [remedies, 2]: differentiate the loss by them and give the gradient to `tallied`."""
    return jnp.zeros((len(remedies), 2))


def tallied(
    remedies: Sequence[BackwardRemedy], counts: jax.Array, batch: int, steps: int
) -> tuple[Effect, ...]:
    """The gradient by a tally as records of a report, one a remedy."""
    return tuple(
        effect(remedy, row, batch * steps) for remedy, row in zip(remedies, counts, strict=True)
    )


Parts = tuple[jax.Array, ...]


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _identity(
    remedies: tuple[BackwardRemedy, ...],
    steps: int | None,
    parts: Parts,
    index: jax.Array,
    tally: jax.Array,
) -> Parts:
    return parts


def _forward(
    remedies: tuple[BackwardRemedy, ...],
    steps: int | None,
    parts: Parts,
    index: jax.Array,
    tally: jax.Array,
) -> tuple[Parts, tuple[jax.Array, jax.Array]]:
    return parts, (index, tally)


def _backward(
    remedies: tuple[BackwardRemedy, ...],
    steps: int | None,
    kept: tuple[jax.Array, jax.Array],
    cotangents: Parts,
) -> tuple[Parts, None, jax.Array]:
    index, tally = kept
    after, counts = apply(cotangents, remedies, index, steps)
    return after, None, jnp.stack(counts).astype(tally.dtype)


_identity.defvjp(_forward, _backward)


def _require_batch(parts: Parts) -> None:
    if not parts:
        raise BadInput("the state holds no floating arrays: there is nothing to remedy")
    shapes = [part.shape for part in parts]
    if not all(shape[:1] == shapes[0][:1] and shape[:1] > (0,) for shape in shapes):
        raise BadInput(f"the state has leaves of shapes {shapes}: all need the same leading batch")
