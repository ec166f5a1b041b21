"""Contact of spheres and capsule ends with planes: distance, point, frame."""

from typing import NamedTuple

import jax.numpy as jnp
import mujoco
import numpy as np

from gradcheck.engines.g1.algebra import (
    Array,
    Matrix,
    Vector,
    add,
    components,
    cross,
    dot,
    multiply,
    numbers,
    scale,
    stage,
    sub,
)
from gradcheck.engines.g1.kinematics import Pose
from gradcheck.engines.g1.mixing import mix_each, spread
from gradcheck.engines.g1.structure import Points, Structure


class Contact(NamedTuple):
    """Of all points, [N, B]: the distance (m, negative inside the plane); the point half-way
    between the surfaces, from the root's origin; the frame's normal [N, 1] and tangents."""

    dist: Array
    pos: Vector
    normal: Vector
    tangent: Vector
    other: Vector


def of_frames(structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """[F, nf] and [F, 1]: 1 where a frame with contact points is this frame, or the root."""
    frames = structure.points.frames[:, None]
    choice = (frames == np.arange(1, structure.tree.count + 1)).astype(float)
    return choice, (frames == 0).astype(float)


def at_points(
    structure: Structure, root: tuple[Array, ...], rest: tuple[Array, ...]
) -> tuple[Array, ...]:
    """Rows of the points' frames, [N, B] each, of root [1, B] and the other frames [nf, B]."""
    choice, base = of_frames(structure)
    few = mix_each(choice, *rest)
    if np.any(base):
        own = mix_each(base, *root)
        few = tuple(x + y for x, y in zip(few, own, strict=True))
    return mix_each(structure.points.member, *few)


def contact(structure: Structure, at: Pose) -> Contact:
    """The contacts at a pose."""
    points = structure.points
    like = at.origin[0]
    still = (jnp.zeros_like(like),) * 3
    origin = spread(at.origin, len(points.pair))
    rows = at_points(
        structure,
        (*at.root[0], *at.root[1], *at.root[2], *still),
        (*at.mat[0], *at.mat[1], *at.mat[2], *at.pos),
    )
    mat: Matrix = (rows[0:3], rows[3:6], rows[6:9])  # type: ignore[assignment]
    normal = components(numbers(points.normal, like))
    centre = add(rows[9:12], multiply(mat, components(numbers(points.place, like))))  # type: ignore[arg-type]
    height = dot(normal, add(origin, centre))
    dist = height - numbers(points.offset + points.radius, like)
    depth = numbers(points.radius, like) + 0.5 * dist
    pos = sub(centre, scale(depth, normal))
    tangent, other = _tangents(points, mat, normal)
    return stage(Contact(dist, pos, normal, tangent, other))


def _tangents(points: Points, mat: Matrix, normal: Vector) -> tuple[Vector, Vector]:
    """A capsule's first tangent is its axis, projected; exactly upright, and for a sphere, it is
    fixed."""
    like = mat[0][0]
    spare = components(numbers(points.tangent, like))
    if not np.any(points.axis):
        return spare, cross(normal, spare)
    axis = multiply(mat, components(numbers(points.axis, like)))
    along = sub(axis, scale(dot(normal, axis), normal))
    square = dot(along, along)
    # mju_normalize3 gives up below this length. (MJX takes a fixed tangent within 30 degrees of
    # the normal; C MuJoCo does not.)
    lies = square >= mujoco.mjMINVAL**2
    length = jnp.sqrt(jnp.where(lies, square, 1.0))
    tangent: Vector = tuple(  # type: ignore[assignment]
        jnp.where(lies, a / length, b) for a, b in zip(along, spare, strict=True)
    )
    tangent = stage(tangent)
    return tangent, cross(normal, tangent)
