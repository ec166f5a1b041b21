"""A chain of masses by an implicit step, and its gradient from every cell of the 3 x 3 table.

One forward map: T implicit steps, each step's equation solved by k iterations. What its gradient is
the derivative of (the iterations, the equation, the motion) and how it is made (generated, by an
adjoint of an equation, by hand) is the engine's `cell`; what of the rollout is kept, its `keep`.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp

from gradcheck.engine import Ability, BadInput, EngineCard, Knob, Settings, Unsupported
from gradcheck.engines.chain_adjoint import by_theorem, reversed_by_hand
from gradcheck.engines.chain_force import Law
from gradcheck.engines.chain_step import (
    Implicit,
    Linear,
    Solver,
    State,
    by_equation,
    eliminated,
    solved,
)
from gradcheck.engines.jax_program import COMPILER_OPTIONS, JaxEngine, JaxInputs, Program
from gradcheck.engines.retained import RETENTION, Keep, rollout
from gradcheck.scene import Chain
from gradcheck.taxonomy import ContactTreatment, Realization, Referent
from gradcheck.testbed import Testbed

MIDPOINT = 0.5
Step = Callable[[Implicit, State, Law, jax.Array], State]


@dataclass(frozen=True)
class Cell:
    """One of the nine. `step` for what is differentiated a step at a time, `pull` (by name, of
    `chain_flow`) for what is differentiated as one motion, by what it keeps."""

    referent: Referent
    realization: Realization
    said: str
    step: Step | None = None
    pull: dict[Keep, str] | None = None

    @property
    def keeps(self) -> tuple[Keep, ...]:
        """What can be kept; the first is taken where nothing is said."""
        if self.pull is not None:
            return tuple(self.pull)
        return tuple(keep for keep in Keep if keep is not Keep.NOTHING)


def _iterated(linear: Linear) -> Step:
    """Reverse mode through the iterations, each linear solve differentiated as `linear` is."""

    def step(own: Implicit, state: State, law: Law, dt: jax.Array) -> State:
        return own.step(state, law, dt, linear)

    return step


def _one_more(own: Implicit, state: State, law: Law, dt: jax.Array) -> State:
    """One Newton step from the last iterate, differentiated there and not taken: at a solution its
    derivative is that of the equation (Bolte, Pauwels, Vaiter, arXiv 2305.13768)."""
    new = jax.lax.stop_gradient(own.iterate(state, law, dt, solved))
    whole = jnp.arange(new.size)
    more = own.update(new, whole, state, law, dt, eliminated)
    return own.after(state, new + more - jax.lax.stop_gradient(more), dt)


def _theorem(own: Implicit, state: State, law: Law, dt: jax.Array) -> State:
    return by_theorem(own, state, law, dt, False)


def _theorem_by_hand(own: Implicit, state: State, law: Law, dt: jax.Array) -> State:
    return by_theorem(own, state, law, dt, True)


EXECUTED, CONVERGED, CONTINUOUS = Referent
GENERATED, ADJOINT, BY_HAND = (
    Realization.GENERATED,
    Realization.EQUATION_ADJOINT,
    Realization.CUSTOM_ADJOINT,
)
CELLS: dict[str, Cell] = {
    "executed-generated": Cell(
        EXECUTED,
        GENERATED,
        "reverse mode through the iterations and the elimination of their linear systems",
        _iterated(eliminated),
    ),
    "executed-adjoint": Cell(
        EXECUTED,
        ADJOINT,
        "reverse mode through the iterations, each linear system by its adjoint system (lineax)",
        _iterated(by_equation),
    ),
    "executed-custom": Cell(
        EXECUTED,
        BY_HAND,
        "the iterations' reverse written by hand, from hand-written derivatives of the force",
        reversed_by_hand,
    ),
    "converged-generated": Cell(
        CONVERGED,
        GENERATED,
        "generated differentiation of one Newton step at the last iterate",
        _one_more,
    ),
    "converged-adjoint": Cell(
        CONVERGED,
        ADJOINT,
        "implicit function theorem at the last iterate, one transposed solve a step (lineax)",
        _theorem,
    ),
    "converged-custom": Cell(
        CONVERGED,
        BY_HAND,
        "the same from hand-written derivatives of the force",
        _theorem_by_hand,
    ),
    "continuous-generated": Cell(
        CONTINUOUS,
        GENERATED,
        "sensitivities of the motion by differentiating an accurate ODE solve (diffrax)",
        pull={Keep.NOTHING: "sensitivities", Keep.BINOMIAL: "reverse"},
    ),
    "continuous-adjoint": Cell(
        CONTINUOUS,
        ADJOINT,
        "the adjoint ODE, solved backward together with the motion (diffrax)",
        pull={Keep.INVERT: "backsolve"},
    ),
    "continuous-custom": Cell(
        CONTINUOUS,
        BY_HAND,
        "the adjoint ODE from hand-written derivatives of the force, along the stored motion",
        pull={Keep.ALL: "by_hand"},
    ),
}


class SpringChain(JaxEngine):
    """Answers `Chain` scenes from one cell.

    cell: a name of `CELLS`; keep: one of its `keeps`; solver, iterations (k) and theta: those of
    `Implicit`. Inversion needs theta = 1/2, the reversible step. Raises `BadInput` for what there
    is not, `Unsupported` for a combination that cannot be.
    """

    chunk = 16

    def __init__(
        self,
        cell: str = "executed-generated",
        *,
        keep: str | None = None,
        solver: str = Solver.NEWTON,
        iterations: int = 8,
        theta: float = 1.0,
    ) -> None:
        if cell not in CELLS:
            raise BadInput(f"spring_chain has no cell '{cell}' (it has: {', '.join(CELLS)})")
        self.cell = CELLS[cell]
        step_wise = self.cell.step is not None
        self.keep = Keep(keep) if keep else self.cell.keeps[0]
        if self.keep not in self.cell.keeps:
            raise Unsupported(
                f"spring_chain:{cell} cannot keep '{self.keep}' (it has: "
                f"{', '.join(self.cell.keeps)})"
            )
        self.solver, self.iterations, self.theta = Solver(solver), iterations, theta
        if self.keep is Keep.INVERT and step_wise and theta != MIDPOINT:
            raise Unsupported(
                "inversion needs theta = 1/2: a step of implicit Euler led back is one of explicit "
                "Euler, which blows up"
            )
        where = "engines/spring_chain.py, CELLS"
        self.card = EngineCard(
            name=f"spring_chain:{cell}",
            version="1",
            summary=f"implicit steps of a chain by {iterations} iterations; {self.cell.said}",
            referent=self.cell.referent,
            realization=self.cell.realization,
            retention=RETENTION[self.keep],
            contact=ContactTreatment.PENALTY,
            frozen=(),
            abilities=(
                Ability.BATCH,
                Ability.MEMORY,
                Ability.STRUCTURE,
                *([Ability.STEPS] if step_wise else []),
            ),
            knobs=(Knob.STEPS, Knob.DT, Knob.PRECISION, Knob.ITERATIONS, Knob.SOLVER),
            sources={
                "referent": where,
                "realization": where,
                "retention": "engines/retained.py" if step_wise else "engines/chain_flow.py",
                "contact": "gradcheck/scene.py, Chain.force",
                "frozen": where,
            },
        )

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """Raises `Unsupported` for a testbed that is not stated as a `Chain`, `BadInput` for a
        solver that there is not and for less than one iteration."""
        chain = testbed.scene(Chain)
        dtype = jnp.dtype(settings.precision)
        count = self.iterations if settings.iterations is None else settings.iterations
        if count < 1:
            raise BadInput(f"spring_chain: {count} iterations solve nothing: give at least 1")
        own = Implicit(chain, _solver(settings.solver or self.solver), count, self.theta)

        def start(inputs: JaxInputs, dt: jax.Array) -> State:
            q, v = chain.start(inputs, jnp)
            return jnp.asarray(q, dtype), jnp.asarray(v, dtype)

        def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
            return (self.cell.step or _iterated(solved))(own, state, law(inputs), dt)

        def outputs(state: State, inputs: JaxInputs) -> jax.Array:
            return jnp.asarray(chain.outputs(*state, inputs, jnp))

        def run(state: State, inputs: JaxInputs, steps: int, dt: jax.Array) -> State:
            if self.cell.step is None:
                return self._flow(own, state, law(inputs), steps, dt)
            last: State = rollout(
                functools.partial(_step, self.cell.step, own),
                state,
                (law(inputs), dt),
                steps,
                self.keep,
                functools.partial(_back, own),
            )
            return last

        # Many small programs are made of this, each run a few times.
        options = {
            **COMPILER_OPTIONS,
            "xla_backend_optimization_level": 0,
            "xla_llvm_disable_expensive_passes": True,
        }
        why = self._why_not_finite(chain) if self.cell.pull else None
        return Program(start, step, outputs, run=run, compiler_options=options, why_not_finite=why)

    def _why_not_finite(self, chain: Chain) -> Callable[[JaxInputs, int, float], str]:
        from gradcheck.engines import chain_flow

        def why(inputs: JaxInputs, steps: int, dt: float) -> str:
            start = chain.start(inputs, jnp)
            return chain_flow.why_not_finite(chain, start, law(inputs), steps * dt)

        return why

    def _flow(self, own: Implicit, state: State, law: Law, steps: int, dt: jax.Array) -> State:
        from gradcheck.engines import chain_flow

        assert self.cell.pull is not None
        pull = getattr(chain_flow, self.cell.pull[self.keep])
        run = functools.partial(_forward, own, steps)
        last: State = chain_flow.continuous(run, pull, own.chain, state, law, dt, steps * dt)
        return last


def law(inputs: JaxInputs) -> Law:
    """The parameters among the inputs."""
    return Law(*(inputs[name] for name in Law._fields))


def _solver(name: str) -> Solver:
    if name not in list(Solver):
        raise BadInput(f"spring_chain has no solver '{name}' (it has: {', '.join(Solver)})")
    return Solver(name)


def _step(step: Step, own: Implicit, state: State, given: tuple[Law, jax.Array]) -> State:
    return step(own, state, *given)


def _back(own: Implicit, state: State, given: tuple[Law, jax.Array]) -> State:
    """The state before a step: the same step with -dt."""
    parameters, dt = given
    return own.inverse().step(state, parameters, -dt, solved)


def _forward(own: Implicit, steps: int, state: State, parameters: Law, dt: jax.Array) -> State:
    step = functools.partial(_step, _iterated(solved), own)
    last: State = rollout(step, state, (parameters, dt), steps, Keep.ALL)
    return last
