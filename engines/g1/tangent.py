"""Changes of a configuration as nv numbers: root translation (world axes), rotation (body axes),
joints; MuJoCo's own coordinates of velocities and of `mjd_transitionFD`."""

import jax.numpy as jnp

from gradcheck.engines.g1.algebra import Array
from gradcheck.engines.g1.integrate import turned


def _rotation_columns(quaternion: Array) -> Array:
    """d quaternion / d rotation vector at no rotation, [..., 4, 3]: half of q times i, j, k."""
    w, x, y, z = (quaternion[..., i] for i in range(4))
    rows = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
    return 0.5 * jnp.stack([jnp.stack(row, -1) for row in rows], -2)


def to_tangent(qpos: Array, gradient: Array) -> Array:
    """A gradient [..., nq] by qpos in tangent coordinates [..., nv]."""
    turn = jnp.einsum("...ij,...i->...j", _rotation_columns(qpos[..., 3:7]), gradient[..., 3:7])
    return jnp.concatenate([gradient[..., :3], turn, gradient[..., 7:]], -1)


def from_tangent(qpos: Array, change: Array) -> Array:
    """The change [..., nq] of qpos that tangent coordinates [..., nv] make, to first order."""
    turn = jnp.einsum("...ij,...j->...i", _rotation_columns(qpos[..., 3:7]), change[..., 3:6])
    return jnp.concatenate([change[..., :3], turn, change[..., 6:]], -1)


def retract(qpos: Array, change: Array) -> Array:
    """qpos moved by tangent coordinates [..., nv], finitely, as mj_integratePos does."""
    parts = tuple(qpos[..., 3 + i] for i in range(4))
    turn = tuple(change[..., 3 + i] for i in range(3))
    quaternion = turned(parts, turn)  # type: ignore[arg-type]
    return jnp.concatenate(
        [
            qpos[..., :3] + change[..., :3],
            jnp.stack(quaternion, -1),
            qpos[..., 7:] + change[..., 6:],
        ],
        -1,
    )
