"""Singular values of products of step Jacobians, without overflow."""

from collections.abc import Sequence

import numpy as np

from gradcheck.engine import Array


def log_singular(jacobians: Array, horizons: Sequence[int]) -> tuple[list[float], list[float]]:
    """Natural logarithms of the largest and smallest singular value of J_h ... J_1, by horizon.

    jacobians: [steps, n, n]; horizons: rising, at most `steps`. The smallest one is read off the
    product of inverses: in the product itself it drowns below 1e-16 of the largest. -inf for a
    singular step; NaN once a Jacobian is not finite.
    """
    size = jacobians.shape[-1]
    forward, backward = Scaled(size), Scaled(size)
    largest, smallest = [], []
    done = 0
    for horizon in horizons:
        for jacobian in jacobians[done:horizon]:
            forward.multiply(jacobian.T)
            backward.multiply(_inverse(jacobian))
        done = horizon
        largest.append(forward.log_norm())
        smallest.append(-backward.log_norm())
    return largest, smallest


class Scaled:
    """A product of matrices, its size kept as a logarithm beside it."""

    def __init__(self, size: int) -> None:
        self.matrix: Array | None = np.eye(size)
        self.log_size = 0.0

    def multiply(self, factor: Array | None) -> None:
        """Append a factor on the right. None stands for an infinite one."""
        if self.matrix is None:
            return
        if factor is None:
            self.matrix, self.log_size = None, np.inf
            return
        self.matrix = self.matrix @ factor
        norm = float(np.linalg.norm(self.matrix))
        if norm > 0 and np.isfinite(norm):
            self.matrix = self.matrix / norm
            self.log_size += float(np.log(norm))
        elif not norm >= 0:
            self.matrix, self.log_size = None, np.nan

    def log_norm(self) -> float:
        """The logarithm of the product's largest singular value."""
        if self.matrix is None:
            return self.log_size
        norm = float(np.linalg.norm(self.matrix, 2))
        return self.log_size + float(np.log(norm)) if norm > 0 else -np.inf


def _inverse(jacobian: Array) -> Array | None:
    """The inverse; None for a singular matrix, NaN for one that is not finite."""
    if not np.isfinite(jacobian).all():
        return np.full_like(jacobian, np.nan)
    try:
        return np.asarray(np.linalg.inv(jacobian))
    except np.linalg.LinAlgError:
        return None
