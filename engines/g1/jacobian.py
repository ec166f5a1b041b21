"""Transition matrices A and B of one step, as `mjd_transitionFD` gives them, exactly."""

import dataclasses

import jax
import jax.numpy as jnp

from gradcheck.engines.g1.algebra import Array
from gradcheck.engines.g1.compiled import compiled
from gradcheck.engines.g1.model import Model
from gradcheck.engines.g1.parameters import real
from gradcheck.engines.g1.state import UNUSABLE, State, Status, check
from gradcheck.engines.g1.step import step
from gradcheck.engines.g1.tangent import from_tangent, retract, to_tangent


def transition_jacobians(model: Model, current: State, ctrl: Array) -> tuple[Array, Array]:
    """A [batch, 2 nv, 2 nv] and B [batch, 2 nv, nu] of (dq, dv)' = A (dq, dv) + B du.

    dq are tangent coordinates [nv] (root translation in world axes, rotation in body axes, joints),
    as in MuJoCo's `mjd_transitionFD`. A state without batch gives matrices without batch; a flagged
    world has zeros.
    """
    ctrl = real("ctrl", ctrl, model.dtype)
    check(model, current, ctrl)
    return _jacobians(model, current, ctrl)


@compiled
def _jacobians(model: Model, current: State, ctrl: Array) -> tuple[Array, Array]:
    nv = model.nv
    lead = current.qpos.shape[:-1]

    def speed(qpos: Array, qvel: Array, u: Array) -> tuple[Array, Array]:
        made = step(model, dataclasses.replace(current, qpos=qpos, qvel=qvel), u)
        return made.qvel, made.status

    qvel, pull, flags = jax.vjp(speed, current.qpos, current.qvel, ctrl, has_aux=True)

    def row(direction: Array) -> Array:
        """A row of both matrices, [..., 2 nv + nu]: how one speed depends on everything."""
        by_qpos, by_qvel, by_ctrl = pull(jnp.broadcast_to(direction, qvel.shape))
        return jnp.concatenate([to_tangent(current.qpos, by_qpos), by_qvel, by_ctrl], -1)

    # One after another: all at once leave the cache.
    speeds = jnp.moveaxis(jax.lax.map(row, jnp.eye(nv, dtype=model.dtype)), 0, -2)

    # The position follows from where it was and from the new speed.
    qpos, push = jax.linearize(lambda q, v: retract(q, model.timestep * v), current.qpos, qvel)

    def column(own: Array, change: Array) -> Array:
        wide = jnp.broadcast_to(own, (*lead, nv))
        return _tangent_of(qpos, push(from_tangent(current.qpos, wide), change))

    own = jnp.eye(nv, 2 * nv + model.nu, dtype=model.dtype)
    places = jax.vmap(column, (-1, -1), -1)(own, speeds)
    whole = jnp.concatenate([places, speeds], -2)
    bad = flags & (UNUSABLE | Status.NOT_CONVERGED) != 0
    whole = jnp.where(bad[..., None, None], 0, whole)
    return whole[..., : 2 * nv], whole[..., 2 * nv :]


def _tangent_of(qpos: Array, change: Array) -> Array:
    """Tangent coordinates [..., nv] of a change of qpos [..., nq]: 2 vec(q* dq) of the root."""
    w, v = qpos[..., 3:4], qpos[..., 4:7]
    dw, dv = change[..., 3:4], change[..., 4:7]
    turn = 2 * (w * dv - dw * v - jnp.cross(v, dv))
    return jnp.concatenate([change[..., :3], turn, change[..., 7:]], -1)
