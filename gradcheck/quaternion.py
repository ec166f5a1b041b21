"""Unit quaternions (w, x, y, z) and their tangent space, as MuJoCo has them.

A change is a rotation vector in the body's frame: q' = q * exp(delta / 2)
(`mj_integratePos`, MuJoCo documentation, "Computation > Floating objects").
"""

import numpy as np

from gradcheck.engine import Array


def multiply(left: Array, right: Array) -> Array:
    """Hamilton product of quaternions [..., 4]."""
    w, x, y, z = np.moveaxis(left, -1, 0)
    a, b, c, d = np.moveaxis(right, -1, 0)
    return np.stack(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ],
        axis=-1,
    )


def rotate(quaternion: Array, delta: Array) -> Array:
    """`quaternion` [..., 4] turned by the rotation vector `delta` [..., 3] in the body's frame."""
    angle = np.linalg.norm(delta, axis=-1, keepdims=True)
    # sinc is smooth through zero: sin(a/2)/a = sinc(a / 2 pi) / 2
    exponential = np.concatenate(
        [np.cos(angle / 2), delta * np.sinc(angle / (2 * np.pi)) / 2], axis=-1
    )
    return multiply(quaternion, exponential)


def tangent_basis(quaternion: Array) -> Array:
    """d rotate(q, delta) / d delta at 0: [..., 4, 3]. Its columns are orthogonal, of norm 1/2."""
    units = np.concatenate([np.zeros((3, 1)), np.eye(3)], axis=1) / 2
    return np.stack([multiply(quaternion, np.broadcast_to(u, quaternion.shape)) for u in units], -1)


def pull_rotation(quaternion: Array, gradient: Array) -> Array:
    """A gradient [..., 4] as a gradient [..., 3] with respect to the rotation vector."""
    pulled: Array = np.einsum("...ij,...i->...j", tangent_basis(quaternion), gradient)
    return pulled


def push_rotation(quaternion: Array, gradient: Array) -> Array:
    """A rotation-vector gradient [..., 3] as the gradient [..., 4] tangent to the unit sphere."""
    pushed: Array = 4.0 * np.einsum("...ij,...j->...i", tangent_basis(quaternion), gradient)
    return pushed
