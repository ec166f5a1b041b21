"""Arrays of NumPy or JAX, by the module that computes with them."""

from typing import Any

import numpy as np

# The two share no static type.
AnyArray = Any


def namespace(array: AnyArray) -> Any:
    """The array module (`xp`) of an array; NumPy's for a number of Python."""
    found = getattr(array, "__array_namespace__", None)
    return np if found is None else found()


def spread(samples: AnyArray, like: AnyArray) -> AnyArray:
    """One number a sample [batch], shaped so that it multiplies `like` [batch, ...]."""
    return samples.reshape(samples.shape + (1,) * (like.ndim - 1))
