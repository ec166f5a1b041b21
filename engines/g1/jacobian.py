"""Transition matrices A and B of one step, as `mjd_transitionFD` gives them, exactly."""

import dataclasses

import jax
import jax.numpy as jnp

from gradcheck.engines.g1.algebra import Array
from gradcheck.engines.g1.compiled import compiled
from gradcheck.engines.g1.model import Model
from gradcheck.engines.g1.state import State, check
from gradcheck.engines.g1.step import step
from gradcheck.engines.g1.tangent import from_tangent


def transition_jacobians(model: Model, current: State, ctrl: Array) -> tuple[Array, Array]:
    """A [batch, 2 nv, 2 nv] and B [batch, 2 nv, nu] of (dq, dv)' = A (dq, dv) + B du.

    dq are tangent coordinates [nv] (root translation in world axes, rotation in body axes, joints),
    as in MuJoCo's `mjd_transitionFD`. A state without batch gives matrices without batch.
    """
    ctrl = jnp.asarray(ctrl, model.dtype)
    check(model, current, ctrl)
    return _jacobians(model, current, ctrl)


@compiled
def _jacobians(model: Model, current: State, ctrl: Array) -> tuple[Array, Array]:
    nv, nu = model.nv, model.nu

    def after(qpos: Array, qvel: Array, u: Array) -> tuple[Array, Array]:
        made = step(model, dataclasses.replace(current, qpos=qpos, qvel=qvel), u)
        return made.qpos, made.qvel

    (qpos, _), push = jax.linearize(after, current.qpos, current.qvel, ctrl)

    def column(direction: Array) -> Array:
        wide = jnp.broadcast_to(direction, (*current.qpos.shape[:-1], direction.shape[-1]))
        dq = from_tangent(current.qpos, wide[..., :nv])
        out_q, out_v = push(dq, wide[..., nv : 2 * nv], wide[..., 2 * nv :])
        return jnp.concatenate([_tangent_of(qpos, out_q), out_v], -1)

    columns = jax.vmap(column)(jnp.eye(2 * nv + nu, dtype=model.dtype))
    whole = jnp.moveaxis(columns, 0, -1)
    return whole[..., : 2 * nv], whole[..., 2 * nv :]


def _tangent_of(qpos: Array, change: Array) -> Array:
    """Tangent coordinates [..., nv] of a change of qpos [..., nq]: 2 vec(q* dq) of the root."""
    w, v = qpos[..., 3:4], qpos[..., 4:7]
    dw, dv = change[..., 3:4], change[..., 4:7]
    turn = 2 * (w * dv - dw * v - jnp.cross(v, dv))
    return jnp.concatenate([change[..., :3], turn, change[..., 7:]], -1)
