"""Small vectors and matrices as tuples of arrays whose last axis is the batch.

A vector is three arrays, a matrix three rows of three, each array [n, B]. XLA on a CPU then
vectorises over worlds, and reverse mode meets no slice: the transpose of a slice is a padded
array as large as what was sliced, and such padding cost more than all the arithmetic.
"""

import functools
import operator
from collections.abc import Iterable
from typing import Any, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.xla_metadata import set_xla_metadata

T = TypeVar("T")
Array: TypeAlias = jax.Array
Vector: TypeAlias = tuple[Array, Array, Array]
Matrix: TypeAlias = tuple[Vector, Vector, Vector]
# A symmetric matrix: xx, yy, zz, xy, xz, yz.
Symmetric: TypeAlias = tuple[Array, Array, Array, Array, Array, Array]


@jax.jit
def _same(x: T) -> T:
    return x


def stage(x: T) -> T:
    """A border over which XLA does not fuse: it would compute `x` again for each of its uses.

    `optimization_barrier` does not do on a CPU, where XLA drops it before it fuses. A call that is
    not inlined does: what goes in and out of it is computed once.
    """
    with set_xla_metadata(inlineable="false"):
        out: T = _same(x)
    return out


def summed(parts: Iterable[Array]) -> Array:
    """Sum of arrays, without a zero to begin with."""
    return functools.reduce(operator.add, parts)


def epsilon(dtype: Any) -> float:
    """Distance from 1 to the next number."""
    return float(np.finfo(dtype).eps)


def add(*vectors: Vector) -> Vector:
    """Sum of vectors."""
    x, y, z = (sum(parts[1:], parts[0]) for parts in zip(*vectors, strict=True))
    return x, y, z


def sub(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scale(s: Array, a: Vector) -> Vector:
    """s a."""
    return s * a[0], s * a[1], s * a[2]


def dot(a: Vector, b: Vector) -> Array:
    """a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def multiply(a: Matrix, x: Vector) -> Vector:
    """A x."""
    return dot(a[0], x), dot(a[1], x), dot(a[2], x)


def transpose(a: Matrix) -> Matrix:
    """A^T."""
    return (
        (a[0][0], a[1][0], a[2][0]),
        (a[0][1], a[1][1], a[2][1]),
        (a[0][2], a[1][2], a[2][2]),
    )


def product(a: Matrix, b: Matrix) -> Matrix:
    """A B."""
    columns = transpose(b)
    x, y, z = (multiply(columns, row) for row in a)
    return x, y, z


def symmetric(s: Symmetric, x: Vector) -> Vector:
    """S x of a symmetric S."""
    xx, yy, zz, xy, xz, yz = s
    return (
        xx * x[0] + xy * x[1] + xz * x[2],
        xy * x[0] + yy * x[1] + yz * x[2],
        xz * x[0] + yz * x[1] + zz * x[2],
    )


def components(x: Array) -> Vector:
    """The vector [n, B] x 3 of an array [n, 3, B] or [n, 3]."""
    return x[:, 0], x[:, 1], x[:, 2]


def numbers(values: np.ndarray, like: Array) -> Array:
    """Numbers of the model beside a batch: [n, ...] as [n, ..., 1], in the precision of `like`."""
    return jnp.asarray(values, like.dtype)[..., None]
