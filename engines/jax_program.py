"""A simulation written in JAX as three pure functions, and everything gradcheck asks of it.

The number of steps and the time step are traced arguments: one compilation serves every horizon
and refinement. Values and forward mode run a loop of just as many steps. Reverse mode needs a
static bound: a plain scan at the testbed's own horizon; for others a scan of `capacity` steps,
each a `lax.cond` on a scalar that is never batched, so that steps past the horizon cannot leak NaN
into the gradient. The condition makes it several times slower.
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
    Diverged,
    Gradient,
    Inputs,
    Settings,
    Unsupported,
    require_knobs,
)
from gradcheck.engines.jax_stepwise import Stepwise
from gradcheck.engines.jax_structure import structure
from gradcheck.structure import Structure
from gradcheck.testbed import Testbed

jax.config.update("jax_enable_x64", True)

State = Any
JaxInputs = Mapping[str, jax.Array]
# XLA's newer CPU fusion emitters take up to twice as long to compile a simulation, to run it a
# third faster.
COMPILER_OPTIONS: Mapping[str, bool | int | str] = {"xla_cpu_use_fusion_emitters": False}
# Room for refining the time step by 8 before another compilation is needed.
REFINEMENT = 8


@dataclass(frozen=True)
class Program:
    """start(inputs, dt) -> state;  step(state, inputs, index, dt) -> state;
    outputs(state, inputs) -> [n_out].

    `reverse` False makes gradients by forward mode (one pass per input coordinate).
    `stepwise` True suits a step that is dear to compile (`jax_stepwise`): one trace of it serves
    all, and reverse mode keeps only states and computes each step again. With `batched` its step
    takes states and inputs that all have a leading axis as well, and is not mapped over rows.
    `run(state, inputs, steps, dt) -> state`, where the gradient of a rollout is more than that of
    its steps one after another: all of them, differentiated; compiled anew for each horizon.
    `compiler_options` go to XLA. `diagnostics(inputs, steps, dt)` is that of the simulation.
    `why_not_finite(inputs, steps, dt)`, where given, says it of a gradient that is not.
    """

    start: Callable[[JaxInputs, jax.Array], State]
    step: Callable[[State, JaxInputs, jax.Array, jax.Array], State]
    outputs: Callable[[State, JaxInputs], jax.Array]
    reverse: bool = True
    undifferentiated: Mapping[str, str] = field(default_factory=dict)
    stepwise: bool = False
    batched: bool = False
    run: Callable[[State, JaxInputs, int, jax.Array], State] | None = None
    compiler_options: Mapping[str, bool | int | str] = field(
        default_factory=lambda: dict(COMPILER_OPTIONS)
    )
    diagnostics: Callable[[JaxInputs, int, float], dict[str, float]] | None = None
    why_not_finite: Callable[[JaxInputs, int, float], str] | None = None


class JaxEngine(AbstractEngine):
    """An engine whose author writes `program(testbed, settings)`; the rest is done here.

    Whatever is asked is computed in chunks of `chunk` rows, so that one shape is compiled: lower
    it where one row is heavy.
    """

    chunk: int = 64

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """The testbed's scene as a program. Raises `Unsupported`."""
        raise NotImplementedError

    def simulate(self, testbed: Testbed, settings: Settings) -> "JaxSimulation":
        require_knobs(self.card, settings)
        steps = settings.steps if settings.steps is not None else testbed.steps
        dt = settings.dt if settings.dt is not None else testbed.dt
        # Programs do not depend on steps and dt, so simulations share them.
        fixed = settings.model_copy(update={"steps": None, "dt": None})
        cache: dict[tuple[object, ...], Programs] = self.__dict__.setdefault("_programs", {})
        key = (id(testbed), fixed.model_dump_json())
        if key not in cache:
            dtype = jnp.dtype(settings.precision)
            cache[key] = Programs(self.program(testbed, fixed), testbed, dtype)
        # One capacity for the testbed's own horizons, one for refined time steps. A stepwise
        # program takes no longer for room that it does not use.
        roomy = steps > testbed.steps or cache[key].program.stepwise
        capacity = REFINEMENT * testbed.steps if roomy else testbed.steps
        while capacity < steps:
            capacity *= 2
        made = JaxSimulation(self, cache[key], steps, dt, capacity)
        # Most of what is asked is asked at the testbed's own horizon.
        whole = steps == testbed.steps or cache[key].program.run is not None
        return made.exact() if whole else made


@dataclass
class Programs:
    """The programs made of one `Program`, each compiled when first called."""

    program: Program
    testbed: Testbed
    dtype: Any
    executables: dict[tuple[object, ...], Any] = field(default_factory=dict)

    def executable(self, name: str, *arguments: Any, **room: Any) -> Any:
        """`values`, `values_and_grads` or `values_and_slopes`, compiled for these shapes."""
        rows = jax.tree.leaves(arguments)[0].shape[0]
        key = (name, rows, *room.items())
        if key not in self.executables:
            function = getattr(self.stepwise if self.program.stepwise else self, name)
            if room:
                function = functools.partial(function, **room)
            if not self.program.stepwise:
                function = jax.vmap(function, (*[0] * (len(arguments) - 2), None, None))
            lowered = jax.jit(function).lower(*arguments)
            self.executables[key] = self._compile(lowered)
        return self.executables[key]

    def _compile(self, lowered: Any) -> Any:
        try:
            return lowered.compile(compiler_options=dict(self.program.compiler_options))
        except jax.errors.JaxRuntimeError as error:
            # They tune the compiler only, and their names come and go with XLA's versions.
            if "No such compile option" not in str(error):
                raise
            return lowered.compile()

    @functools.cached_property
    def stepwise(self) -> Stepwise:
        """The same programs over a step that is traced once."""
        return Stepwise(
            self.program.start,
            self.program.step,
            self.program.outputs,
            jnp.asarray(self.testbed.weights, self.dtype),
            frozenset(self.program.undifferentiated),
            self.program.batched,
        )

    def values(
        self,
        inputs: JaxInputs,
        steps: jax.Array,
        dt: jax.Array,
        capacity: int | None = None,
        exact: bool = False,
    ) -> jax.Array:
        """weights . outputs after `steps` steps of `dt`; a scan where `capacity` is given, which
        is known to be `steps` where `exact`."""
        program = self.program

        def step(index: jax.Array, state: State) -> State:
            return program.step(state, inputs, index, dt)

        def body(state: State, index: jax.Array) -> tuple[State, None]:
            ahead = functools.partial(step, index)
            if exact:
                return ahead(state), None
            return jax.lax.cond(index < steps, ahead, lambda s: s, state), None

        state = program.start(inputs, dt)
        if program.run is not None and capacity is not None:
            state = program.run(state, inputs, capacity, dt)
        elif self.testbed.dt > 0 and capacity is not None:
            state, _ = jax.lax.scan(body, state, jnp.arange(capacity))
        elif self.testbed.dt > 0:
            state = jax.lax.fori_loop(0, steps, step, state)
        weights = jnp.asarray(self.testbed.weights, self.dtype)
        return weights @ program.outputs(state, inputs)

    def values_and_grads(
        self,
        inputs: JaxInputs,
        steps: jax.Array,
        dt: jax.Array,
        capacity: int,
        exact: bool = False,
    ) -> tuple[jax.Array, dict[str, jax.Array]]:
        """The loss and its gradient by reverse mode."""
        held = self.program.undifferentiated

        def of(part: dict[str, jax.Array]) -> jax.Array:
            return self.values({**inputs, **part}, steps, dt, capacity, exact)

        return jax.value_and_grad(of)({k: v for k, v in inputs.items() if k not in held})

    def values_and_slopes(
        self, inputs: JaxInputs, tangents: JaxInputs, steps: jax.Array, dt: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        """The loss and its derivative along `tangents` by forward mode."""
        return jax.jvp(lambda x: self.values(x, steps, dt), (inputs,), (tangents,))

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

    def __init__(
        self, engine: JaxEngine, programs: Programs, steps: int, dt: float, capacity: int
    ) -> None:
        self.engine = engine
        self.programs = programs
        self.room: dict[str, int | bool] = {"capacity": capacity}
        self.steps = steps
        self.dt = dt
        self.undifferentiated = programs.program.undifferentiated

    def _cast(self, inputs: Inputs) -> dict[str, jax.Array]:
        return {k: jnp.asarray(v, self.programs.dtype) for k, v in inputs.items()}

    @property
    def _scalars(self) -> tuple[jax.Array, jax.Array]:
        return jnp.asarray(self.steps), jnp.asarray(self.dt, self.programs.dtype)

    def exact(self) -> "JaxSimulation":
        if self.programs.program.stepwise:
            return self
        tight = JaxSimulation(self.engine, self.programs, self.steps, self.dt, self.steps)
        tight.room = {"capacity": self.steps, "exact": True}
        return tight

    def _chunked(self, name: str, *batches: Inputs, **room: Any) -> Any:
        """A program over chunks, the last padded by its last row; results joined, in float64."""
        total = len(next(iter(batches[0].values())))
        size = self.engine.chunk
        parts = []
        for begin in range(0, total, size):
            rows = np.minimum(np.arange(begin, begin + size), total - 1)
            chunk = [self._cast({k: v[rows] for k, v in batch.items()}) for batch in batches]
            arguments = (*chunk, *self._scalars)
            result = self.programs.executable(name, *arguments, **room)(*arguments)
            count = min(size, total - begin)
            parts.append(
                jax.tree.map(lambda leaf, n=count: np.asarray(leaf, np.float64)[:n], result)
            )
        return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)

    def value(self, inputs: Inputs) -> float:
        return float(self.values(stack(inputs))[0])

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        values, grads = self.values_and_grads(stack(inputs))
        why = self.programs.program.why_not_finite
        if why is not None and not all(np.isfinite(grad).all() for grad in grads.values()):
            raise Diverged(why(self._cast(inputs), self.steps, self.dt))
        return float(values[0]), {name: grad[0] for name, grad in grads.items()}

    def values(self, batch: Inputs) -> Array:
        result: Array = self._chunked("values", batch)
        return result

    def values_and_grads(self, batch: Inputs) -> tuple[Array, Gradient]:
        if self.programs.program.reverse:
            values, grads = self._chunked("values_and_grads", batch, **self.room)
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
        values, slopes = self._chunked("values_and_slopes", points, tangents)
        split = np.split(slopes.reshape(total, width), np.cumsum(list(sizes.values()))[:-1], axis=1)
        grads = {n: part.reshape(batch[n].shape) for n, part in zip(names, split, strict=True)}
        return values.reshape(total, width)[:, 0], grads

    def jvp(self, inputs: Inputs, tangents: Inputs) -> float:
        if Ability.FORWARD_MODE not in self.engine.card.abilities:
            raise Unsupported(f"{self.engine.card.name} declares no forward mode")
        _, slopes = self._chunked("values_and_slopes", stack(inputs), stack(tangents))
        return float(slopes[0])

    def trajectory(self, inputs: Inputs) -> Array:
        cast, dt = self._cast(inputs), self._scalars[1]

        def body(flat: jax.Array, index: jax.Array) -> tuple[jax.Array, jax.Array]:
            after = self.programs.flat_step(cast, flat, index, dt)
            return after, after

        first, _ = self.programs.flat_start(cast, dt)
        _, rest = jax.lax.scan(body, first, jnp.arange(self.steps))
        return np.asarray(jnp.concatenate([first[None], rest]), np.float64)

    def step(self, states: Array, index: NDArray[np.int64], inputs: Inputs) -> Array:
        flat = jnp.asarray(states, self.programs.dtype)
        after = self.programs.steps(self._cast(inputs), flat, jnp.asarray(index), self._scalars[1])
        return np.asarray(after, np.float64)

    def step_jacobians(self, inputs: Inputs) -> Array:
        states = jnp.asarray(self.trajectory(inputs)[:-1], self.programs.dtype)
        index = jnp.arange(self.steps)
        jacobians = self.programs.step_jacobians(
            self._cast(inputs), states, index, self._scalars[1]
        )
        return np.asarray(jacobians, np.float64)

    def diagnostics(self, inputs: Inputs) -> dict[str, float]:
        told = self.programs.program.diagnostics
        return {} if told is None else told(self._cast(inputs), self.steps, self.dt)

    def structure(self, inputs: Inputs) -> Structure:
        """Of one step; of the whole rollout where that is differentiated as one."""
        programs, cast, (_, dt) = self.programs, self._cast(inputs), self._scalars
        if programs.program.run is not None or programs.testbed.dt <= 0:
            steps = jnp.asarray(self.steps)
            whole = functools.partial(programs.values, capacity=self.steps, exact=True)
            return structure(jax.make_jaxpr(whole)(cast, steps, dt), "JAX jaxpr of the rollout")
        state = programs.program.start(cast, dt)
        traced = jax.make_jaxpr(programs.program.step)(state, cast, jnp.asarray(0), dt)
        return structure(traced, "JAX jaxpr of a step")

    def memory(self) -> tuple[float, float]:
        """Temporary bytes a row of the programs built for just this horizon, as XLA tells."""
        nominal = stack(self.programs.testbed.nominal())
        rows = self._cast({k: np.repeat(v, self.engine.chunk, 0) for k, v in nominal.items()})
        forward = self.programs.executable("values", rows, *self._scalars)
        if self.programs.program.reverse:
            backward = self.programs.executable(
                "values_and_grads", rows, *self._scalars, **self.exact().room
            )
        else:
            backward = self.programs.executable("values_and_slopes", rows, rows, *self._scalars)
        sizes = [executable.memory_analysis() for executable in (forward, backward)]
        if None in sizes:
            raise Unsupported("this JAX backend does not tell the memory of a program")
        forward_bytes, backward_bytes = (float(one.temp_size_in_bytes) for one in sizes)
        return forward_bytes / self.engine.chunk, backward_bytes / self.engine.chunk


def stack(inputs: Inputs) -> dict[str, Array]:
    """A batch of one."""
    return {name: np.asarray(value, np.float64)[None] for name, value in inputs.items()}
