"""Adjoints of a chain's implicit step: of the iterations that ran, by hand, and of its equation.

An update V_B -= J_BB(V)^-1 r_B(V) of the entries B, with p = J_BB^-1 r_B and w = J_BB^-T c_B (c the
cotangent of V after it), changes cotangents by -w . dr + w . dJ p. What an iteration computed with
is computed again from the state before the step, so that nothing but states is kept.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp

from gradcheck.engines.chain_force import Law, curved, matrix, pulled, slowed
from gradcheck.engines.chain_step import Implicit, State, by_lineax, solved

Cotangents = tuple[jax.Array, jax.Array, jax.Array, Law]
"""Of V, q, v and the law."""


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def reversed_by_hand(own: Implicit, state: State, law: Law, dt: jax.Array) -> State:
    """The step; its derivative that of the iterations that ran."""
    return own.step(state, law, dt, solved)


def _by_hand_forward(own: Implicit, state: State, law: Law, dt: jax.Array) -> tuple[State, object]:
    return reversed_by_hand(own, state, law, dt), (state, law, dt)


def _by_hand_backward(
    own: Implicit, kept: tuple[State, Law, jax.Array], given: State
) -> tuple[Any, ...]:
    state, law, dt = kept

    def forward(new: jax.Array, rows: jax.Array) -> tuple[jax.Array, jax.Array]:
        return own.update(new, rows, state, law, dt, solved), new

    _, seen = jax.lax.scan(forward, state[1], own.updates)

    def back(
        cotangents: Cotangents, update: tuple[jax.Array, jax.Array]
    ) -> tuple[Cotangents, None]:
        return _undone(own, *update, state, law, dt, cotangents), None

    by_new, by_q, by_v = _through_position(own, given, dt)
    none = jax.tree.map(jnp.zeros_like, law)
    (by_new, by_q, by_v, by_law), _ = jax.lax.scan(
        back, (by_new, by_q, by_v, none), (seen, own.updates), reverse=True
    )
    return (by_q, by_v + by_new), by_law, jnp.zeros_like(dt)


reversed_by_hand.defvjp(_by_hand_forward, _by_hand_backward)


def _through_position(
    own: Implicit, given: State, dt: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Cotangents of V, q and v through `Implicit.after`."""
    by_q, by_new = given
    return by_new + own.theta * dt * by_q, by_q, (1 - own.theta) * dt * by_q


def _matrix(own: Implicit, at: State, law: Law, dt: jax.Array) -> jax.Array:
    """dr/dV by hand, [2 n, 2 n]."""
    by_q, by_v = matrix(own.chain, at[0], law)
    masses = jnp.repeat(jnp.asarray(own.chain.masses, dt.dtype), 2)
    return jnp.diag(masses) - dt * (own.theta**2 * dt * by_q + own.theta * by_v)


def _residual_pulled(
    own: Implicit, at: State, law: Law, dt: jax.Array, w: jax.Array
) -> tuple[jax.Array, State, Law]:
    """-w . dr: what V's mass term has [n, 2], and cotangents of `between` and of the law."""
    masses = jnp.asarray(own.chain.masses, dt.dtype)[:, None]
    by_place, by_rate, by_law = pulled(own.chain, *at, law, w)
    return -masses * w, (dt * by_place, dt * by_rate), jax.tree.map(lambda x: dt * x, by_law)


def _spread(
    own: Implicit, dt: jax.Array, mass: jax.Array, at: State, cotangents: Cotangents
) -> Cotangents:
    """Add what `_residual_pulled` found to the cotangents of V, q, v."""
    by_new, by_q, by_v, by_law = cotangents
    place, rate = at
    middle = rate + own.theta * dt * place
    return (
        by_new + mass + own.theta * middle,
        by_q + place,
        by_v - mass + (1 - own.theta) * middle,
        by_law,
    )


def _undone(
    own: Implicit,
    new: jax.Array,
    rows: jax.Array,
    state: State,
    law: Law,
    dt: jax.Array,
    cotangents: Cotangents,
) -> Cotangents:
    """Cotangents before one update of the iteration."""
    at = own.between(state, new, dt)
    block = _matrix(own, at, law, dt)[jnp.ix_(rows, rows)]
    residual = own.residual(new, state, law, dt).reshape(-1)
    none = jnp.zeros(new.size, new.dtype)
    move = none.at[rows].set(solved(block, residual[rows])).reshape(new.shape)
    weight = none.at[rows].set(solved(block.T, cotangents[0].reshape(-1)[rows])).reshape(new.shape)
    mass, (place, rate), by_law = _residual_pulled(own, at, law, dt, weight)
    # w . dJ p: only the part of the matrix that is not constant, - dt (theta² dt F_q + theta F_v)
    scale = -dt * own.theta**2 * dt
    bent, by_bent = curved(own.chain, at[0], law, weight, move)
    drag = slowed(law._replace(damping=jnp.ones_like(law.damping)), move)
    by_drag = -dt * own.theta * jnp.sum(weight * drag)[None]
    by_law = Law(
        by_law.stiffness + scale * by_bent.stiffness,
        by_law.damping + by_drag,
        by_law.contact + scale * by_bent.contact,
    )
    total = jax.tree.map(jnp.add, cotangents[3], by_law)
    return _spread(own, dt, mass, (place + scale * bent, rate), (*cotangents[:3], total))


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 4))
def by_theorem(own: Implicit, state: State, law: Law, dt: jax.Array, by_hand: bool) -> State:
    """The step; its derivative that of the equation, by the implicit function theorem at the last
    iterate: right where that solves the equation. `by_hand`: from the hand-written derivatives
    of the force, not generated ones."""
    return own.step(state, law, dt, solved)


def _theorem_forward(
    own: Implicit, state: State, law: Law, dt: jax.Array, by_hand: bool
) -> tuple[State, object]:
    after = by_theorem(own, state, law, dt, by_hand)
    return after, (state, law, dt, after[1])


def _theorem_backward(
    own: Implicit, by_hand: bool, kept: tuple[State, Law, jax.Array, jax.Array], given: State
) -> tuple[Any, ...]:
    state, law, dt, new = kept
    by_new, by_q, by_v = _through_position(own, given, dt)
    at = own.between(state, new, dt)
    if by_hand:
        weight = solved(_matrix(own, at, law, dt).T, by_new.reshape(-1)).reshape(new.shape)
        mass, moved, by_law = _residual_pulled(own, at, law, dt, weight)
        none = jnp.zeros_like(by_new)
        found = _spread(own, dt, mass, moved, (none, by_q, by_v, by_law))
        return (found[1], found[2]), found[3], jnp.zeros_like(dt)
    whole = jnp.arange(new.size)
    matrix = own.jacobian(new, whole, state, law, dt)
    weight = by_lineax(matrix.T, by_new.reshape(-1))
    pull = jax.vjp(lambda s, p: own.residual(new, s, p, dt), state, law)[1]
    (more_q, more_v), by_law = pull(-weight.reshape(new.shape))
    return (by_q + more_q, by_v + more_v), by_law, jnp.zeros_like(dt)


by_theorem.defvjp(_theorem_forward, _theorem_backward)
