"""Contact of spheres and capsule ends with planes: distance, point, frame."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from gradcheck.engines.g1.algebra import (
    Array,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    mix,
    multiply,
    scale,
    stage,
    sub,
)
from gradcheck.engines.g1.kinematics import Pose
from gradcheck.engines.g1.motion import Spatial
from gradcheck.engines.g1.structure import Points, Structure


class Contact(NamedTuple):
    """Of one group of points, [F, P, B]: the distance (m, negative inside the plane); the point
    half-way between the surfaces, from the root's origin; the frame's normal [F, P, 1] and
    tangents."""

    dist: Array
    pos: Vector
    normal: Vector
    tangent: Vector
    other: Vector


def fixed(values: np.ndarray, like: Array) -> Array:
    """Numbers of points [F, P] beside a batch: [F, P, 1]."""
    return jnp.asarray(values, like.dtype)[..., None]


def fixed_vector(values: np.ndarray, like: Array) -> Vector:
    """Vectors of points [F, P, 3] beside a batch: 3 x [F, P, 1]."""
    return fixed(values[..., 0], like), fixed(values[..., 1], like), fixed(values[..., 2], like)


def chosen(structure: Structure, points: Points, root: Array, rest: Array) -> Array:
    """Rows of the points' frames [F, B], of root [1, B] and the other frames [nf, B]."""
    choice, base = choice_of(structure, points)
    out = mix(jnp.asarray(choice, rest.dtype), rest)
    if np.any(base):
        out = out + jnp.asarray(base, rest.dtype) * root
    return out


def choice_of(structure: Structure, points: Points) -> tuple[np.ndarray, np.ndarray]:
    """[F, nf] and [F, 1]: 1 where a row is this frame, and where it is the root."""
    frames = points.frames[:, None]
    choice = (frames == np.arange(1, structure.tree.count + 1)).astype(float)
    return choice, (frames == 0).astype(float)


def chosen_vector(structure: Structure, points: Points, root: Vector, rest: Vector) -> Vector:
    """`chosen` of each component."""
    x, y, z = (chosen(structure, points, a, b) for a, b in zip(root, rest, strict=True))
    return x, y, z


def chosen_spatial(structure: Structure, points: Points, root: Spatial, rest: Spatial) -> Spatial:
    """`chosen` of twists."""
    return Spatial(
        chosen_vector(structure, points, root.ang, rest.ang),
        chosen_vector(structure, points, root.lin, rest.lin),
    )


def contact(structure: Structure, points: Points, at: Pose) -> Contact:
    """The contacts of one group of points."""
    still = tuple(jnp.zeros_like(part) for part in at.origin)
    place: Vector = chosen_vector(structure, points, still, at.pos)  # type: ignore[arg-type]
    mat: Matrix = tuple(  # type: ignore[assignment]
        chosen_vector(structure, points, a, b) for a, b in zip(at.root, at.mat, strict=True)
    )
    wide: Matrix = tuple(tuple(part[:, None] for part in row) for row in stage(mat))  # type: ignore[assignment]
    shift: Vector = tuple(part[:, None] for part in place)  # type: ignore[assignment]
    like = at.origin[0]
    normal = fixed_vector(points.normal, like)
    centre = add(shift, multiply(wide, fixed_vector(points.place, like)))
    height = dot(normal, add(at.origin, centre))
    dist = height - fixed(points.offset + points.radius, like)
    depth = fixed(points.radius, like) + 0.5 * dist
    pos = sub(centre, scale(depth, normal))
    tangent, other = _tangents(points, wide, normal)
    return Contact(dist, stage(pos), normal, tangent, other)


def _tangents(points: Points, mat: Matrix, normal: Vector) -> tuple[Vector, Vector]:
    """A capsule's first tangent lies along its axis; upright, and for a sphere, it is fixed."""
    like = mat[0][0]
    spare = fixed_vector(points.tangent, like)
    if not np.any(points.axis):
        return spare, cross(normal, spare)
    axis = multiply(mat, fixed_vector(points.axis, like))
    along = sub(axis, scale(dot(normal, axis), normal))
    square = dot(along, along)
    # mjc_PlaneCapsule: shorter than 0.5 means closer to the normal than 30 degrees
    lies = square >= 0.25
    length = jnp.sqrt(jnp.where(lies, square, 1.0))
    tangent: Vector = tuple(  # type: ignore[assignment]
        jnp.where(lies, a / length, b) for a, b in zip(along, spare, strict=True)
    )
    tangent = stage(tangent)
    return tangent, stage(cross(normal, tangent))
