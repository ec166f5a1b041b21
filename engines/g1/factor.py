"""Solves (M + J^T D J) x = b by the tree: Featherstone's articulated bodies.

A contact with the ground and a body's inertia act alike on the body's twist, each by a symmetric
6 x 6 matrix; a limit and armature act alike on a joint. So the Newton Hessian has the mass
matrix's tree, and one pass from the leaves to the root factors it, one pass up and one down solve.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from gradcheck.engines.g1.algebra import Array, stage
from gradcheck.engines.g1.kinematics import Pose
from gradcheck.engines.g1.motion import Dofs, Spatial
from gradcheck.engines.g1.tree import Tree


class Motion(NamedTuple):
    """Columns in which the degrees of freedom move: joints [nf, 6, B], the root's [6, 6, B]."""

    joints: Array
    root: Array


class Factor(NamedTuple):
    """Of each level and of the root's six columns: U = I S and 1 / (S.U + diagonal)."""

    motion: Motion
    levels: tuple[tuple[Array, Array], ...]
    root: tuple[tuple[Array, Array], ...]


def columns(at: Pose, s: Spatial) -> Motion:
    """The columns at a pose."""
    joints = jnp.stack([*s.ang, *s.lin], 1)
    zero = jnp.zeros_like(at.root[0][0])
    one = jnp.ones_like(zero)
    rows = [[zero] * 3 + [one if i == j else zero for j in range(3)] for i in range(3)]
    rows += [[at.root[i][axis] for i in range(3)] + [zero] * 3 for axis in range(3)]
    return stage(Motion(joints, jnp.stack([jnp.concatenate(row) for row in rows])))


def factor(tree: Tree, motion: Motion, root: Array, frames: Array, diagonal: Dofs) -> Factor:
    """root [1, 6, 6, B], frames [nf, 6, 6, B]: the matrices of the bodies; diagonal: what adds to
    each degree of freedom."""
    batch = frames.shape[-1]
    rows = (tree.levels(motion.joints), tree.levels(frames), tree.levels(diagonal.joint))
    levels = []
    below: Array | None = None
    for level in reversed(range(len(tree.sizes))):
        column, own, more = (one[level] for one in rows)
        whole = own if below is None else own + below
        u, inverse = _pivot(whole, column, more)
        levels.append((u, inverse))
        below = stage(tree.to_parent(level, _less(whole, u, inverse)))
    whole = root if below is None else root + below
    base = []
    for index, more in enumerate([*diagonal.lin, *diagonal.ang]):
        column = motion.root[index][None]
        u, inverse = _pivot(whole, column, jnp.broadcast_to(more, (1, batch)))
        whole = stage(_less(whole, u, inverse))
        base.append((u, inverse))
    return Factor(motion, tuple(reversed(levels)), tuple(base))


def _pivot(whole: Array, column: Array, more: Array) -> tuple[Array, Array]:
    u = sum(whole[:, :, k] * column[:, None, k] for k in range(6))
    u = stage(u)
    return u, stage(1 / (_dot(u, column) + more))


def _less(whole: Array, u: Array, inverse: Array) -> Array:
    return whole - u[:, :, None] * (u * inverse[:, None])[:, None]


def _dot(a: Array, b: Array) -> Array:
    return sum((a[:, k] * b[:, k] for k in range(1, 6)), a[:, 0] * b[:, 0])


def solve(tree: Tree, made: Factor, b: Dofs) -> Dofs:
    """x of (M + J^T D J) x = b."""
    columns_, rights = tree.levels(made.motion.joints), tree.levels(b.joint)
    ups: list[Array] = [rights[0]] * len(tree.sizes) if rights else []
    pull: Array | None = None
    for level in reversed(range(len(tree.sizes))):
        u, inverse = made.levels[level]
        rest = rights[level] if pull is None else rights[level] - _dot(columns_[level], pull)
        up = stage(rest * inverse)
        ups[level] = up
        moved = u * up[:, None]
        pull = stage(tree.to_parent(level, moved if pull is None else pull + moved))
    if pull is None:
        pull = jnp.zeros((1, 6, b.joint.shape[-1]), b.joint.dtype)
    base = []
    for index, right in enumerate([*b.lin, *b.ang]):
        u, inverse = made.root[index]
        up = (right - _dot(made.motion.root[index][None], pull)) * inverse
        pull = stage(pull + u * up[:, None])
        base.append(up)
    moving = jnp.zeros_like(pull)
    for index in reversed(range(6)):
        u, inverse = made.root[index]
        base[index] = base[index] - _dot(u, moving) * inverse
        moving = stage(moving + made.motion.root[index][None] * base[index][:, None])
    joints = []
    for level, (u, inverse) in enumerate(made.levels):
        above = tree.from_parent(level, moving)
        x = stage(ups[level] - _dot(u, above) * inverse)
        moving = stage(above + columns_[level] * x[:, None])
        joints.append(x)
    joint = jnp.concatenate(joints) if joints else b.joint
    return Dofs((base[0], base[1], base[2]), (base[3], base[4], base[5]), joint)


def at_frames(choice: Array, blocks: Array) -> Array:
    """Matrices [F, 6, 6, B] of some frames as rows [nf, 6, 6, B]; choice [nf, F]."""
    flat = blocks.reshape(blocks.shape[0], -1)
    spread = jnp.matmul(choice, flat, precision=jax.lax.Precision.HIGHEST)
    return spread.reshape(choice.shape[0], *blocks.shape[1:])
