"""Where the frames stand, and the directions in which the degrees of freedom move them."""

import functools
from typing import NamedTuple

import jax
import jax.numpy as jnp
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
    summed,
    transpose,
)
from gradcheck.engines.g1.motion import Dofs, Spatial, mixed, plus, times
from gradcheck.engines.g1.structure import Structure

Quaternion = tuple[Array, Array, Array, Array]


class Pose(NamedTuple):
    """Where the robot stands.

    origin: 3 x [1, B], the root's origin in the world, m; root: its rotation, 9 x [1, B];
    mat, pos: rotation 9 x [nf, B] and position 3 x [nf, B] of the other frames in world axes, pos
    from the root's origin; joint [nf, B]: angles (rad) and lengths (m).
    """

    origin: Vector
    root: Matrix
    mat: Matrix
    pos: Vector
    joint: Array


def pose(structure: Structure, origin: Vector, quaternion: Quaternion, joint: Array) -> Pose:
    """The robot's pose. The quaternion (w, x, y, z), 4 x [1, B], is normalised here, as MuJoCo
    does."""
    root, mat, pos = frames(structure, quaternion, joint)
    return Pose(origin, root, mat, pos, joint)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def frames(
    structure: Structure, quaternion: Quaternion, joint: Array
) -> tuple[Matrix, Matrix, Vector]:
    """Rotation of the root; rotation and position (from the root's origin) of the frames.

    Only this goes from level to level. Its derivative does not: a joint turns and shifts all that
    is below it as one rigid body, so the tangent is a sum over the joints above.
    """
    root = rotation(quaternion)
    tree = structure.tree
    if not tree.count:
        empty = jnp.zeros((0, root[0][0].shape[1]), joint.dtype)
        return root, ((empty,) * 3,) * 3, (empty,) * 3
    local, offset = _local(structure, joint)
    anchors = numbers(structure.anchor, joint)
    mat = jnp.stack([jnp.stack(row, 1) for row in root], 1)
    pos = jnp.zeros_like(mat[:, 0])
    mats, places = [], []
    rows = tree.by_run(local), tree.by_run(offset), tree.by_run(anchors)
    for (level, _), turn, move, anchor in zip(tree.runs, *rows, strict=True):
        above = stage((tree.from_parent(level, mat), tree.from_parent(level, pos)))
        (mat, pos), (turned, moved) = jax.lax.scan(_below, above, (turn, move, anchor))
        mats.append(turned)
        places.append(moved)
    all_mats, all_places = tree.joined(mats), tree.joined(places)
    x, y, z = (components(all_mats[:, row]) for row in range(3))
    return root, (x, y, z), components(all_places)


def _below(
    above: tuple[Array, Array], level: tuple[Array, Array, Array]
) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """Rotations and positions of a level, of those of the level above."""
    (mat, at), (turn, move, anchor) = above, level
    new = stage(summed(mat[:, :, k, None] * turn[:, None, k] for k in range(3)))
    pos = at + summed(mat[:, :, k] * move[:, None, k] for k in range(3))
    pos = stage(pos - summed(new[:, :, k] * anchor[:, None, k] for k in range(3)))
    return (new, pos), (new, pos)


@frames.defjvp
def _frames_jvp(
    structure: Structure,
    primals: tuple[Quaternion, Array],
    tangents: tuple[Quaternion, Array],
) -> tuple[tuple[Matrix, Matrix, Vector], tuple[Matrix, Matrix, Vector]]:
    root, mat, pos = out = stage(frames(structure, *primals))
    turn = multiply(root, _body_rate(primals[0], tangents[0]))
    still = jnp.zeros_like(turn[0])
    shift = times(tangents[1], directions(structure, mat, pos))
    change = down(structure, Spatial(turn, (still, still, still)), shift)
    moves = add(cross(change.ang, pos), change.lin)
    return out, (_turned(root, turn), _turned(mat, change.ang), moves)


def _turned(mat: Matrix, turn: Vector) -> Matrix:
    """Rate of a rotation matrix whose frame turns by `turn`."""
    x, y, z = (cross(turn, column) for column in transpose(mat))
    return transpose((x, y, z))


def _body_rate(q: Quaternion, rate: Quaternion) -> Vector:
    """The turn in body axes that a change of the quaternion makes; along q there is none."""
    w, v = q[0], (q[1], q[2], q[3])
    dv = (rate[1], rate[2], rate[3])
    turn = sub(sub(scale(w, dv), scale(rate[0], v)), cross(v, dv))
    return scale(2.0 / (w * w + dot(v, v)), turn)


def rotation(q: Quaternion) -> Matrix:
    """Rotation matrix of a quaternion (w, x, y, z) of any length."""
    length = jnp.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    w, x, y, z = (part / length for part in q)
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def _local(structure: Structure, joint: Array) -> tuple[Array, Array]:
    """Rotation [nf, 3, 3, B] of each frame in the one above, and where the joint's anchor stands
    there [nf, 3, B]. A hinge turns by 1 + sin q [a] + (1 - cos q) [a]^2 (Rodrigues)."""
    fixed, axis = structure.fixed_mat, structure.axis
    if np.any(structure.reference):
        joint = joint - numbers(structure.reference, joint)
    skew = np.cross(np.eye(3), axis[:, None, :]) * structure.hinge[:, None, None]
    turns = [numbers(term, joint) for term in (fixed, fixed @ skew, fixed @ skew @ skew)]
    sin, cos = jnp.sin(joint)[:, None, None], jnp.cos(joint)[:, None, None]
    local = turns[0] + sin * turns[1] + (1 - cos) * turns[2]
    anchors = structure.fixed_pos + np.einsum("nij,nj->ni", fixed, structure.anchor)
    slides = np.einsum("nij,nj->ni", fixed, axis) * (1 - structure.hinge)[:, None]
    move = numbers(anchors, joint) + numbers(slides, joint) * joint[:, None]
    return stage(local), stage(move)


def directions(structure: Structure, mat: Matrix, pos: Vector) -> Spatial:
    """S: the twist of what is below each joint at unit speed of the joint, 6 x [nf, B]."""
    like = pos[0]
    axis = multiply(mat, components(numbers(structure.axis, like)))
    anchor = pos
    if np.any(structure.anchor):
        anchor = add(pos, multiply(mat, components(numbers(structure.anchor, like))))
    moment = cross(anchor, axis)
    if np.all(structure.hinge):
        return Spatial(axis, moment)
    hinge = numbers(structure.hinge, like)
    return Spatial(scale(hinge, axis), add(scale(hinge, moment), scale(1 - hinge, axis)))


def down(structure: Structure, root: Spatial, x: Spatial) -> Spatial:
    """`root`, and the sum over each frame's own joint and those above it."""
    count = structure.tree.count
    lowest = mixed(np.ones((count, 1)), root)
    return plus(lowest, mixed(structure.tree.down, x))


def up(structure: Structure, f: Spatial) -> Spatial:
    """Sum over each frame and all below it."""
    return mixed(structure.tree.down.T, f)


def root_twist(at: Pose, v: Dofs) -> Spatial:
    """The root's twist, 6 x [1, B]."""
    return Spatial(multiply(at.root, v.ang), v.lin)


def twists(structure: Structure, at: Pose, s: Spatial, v: Dofs) -> tuple[Spatial, Spatial]:
    """Twists of the root and of the frames, by velocities (or anything linear like them)."""
    root = root_twist(at, v)
    return root, down(structure, root, times(v.joint, s))


def project(at: Pose, s: Spatial, total: Spatial, below: Spatial) -> Dofs:
    """Generalised forces of wrenches: `total` on the whole robot, `below` on each frame and what
    is below it."""
    joint = dot(s.ang, below.ang) + dot(s.lin, below.lin)
    return Dofs(total.lin, multiply(transpose(at.root), total.ang), joint)
