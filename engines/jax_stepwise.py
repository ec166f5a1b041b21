"""Loops over a step that is dear to trace and to compile: an engine's whole pipeline.

The step of a batch is traced once and shared by values, forward mode and reverse mode. Reverse
mode keeps only the state before each step and computes the step again on the way back. Its loops
run just as many steps as the horizon has, so that one program serves every horizon. The numbers
are those of differentiating the whole loop; only what is stored differs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp

State = Any
Batch = Mapping[str, jax.Array]


@dataclass
class Stepwise:
    """Functions of batches: inputs and states have a leading axis, `steps` and `dt` have none.

    start, step and outputs are those of a `Program`, for one row; states hold floats only.
    `held` names inputs without a gradient. With `batched` the step takes a batch itself.
    """

    start: Callable[[Batch, jax.Array], State]
    step: Callable[[State, Batch, jax.Array, jax.Array], State]
    outputs: Callable[[State, Batch], jax.Array]
    weights: jax.Array
    held: frozenset[str]
    batched: bool = False

    @cached_property
    def _starts(self) -> Any:
        return jax.vmap(self.start, (0, None))

    @cached_property
    def _steps(self) -> Any:
        step = self.step if self.batched else jax.vmap(self.step, (0, 0, None, None))
        # jit, so that JAX keeps the trace of it
        return jax.jit(step)

    def _losses(self, states: State, inputs: Batch) -> jax.Array:
        losses: jax.Array = jax.vmap(self.outputs)(states, inputs) @ self.weights
        return losses

    def values(self, inputs: Batch, steps: jax.Array, dt: jax.Array) -> jax.Array:
        """Losses [n]."""

        def body(index: jax.Array, states: State) -> State:
            return self._steps(states, inputs, index, dt)

        states = jax.lax.fori_loop(0, steps, body, self._starts(inputs, dt))
        return self._losses(states, inputs)

    def values_and_slopes(
        self, inputs: Batch, tangents: Batch, steps: jax.Array, dt: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        """Losses [n] and their derivatives [n] along `tangents`, by forward mode."""

        def body(index: jax.Array, pair: tuple[State, State]) -> tuple[State, State]:
            return jax.jvp(
                lambda s, x: self._steps(s, x, index, dt), (pair[0], inputs), (pair[1], tangents)
            )

        first = jax.jvp(lambda x: self._starts(x, dt), (inputs,), (tangents,))
        states, slopes = jax.lax.fori_loop(0, steps, body, first)
        return jax.jvp(self._losses, (states, inputs), (slopes, tangents))

    def values_and_grads(
        self, inputs: Batch, steps: jax.Array, dt: jax.Array, capacity: int
    ) -> tuple[jax.Array, dict[str, jax.Array]]:
        """Losses [n] and their gradients [n, ...] by reverse mode, for steps <= capacity."""
        part = {name: value for name, value in inputs.items() if name not in self.held}

        def whole(x: Batch) -> Batch:
            return {**inputs, **x}

        def forward(index: jax.Array, pair: tuple[State, State]) -> tuple[State, State]:
            states, kept = pair
            kept = jax.tree.map(lambda all_, one: all_.at[index].set(one), kept, states)
            return self._steps(states, inputs, index, dt), kept

        first, back_to_inputs = jax.vjp(lambda x: self._starts(whole(x), dt), part)
        empty = jax.tree.map(lambda leaf: jnp.zeros((capacity, *leaf.shape), leaf.dtype), first)
        states, kept = jax.lax.fori_loop(0, steps, forward, (first, empty))
        values, back = jax.vjp(lambda s, x: self._losses(s, whole(x)), states, part)

        def backward(count: jax.Array, pair: tuple[State, Batch]) -> tuple[State, Batch]:
            adjoint, gradient = pair
            index = steps - 1 - count
            before = jax.tree.map(lambda all_: all_[index], kept)
            _, pull = jax.vjp(lambda s, x: self._steps(s, whole(x), index, dt), before, part)
            adjoint, more = pull(adjoint)
            return adjoint, jax.tree.map(jnp.add, gradient, more)

        adjoint, gradient = jax.lax.fori_loop(0, steps, backward, back(jnp.ones_like(values)))
        (more,) = back_to_inputs(adjoint)
        return values, jax.tree.map(jnp.add, gradient, more)
