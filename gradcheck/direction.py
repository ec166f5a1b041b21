"""Directions in which a loss is differentiated: coordinates, random ones, and named ones."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gradcheck.engine import Array
from gradcheck.tangent import Tangent
from gradcheck.testbed import Testbed


@dataclass(frozen=True, eq=False)
class Direction:
    """A tangent vector [size] over all inputs, in units of typical changes.

    A coordinate's vector is its input's `scale` along that coordinate. `scale` is the size of the
    unit step: that of the input, or 1 where the direction spans several.
    """

    label: str
    role: Literal["coordinate", "random", "named"]
    vector: Array
    scale: float
    input: str | None = None
    index: int | None = None


def chosen(size: int, cap: int) -> list[int]:
    """At most `cap` of `size` coordinates, spread evenly, with the first and the last."""
    if size <= cap:
        return list(range(size))
    return [int(i) for i in np.unique(np.linspace(0, size - 1, cap).round())]


def coordinates(tangent: Tangent, names: list[str], cap: int) -> list[Direction]:
    """One direction for each of at most `cap` coordinates of each of the inputs `names`."""
    out = []
    for one in tangent.inputs:
        if one.name not in names:
            continue
        labels = one.labels()
        for index in chosen(one.tangent_size, cap):
            vector = np.zeros(tangent.size)
            vector[tangent.parts[one.name].start + index] = one.scale
            out.append(Direction(labels[index], "coordinate", vector, one.scale, one.name, index))
    return out


def random(
    tangent: Tangent, names: list[str], count: int, rng: np.random.Generator
) -> list[Direction]:
    """`count` unit vectors in each input of more than one coordinate, and one through them all.

    Unit vectors are counted in typical changes, so that no input drowns another.
    """
    out = []
    for one in tangent.inputs:
        if one.name not in names or one.tangent_size < 2:
            continue
        for k in range(count):
            vector = np.zeros(tangent.size)
            vector[tangent.parts[one.name]] = one.scale * _unit(one.tangent_size, rng)
            out.append(
                Direction(f"{one.name}, random {k + 1}", "random", vector, one.scale, one.name)
            )
    return [*out, joint(tangent, names, rng)]


def joint(
    tangent: Tangent,
    names: list[str],
    rng: np.random.Generator,
    label: str = "all inputs, random",
) -> Direction:
    """One random unit vector, in typical changes, through all of the inputs `names`."""
    mask = np.zeros(tangent.size, bool)
    for name in names:
        mask[tangent.parts[name]] = True
    vector = np.zeros(tangent.size)
    vector[mask] = tangent.scales[mask] * _unit(int(mask.sum()), rng)
    return Direction(label, "random", vector, 1.0)


def named(testbed: Testbed, tangent: Tangent, names: list[str]) -> list[Direction]:
    """The testbed's own directions that move none but the inputs `names`.

    Each is scaled by the smallest `scale` of the inputs that it moves.
    """
    out = []
    for label, parts in testbed.directions.items():
        if set(parts) <= set(names):
            scale = min(testbed.input(name).scale for name in parts)
            vector = scale * tangent.vector(dict(parts))
            only = next(iter(parts)) if len(parts) == 1 else None
            out.append(Direction(label, "named", vector, scale, only))
    return out


def _unit(size: int, rng: np.random.Generator) -> Array:
    vector = rng.standard_normal(size)
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
