"""A simulation written in JAX as three pure functions, and everything gradcheck asks of it.

The number of steps and the time step are traced arguments: one compilation serves every horizon
and refinement. Values and forward mode run a loop of just as many steps. Reverse mode needs a
static bound: a scan of `capacity` steps, each a `lax.cond` on a scalar that is never batched, so
steps past the horizon cost next to nothing and cannot leak NaN into the gradient.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Array,
    Gradient,
    Inputs,
    Settings,
    Unsupported,
    require_knobs,
)
from gradcheck.testbed import Testbed

jax.config.update("jax_enable_x64", True)

State = Any
JaxInputs = Mapping[str, jax.Array]
# Batches are cut into chunks of one size, so that one shape is compiled.
CHUNK = 64
# Room for refining the time step by 8 before another compilation is needed.
REFINEMENT = 8


@dataclass(frozen=True)
class Program:
    """start(inputs, dt) -> state;  step(state, inputs, index, dt) -> state;
    outputs(state, inputs) -> [n_out].

    `reverse` False makes gradients by forward mode (one pass per input coordinate).
    """

    start: Callable[[JaxInputs, jax.Array], State]
    step: Callable[[State, JaxInputs, jax.Array, jax.Array], State]
    outputs: Callable[[State, JaxInputs], jax.Array]
    reverse: bool = True
    undifferentiated: Mapping[str, str] = field(default_factory=dict)


class JaxEngine(AbstractEngine):
    """An engine whose author writes `program(testbed, settings)`; the rest is done here."""

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """The testbed's scene as a program. Raises `Unsupported`."""
        raise NotImplementedError

    def simulate(self, testbed: Testbed, settings: Settings) -> "JaxSimulation":
        require_knobs(self.card, settings)
        steps = settings.steps if settings.steps is not None else testbed.steps
        dt = settings.dt if settings.dt is not None else testbed.dt
        # The compiled functions do not depend on steps and dt, so simulations share them.
        fixed = settings.model_copy(update={"steps": None, "dt": None})
        capacity = REFINEMENT * testbed.steps
        while capacity < steps:
            capacity *= 2
        cache: dict[tuple[object, ...], Compiled] = self.__dict__.setdefault("_compiled", {})
        key = (id(testbed), fixed.model_dump_json(), capacity)
        if key not in cache:
            program = self.program(testbed, fixed)
            dtype = jnp.dtype(settings.precision)
            cache[key] = Compiled(program, testbed, capacity, dtype)
        return JaxSimulation(self, cache[key], steps, dt)


@dataclass
class Compiled:
    """The jitted functions of one program, shared by all its horizons and time steps."""

    program: Program
    testbed: Testbed
    capacity: int
    dtype: Any

    def loss(
        self, inputs: JaxInputs, steps: jax.Array, dt: jax.Array, *, scan: bool = False
    ) -> jax.Array:
        """weights . outputs after `steps` steps of `dt`."""
        program = self.program

        def step(index: jax.Array, state: State) -> State:
            return program.step(state, inputs, index, dt)

        def body(state: State, index: jax.Array) -> tuple[State, None]:
            ahead = functools.partial(step, index)
            return jax.lax.cond(index < steps, ahead, lambda s: s, state), None

        state = program.start(inputs, dt)
        if self.testbed.dt > 0 and scan:
            state, _ = jax.lax.scan(body, state, jnp.arange(self.capacity))
        elif self.testbed.dt > 0:
            state = jax.lax.fori_loop(0, steps, step, state)
        weights = jnp.asarray(self.testbed.weights, self.dtype)
        return weights @ program.outputs(state, inputs)

    def loss_and_grad(
        self, inputs: JaxInputs, steps: jax.Array, dt: jax.Array
    ) -> tuple[jax.Array, dict[str, jax.Array]]:
        """The loss and its gradient by reverse mode."""
        held = self.program.undifferentiated

        def of(part: dict[str, jax.Array]) -> jax.Array:
            return self.loss({**inputs, **part}, steps, dt, scan=True)

        return jax.value_and_grad(of)({k: v for k, v in inputs.items() if k not in held})

    def loss_and_slope(
        self, inputs: JaxInputs, tangents: JaxInputs, steps: jax.Array, dt: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        """The loss and its derivative along `tangents` by forward mode."""
        return jax.jvp(lambda x: self.loss(x, steps, dt), (inputs,), (tangents,))

    @functools.cached_property
    def values(self) -> Any:
        return jax.jit(jax.vmap(self.loss, (0, None, None)))

    @functools.cached_property
    def values_and_grads(self) -> Any:
        return jax.jit(jax.vmap(self.loss_and_grad, (0, None, None)))

    @functools.cached_property
    def values_and_slopes(self) -> Any:
        return jax.jit(jax.vmap(self.loss_and_slope, (0, 0, None, None)))

    def flat_start(self, inputs: JaxInputs, dt: jax.Array) -> tuple[jax.Array, Any]:
        """The initial state as a vector, and how to make a state of such a vector."""
        return jax.flatten_util.ravel_pytree(self.program.start(inputs, dt))

    def flat_step(
        self, inputs: JaxInputs, flat: jax.Array, index: jax.Array, dt: jax.Array
    ) -> jax.Array:
        """One step from vector to vector."""
        _, unravel = self.flat_start(inputs, dt)
        after = self.program.step(unravel(flat), inputs, index, dt)
        return jax.flatten_util.ravel_pytree(after)[0]

    @functools.cached_property
    def steps(self) -> Any:
        return jax.jit(jax.vmap(self.flat_step, (None, 0, 0, None)))

    @functools.cached_property
    def step_jacobians(self) -> Any:
        mode = jax.jacrev if self.program.reverse else jax.jacfwd
        return jax.jit(jax.vmap(mode(self.flat_step, argnums=1), (None, 0, 0, None)))


class JaxSimulation(AbstractSimulation):
    """A program at one horizon and time step."""

    def __init__(self, engine: JaxEngine, compiled: Compiled, steps: int, dt: float) -> None:
        self.engine = engine
        self.compiled = compiled
        self.steps = steps
        self.dt = dt
        self.undifferentiated = compiled.program.undifferentiated

    def _cast(self, inputs: Inputs) -> dict[str, jax.Array]:
        return {k: jnp.asarray(v, self.compiled.dtype) for k, v in inputs.items()}

    @property
    def _scalars(self) -> tuple[jax.Array, jax.Array]:
        return jnp.asarray(self.steps), jnp.asarray(self.dt, self.compiled.dtype)

    def _chunked(self, run: Any, *batches: Inputs) -> Any:
        """`run` over chunks, the last padded by its first row; results joined, in float64."""
        total = len(next(iter(batches[0].values())))
        # One row alone deserves a program of its own, unless compiling it is what costs.
        size = 1 if total == 1 and not self.engine.slow_build else CHUNK
        parts = []
        for begin in range(0, total, size):
            rows = np.minimum(np.arange(begin, begin + size), total - 1)
            chunk = [self._cast({k: v[rows] for k, v in batch.items()}) for batch in batches]
            result = run(*chunk, *self._scalars)
            count = min(size, total - begin)
            parts.append(
                jax.tree.map(lambda leaf, n=count: np.asarray(leaf, np.float64)[:n], result)
            )
        return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)

    def value(self, inputs: Inputs) -> float:
        return float(self.values(stack(inputs))[0])

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        values, grads = self.values_and_grads(stack(inputs))
        return float(values[0]), {name: grad[0] for name, grad in grads.items()}

    def values(self, batch: Inputs) -> Array:
        result: Array = self._chunked(self.compiled.values, batch)
        return result

    def values_and_grads(self, batch: Inputs) -> tuple[Array, Gradient]:
        if self.compiled.program.reverse:
            values, grads = self._chunked(self.compiled.values_and_grads, batch)
            return values, grads
        return self._forward_gradients(batch)

    def _forward_gradients(self, batch: Inputs) -> tuple[Array, Gradient]:
        """Gradients from one forward-mode pass per point and input entry."""
        names = [name for name in batch if name not in self.undifferentiated]
        sizes = {name: int(np.prod(batch[name].shape[1:], dtype=int)) for name in names}
        total, width = len(next(iter(batch.values()))), sum(sizes.values())
        points = {name: np.repeat(value, width, axis=0) for name, value in batch.items()}
        tangents, begin = {}, 0
        for name, value in batch.items():
            basis = np.zeros((width, int(np.prod(value.shape[1:], dtype=int))))
            if name in sizes:
                basis[begin : begin + sizes[name]] = np.eye(sizes[name])
                begin += sizes[name]
            tangents[name] = np.tile(basis, (total, 1)).reshape(points[name].shape)
        values, slopes = self._chunked(self.compiled.values_and_slopes, points, tangents)
        split = np.split(slopes.reshape(total, width), np.cumsum(list(sizes.values()))[:-1], axis=1)
        grads = {n: part.reshape(batch[n].shape) for n, part in zip(names, split, strict=True)}
        return values.reshape(total, width)[:, 0], grads

    def jvp(self, inputs: Inputs, tangents: Inputs) -> float:
        if Ability.FORWARD_MODE not in self.engine.card.abilities:
            raise Unsupported(f"{self.engine.card.name} declares no forward mode")
        _, slopes = self._chunked(self.compiled.values_and_slopes, stack(inputs), stack(tangents))
        return float(slopes[0])

    def trajectory(self, inputs: Inputs) -> Array:
        cast, dt = self._cast(inputs), self._scalars[1]

        def body(flat: jax.Array, index: jax.Array) -> tuple[jax.Array, jax.Array]:
            after = self.compiled.flat_step(cast, flat, index, dt)
            return after, after

        first, _ = self.compiled.flat_start(cast, dt)
        _, rest = jax.lax.scan(body, first, jnp.arange(self.steps))
        return np.asarray(jnp.concatenate([first[None], rest]), np.float64)

    def step(self, states: Array, index: NDArray[np.int64], inputs: Inputs) -> Array:
        flat = jnp.asarray(states, self.compiled.dtype)
        after = self.compiled.steps(self._cast(inputs), flat, jnp.asarray(index), self._scalars[1])
        return np.asarray(after, np.float64)

    def step_jacobians(self, inputs: Inputs) -> Array:
        states = jnp.asarray(self.trajectory(inputs)[:-1], self.compiled.dtype)
        index = jnp.arange(self.steps)
        jacobians = self.compiled.step_jacobians(
            self._cast(inputs), states, index, self._scalars[1]
        )
        return np.asarray(jacobians, np.float64)

    def memory(self) -> tuple[float, float]:
        """Temporary bytes of the programs compiled for exactly this horizon."""
        held = Compiled(
            self.compiled.program, self.compiled.testbed, self.steps, self.compiled.dtype
        )
        inputs, scalars = self._cast(self.compiled.testbed.nominal()), self._scalars
        if not self.compiled.program.reverse:
            forward = jax.jit(held.loss).lower(inputs, *scalars)
            backward = jax.jit(held.loss_and_slope).lower(inputs, inputs, *scalars)
        else:
            forward = jax.jit(held.loss).lower(inputs, *scalars)
            backward = jax.jit(held.loss_and_grad).lower(inputs, *scalars)
        sizes = []
        for lowered in (forward, backward):
            analysis = lowered.compile().memory_analysis()
            if analysis is None:
                raise Unsupported("this JAX backend does not tell the memory of a program")
            sizes.append(float(analysis.temp_size_in_bytes))
        return sizes[0], sizes[1]


def stack(inputs: Inputs) -> dict[str, Array]:
    """A batch of one."""
    return {name: np.asarray(value, np.float64)[None] for name, value in inputs.items()}
