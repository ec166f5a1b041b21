"""The robot's tree of frames, in the order in which the simulator holds it.

A frame is a body's, as it stands after one of its joints. Frame 0 is the root's; the others are
numbered from its children downwards, level by level, so that a level is one run of rows.
"""

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from gradcheck.engines.g1.algebra import Array

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tree:
    """sizes[l]: frames of level l (without the root); parents[l]: their parents' places in the
    level above (level 0: all 0, the root); down [nf, nf]: 1 where frame j is i or above it."""

    sizes: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]
    down: Floats

    @property
    def count(self) -> int:
        """nf, the frames without the root: one for each hinge or slide."""
        return sum(self.sizes)

    @functools.cached_property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """First level and number of levels of each run: levels of one size, in each of which
        every frame has one child in the next. A run is a loop, compiled once."""
        found: list[tuple[int, int]] = []
        for level, parents in enumerate(self.parents):
            straight = level > 0 and parents == tuple(range(self.sizes[level - 1]))
            if straight:
                found[-1] = (found[-1][0], found[-1][1] + 1)
            else:
                found.append((level, 1))
        return tuple(found)

    def by_run(self, x: Array) -> list[Array]:
        """Rows [nf, ...] as one array [levels, frames of a level, ...] a run."""
        if not self.sizes:
            return []
        shapes = [(count, self.sizes[first]) for first, count in self.runs]
        parts = jax.lax.split(x, [count * size for count, size in shapes], axis=0)
        return [
            part.reshape(*shape, *x.shape[1:]) for part, shape in zip(parts, shapes, strict=True)
        ]

    def joined(self, runs: list[Array]) -> Array:
        """The inverse of `by_run`."""
        return jnp.concatenate([run.reshape(-1, *run.shape[2:]) for run in runs])

    def from_parent(self, level: int, x: Array) -> Array:
        """Rows of the level above, one for each frame of this level."""
        parents = self.parents[level]
        if x.shape[0] == 1:
            return jnp.broadcast_to(x, (len(parents), *x.shape[1:]))
        rows = jax.lax.split(x, [1] * x.shape[0], axis=0)
        return jnp.concatenate([rows[parent] for parent in parents])

    def to_parent(self, level: int, x: Array) -> Array:
        """Sum over the children in this level, one row for each frame of the level above."""
        above = self.sizes[level - 1] if level else 1
        parents = self.parents[level]
        rows = jax.lax.split(x, [1] * x.shape[0], axis=0)
        sums = []
        for parent in range(above):
            children = [row for row, at in zip(rows, parents, strict=True) if at == parent]
            sums.append(sum(children[1:], children[0]) if children else jnp.zeros_like(rows[0]))
        return jnp.concatenate(sums)


def grow(parents: list[int]) -> tuple[Tree, list[int]]:
    """The tree of frames given by parents[i] < i (-1: the root), and the order of its rows.

    In a level, children of one parent stand together and those with the longest branch below come
    first, so that most levels hand rows on as they are.
    """
    height = [0] * len(parents)
    for child in reversed(range(len(parents))):
        if parents[child] >= 0:
            height[parents[child]] = max(height[parents[child]], height[child] + 1)
    order: list[int] = []
    sizes, places = [], []
    level = [-1]
    while True:
        below = [
            (place, -height[child], child)
            for place, parent in enumerate(level)
            for child in range(len(parents))
            if parents[child] == parent
        ]
        if not below:
            break
        below.sort()
        level = [child for _, _, child in below]
        order += level
        sizes.append(len(below))
        places.append(tuple(place for place, _, _ in below))
    rank = {child: row for row, child in enumerate(order)}
    down = np.eye(len(order))
    for row, child in enumerate(order):
        if parents[child] >= 0:
            down[row] += down[rank[parents[child]]]
    return Tree(tuple(sizes), tuple(places), down), order
