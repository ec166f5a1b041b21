"""Derivatives of a chain's motion in continuous time, whatever steps the rollout took: by diffrax.

The rollout and its gradient are then two computations; they agree as far as the time steps follow
the motion.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import diffrax
import jax
import jax.numpy as jnp

from gradcheck.engines.chain_force import Law, force, pulled
from gradcheck.engines.chain_step import State
from gradcheck.scene import Chain

TOLERANCE = 1e-10
# Between steps the stored motion is interpolated, by a lower order than that of the steps.
STORED = 1e-13
MOST_STEPS = 1024
SOLVER = diffrax.Dopri8()
Pull = Callable[[Chain, State, Law, jax.Array, State], tuple[State, Law]]
"""(chain, start, law, duration, cotangent of the end) -> cotangents of start and law."""


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1, 2))
def continuous(
    run: Callable[[State, Law, jax.Array], State],
    pull: Pull,
    chain: Chain,
    start: State,
    law: Law,
    dt: jax.Array,
    duration: jax.Array,
) -> State:
    """`run`(start, law, dt), with the derivative of the motion over `duration` seconds."""
    return run(start, law, dt)


def _forward(run: Any, pull: Any, chain: Chain, *given: Any) -> tuple[State, Any]:
    start, law, dt, duration = given
    return continuous(run, pull, chain, *given), (start, law, dt, duration)


def _backward(run: Any, pull: Pull, chain: Chain, kept: Any, cotangent: State) -> Any:
    start, law, dt, duration = kept
    by_start, by_law = pull(chain, start, law, duration, cotangent)
    return by_start, by_law, jnp.zeros_like(dt), jnp.zeros_like(duration)


continuous.defvjp(_forward, _backward)


def rate(chain: Chain, state: State, law: Law) -> State:
    """(q', v') of the motion."""
    masses = jnp.asarray(chain.masses, state[0].dtype)[:, None]
    return state[1], force(chain, *state, law) / masses


@functools.cache
def _motion(chain: Chain) -> diffrax.ODETerm[Any]:
    """Made once, so that what was traced with it is found again."""
    return diffrax.ODETerm(lambda t, y, p: rate(chain, y, p))


@functools.cache
def _motion_and_adjoint(chain: Chain) -> diffrax.ODETerm[Any]:
    """Of (state, cotangents of state and law): y' = f, l' = -l . df/dy, and the law's share."""

    def both(t: Any, carried: Any, law: Law) -> Any:
        state, (by_state, _law) = carried
        moved, pull = jax.vjp(lambda y, p: rate(chain, y, p), state, law)
        return moved, jax.tree.map(jnp.negative, pull(by_state))

    return diffrax.ODETerm(both)


@functools.cache
def _adjoint_by_hand(chain: Chain) -> diffrax.ODETerm[Any]:
    """Of the cotangents of state and law, along a stored motion."""

    def back(t: Any, carried: tuple[State, Law], given: Any) -> tuple[State, Law]:
        (by_q, by_v), _law = carried
        path, law = given
        q, v = path.evaluate(t)
        masses = jnp.asarray(chain.masses, q.dtype)[:, None]
        of_q, of_v, of_law = pulled(chain, q, v, law, by_v / masses)
        found: tuple[State, Law] = jax.tree.map(jnp.negative, ((of_q, by_q + of_v), of_law))
        return found

    return diffrax.ODETerm(back)


def flow(
    chain: Chain,
    start: State,
    law: Law,
    duration: jax.Array,
    adjoint: diffrax.AbstractAdjoint,
    tolerance: float = TOLERANCE,
    **more: Any,
) -> diffrax.Solution:
    """The motion by Dormand and Prince's method of order 8."""
    return _solved(_motion(chain), 0.0, duration, start, law, adjoint, tolerance, **more)


def _solved(
    term: diffrax.ODETerm[Any],
    begin: Any,
    end: Any,
    start: Any,
    arguments: Any,
    adjoint: diffrax.AbstractAdjoint,
    tolerance: float,
    **more: Any,
) -> diffrax.Solution:
    found: diffrax.Solution = diffrax.diffeqsolve(
        term,
        SOLVER,
        begin,
        end,
        None,
        start,
        arguments,
        stepsize_controller=diffrax.PIDController(rtol=tolerance, atol=tolerance),
        adjoint=adjoint,
        max_steps=MOST_STEPS,
        throw=False,
        **more,
    )
    return found


def _last(*solutions: diffrax.Solution) -> Any:
    """The end of the last solution; NaN where one of them never came to its end."""
    ended = functools.reduce(operator.and_, [diffrax.is_successful(s.result) for s in solutions])
    return jax.tree.map(lambda x: jnp.where(ended, x[-1], jnp.nan), solutions[-1].ys)


def why_not_finite(chain: Chain, start: State, law: Law, duration: float) -> str:
    """What went wrong where a gradient of the motion is not finite."""
    found = flow(chain, start, law, jnp.asarray(duration), diffrax.DirectAdjoint())
    if not bool(diffrax.is_successful(found.result)):
        return (
            f"the motion's ODE is not solved in {MOST_STEPS} steps (max_steps reached): explicit "
            "steps cannot follow a motion this stiff; lower stiffness or damping, or the horizon"
        )
    return (
        f"the adjoint ODE solved backward blew up: not solved in {MOST_STEPS} steps (max_steps "
        "reached), since what is damped forward grows backward; lower the damping or the horizon, "
        "or take sensitivities (spring_chain:continuous-generated)"
    )


def _end(chain: Chain, adjoint: diffrax.AbstractAdjoint, duration: jax.Array) -> Any:
    def end(start: State, law: Law) -> State:
        found: State = _last(flow(chain, start, law, duration, adjoint))
        return found

    return end


def sensitivities(
    chain: Chain, start: State, law: Law, duration: jax.Array, cotangent: State
) -> tuple[State, Law]:
    """Forward sensitivities by generated differentiation, one for each entry of start and law."""
    end = _end(chain, diffrax.ForwardMode(), duration)
    jacobians = jax.jacfwd(end, argnums=(0, 1))(start, law)

    def weighted(place: jax.Array, speed: jax.Array) -> jax.Array:
        both = zip(cotangent, (place, speed), strict=True)
        one, other = (jnp.tensordot(given, part, given.ndim) for given, part in both)
        return one + other

    by_start: State = jax.tree.map(weighted, *[one[0] for one in jacobians])
    by_law: Law = jax.tree.map(weighted, *[one[1] for one in jacobians])
    return by_start, by_law


def reverse(
    chain: Chain, start: State, law: Law, duration: jax.Array, cotangent: State
) -> tuple[State, Law]:
    """Reverse differentiation of the accurate solve, with checkpoints."""
    end = _end(chain, diffrax.RecursiveCheckpointAdjoint(), duration)
    found: tuple[State, Law] = jax.vjp(end, start, law)[1](cotangent)
    return found


def backsolve(
    chain: Chain, start: State, law: Law, duration: jax.Array, cotangent: State
) -> tuple[State, Law]:
    """The adjoint ODE from generated products of the force's derivatives, solved backward together
    with the motion itself, of which only the end is kept (Chen et al., arXiv 1806.07366)."""
    direct = diffrax.DirectAdjoint()
    ahead = flow(chain, start, law, duration, direct)
    end = jax.tree.map(lambda x: x[-1], ahead.ys)
    carried = end, (cotangent, jax.tree.map(jnp.zeros_like, law))
    term = _motion_and_adjoint(chain)
    found: tuple[State, Law]
    _, found = _last(ahead, _solved(term, duration, 0.0, carried, law, direct, TOLERANCE))
    return found


def by_hand(
    chain: Chain, start: State, law: Law, duration: jax.Array, cotangent: State
) -> tuple[State, Law]:
    """The adjoint ODE from the hand-written derivatives of the force, solved backward along the
    stored motion: l' = -l . df/dy, and the parameters' share -l . df/dp summed on the way."""
    none = diffrax.DirectAdjoint()
    dense = diffrax.SaveAt(dense=True)
    path = flow(chain, start, law, duration, none, STORED, saveat=dense)
    end = cotangent, jax.tree.map(jnp.zeros_like, law)
    term, given = _adjoint_by_hand(chain), (path.interpolation, law)
    found: tuple[State, Law]
    found = _last(path, _solved(term, duration, 0.0, end, given, none, TOLERANCE))
    return found
