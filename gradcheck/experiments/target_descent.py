"""Adam on many fits at once, each within a box. Kingma and Ba, arXiv 1412.6980, algorithm 1."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import Array

HELD = 0.25
"""The part of the updates whose step is the first one; from there to the last it falls evenly."""
MOMENTUM, MEMORY = 0.9, 0.95
# Where a gradient is zero its mean and its size are: a step of nothing.
LEAST = 1e-300


@dataclass(frozen=True)
class Descent:
    """Where n fits of d parameters came to: x [n, d], losses [n] and gradients [n, d] at the start
    and there; alive [n]: losses and gradients were finite throughout."""

    x: Array
    losses: tuple[Array, Array]
    slopes: tuple[Array, Array]
    alive: NDArray[np.bool_]


def descend(
    ask: Callable[[Array], tuple[Array, Array]],
    start: Array,
    low: Array,
    high: Array,
    updates: int,
    steps: tuple[float, float],
    told: Callable[[int], None] = lambda update: None,
) -> Descent:
    """ask(x [n, d]) -> losses [n], gradients [n, d]; low and high [d]; steps: first and last."""
    x = np.array(start)
    mean, size = np.zeros_like(x), np.zeros_like(x)
    losses, slopes = first = ask(x)
    alive = np.isfinite(losses) & np.isfinite(slopes).all(1)
    for update in range(updates):
        told(update)
        # A fit that was lost stays where it is; its own numbers reach no other.
        slope = np.where(alive[:, None], slopes, 0.0)
        # Gradients of 1e200 are finite and their squares are not.
        with np.errstate(over="ignore"):
            mean = MOMENTUM * mean + (1 - MOMENTUM) * slope
            size = MEMORY * size + (1 - MEMORY) * slope**2
        ahead = mean / (1 - MOMENTUM ** (update + 1))
        width = np.sqrt(size / (1 - MEMORY ** (update + 1)))
        move = length(update, updates, steps) * ahead / (width + LEAST)
        x = np.clip(x - np.where(alive[:, None], move, 0.0), low, high)
        losses, slopes = ask(x)
        alive = alive & np.isfinite(losses) & np.isfinite(slopes).all(1)
    return Descent(x, (first[0], losses), (first[1], slopes), alive)


def length(update: int, updates: int, steps: tuple[float, float]) -> float:
    """Of the step at an update."""
    done = update / max(updates - 1, 1)
    first, last = steps
    return float(first * (last / first) ** max(0.0, (done - HELD) / (1 - HELD)))
