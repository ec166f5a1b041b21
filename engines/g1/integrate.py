"""From acceleration to the next state, semi-implicitly as MuJoCo does."""

import jax.numpy as jnp

from gradcheck.engines.g1.algebra import Array, Vector, add, cross, dot, epsilon, scale
from gradcheck.engines.g1.kinematics import Quaternion
from gradcheck.engines.g1.motion import Dofs


def velocity(v: Dofs, h: Array, a: Dofs) -> Dofs:
    """v + h a."""
    step = jnp.asarray(h, v.joint.dtype)
    return Dofs(
        add(v.lin, scale(step, a.lin)), add(v.ang, scale(step, a.ang)), v.joint + step * a.joint
    )


def position(
    origin: Vector, quaternion: Quaternion, joint: Array, h: Array, v: Dofs
) -> tuple[Vector, Quaternion, Array]:
    """The configuration after a time step h at velocity v; the quaternion turns by h v.ang about
    body axes and comes out at unit length."""
    step = jnp.asarray(h, joint.dtype)
    return (
        add(origin, scale(step, v.lin)),
        turned(quaternion, scale(step, v.ang)),
        joint + step * v.joint,
    )


def turned(q: Quaternion, turn: Vector) -> Quaternion:
    """q turned by a rotation vector (rad, body axes): q * exp(turn / 2), normalised."""
    square = dot(turn, turn)
    # below, the next terms of cos and of sin(x)/x are under the rounding
    small = square < epsilon(square.dtype)
    angle = jnp.sqrt(jnp.where(small, 1.0, square))
    half = jnp.where(small, 0.5 - square / 48, jnp.sin(0.5 * angle) / angle)
    w, v = jnp.where(small, 1 - square / 8, jnp.cos(0.5 * angle)), scale(half, turn)
    a, b = q[0], (q[1], q[2], q[3])
    new = (a * w - dot(b, v), *add(scale(a, v), scale(w, b), cross(b, v)))
    length = jnp.sqrt(new[0] ** 2 + new[1] ** 2 + new[2] ** 2 + new[3] ** 2)
    return new[0] / length, new[1] / length, new[2] / length, new[3] / length
