"""What an estimator is: a way from evaluations of a loss to the slope of its mean under noise."""

import abc
from typing import NamedTuple, Protocol

import numpy as np

from gradcheck.engine import Array


class Objective(Protocol):
    """A loss of d numbers. `gradient_cost`: evaluations that one gradient counts for."""

    size: int
    gradient_cost: float

    def values(self, x: Array) -> Array:
        """Losses [n] at x [n, d]."""

    def values_and_grads(self, x: Array) -> tuple[Array, Array]:
        """Losses [n] and gradients [n, d] at x [n, d]."""


class Estimate(NamedTuple):
    """A slope [d], its standard error [d], the variance [d] of one sample of it, how many samples
    there were, and what they took, in evaluations of the loss."""

    mean: Array
    error: Array
    variance: Array
    samples: int
    evaluations: float


class AbstractEstimator(abc.ABC):
    """Estimates the slope of E f(x + sigma z), z normal, with at most `budget` evaluations.

    `name` stands in tables. `order`: 0 for evaluations of the loss alone, 1 for gradients, None for
    both.
    """

    name: str
    order: int | None

    @abc.abstractmethod
    def estimate(
        self, of: Objective, x: Array, sigma: Array, budget: int, rng: np.random.Generator
    ) -> Estimate:
        """The slope [d] at x [d]; sigma [d], zero for what has no noise and gets no estimate."""
