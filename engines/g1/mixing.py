"""Products with constant matrices: sums over branches of the tree, rows chosen or put in order.

A JAX primitive of its own, for the sake of reverse mode. The transpose of a product with W is a
product with W^T; JAX's own writes it as one with W whose other axis is summed, which XLA's library
of products for a CPU does several times slower. And numbers spread over rows by broadcasting come
back by a sum over the leading axis, which XLA does not vectorise; here that is a product too.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from numpy.typing import NDArray

from gradcheck.engines.g1.algebra import Array, Vector

Floats = NDArray[np.float64]


class Weights:
    """A constant matrix [m, n], told from others by identity, as JAX's parameters must be."""

    def __init__(self, array: Floats) -> None:
        self.array = array

    @property
    def transposed(self) -> "Weights":
        """[n, m]."""
        return Weights(self.array.T)


_mix = Primitive("g1_mix")


def _product(x: Array, *, weights: Weights) -> Array:
    # spelt out: -1 has no meaning where a model has no joints or no actuators
    flat = x.reshape(x.shape[0], math.prod(x.shape[1:]))
    constant = jnp.asarray(np.ascontiguousarray(weights.array), x.dtype)
    out = jnp.matmul(constant, flat, precision=jax.lax.Precision.HIGHEST)
    return out.reshape(len(weights.array), *x.shape[1:])


def _abstract(x: Any, *, weights: Weights) -> Any:
    return jax.core.ShapedArray((len(weights.array), *x.shape[1:]), x.dtype)


def _transpose(cotangent: Any, x: Any, *, weights: Weights) -> list[Any]:
    if type(cotangent) is ad.Zero:
        return [ad.Zero(x.aval)]
    return [_mix.bind(cotangent, weights=weights.transposed)]


def _batch(arguments: Any, axes: Any, *, weights: Weights) -> tuple[Any, int]:
    moved = jnp.moveaxis(arguments[0], axes[0], 1)
    return _mix.bind(moved, weights=weights), 1


_mix.def_impl(jax.jit(_product, static_argnames="weights"))
_mix.def_abstract_eval(_abstract)
ad.deflinear2(_mix, _transpose)
batching.primitive_batchers[_mix] = _batch
mlir.register_lowering(_mix, mlir.lower_fun(_product, multiple_results=False))


def mix(weights: Floats, x: Array) -> Array:
    """sum_j weights[i, j] x[j] of x [n, ...]: [m, ...]."""
    out: Array = _mix.bind(x, weights=Weights(weights))
    return out


def mix_each(weights: Floats, *parts: Array) -> tuple[Array, ...]:
    """`mix` of several arrays."""
    return tuple(mix(weights, part) for part in parts)


def spread(x: Vector, count: int) -> Vector:
    """[1, B] as [count, B]."""
    a, b, c = mix_each(np.ones((count, 1)), *x)
    return a, b, c


def total(x: Array) -> Array:
    """Sum over rows, [1, B]."""
    return mix(np.ones((1, x.shape[0])), x)
