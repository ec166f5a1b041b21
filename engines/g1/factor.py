"""Solves (M + J^T D J) x = b by the tree: Featherstone's articulated bodies.

A contact with the ground and a body's inertia act alike on the body's twist, each by a symmetric
6 x 6 matrix; a limit and armature act alike on a joint. So the Newton Hessian has the mass
matrix's tree, and one pass from the leaves to the root factors it, one pass up and one down solve.
The root's own 6 x 6 matrix is inverted.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from gradcheck.engines.g1.algebra import (
    Array,
    Matrix,
    dot,
    multiply,
    stage,
    transpose,
)
from gradcheck.engines.g1.kinematics import Pose
from gradcheck.engines.g1.motion import Dofs, Spatial
from gradcheck.engines.g1.tree import Tree


class Factor(NamedTuple):
    """joints [nf, 6, B]: the columns S; of each level U = I S and 1 / (S.U + diagonal); the root's
    rotation, and the inverse [6, 6, B] of what its twist meets."""

    joints: Array
    levels: tuple[tuple[Array, Array], ...]
    turn: Matrix
    root: Array


def columns(s: Spatial) -> Array:
    """S as [nf, 6, B]."""
    return stage(jnp.stack([*s.ang, *s.lin], 1))


def factor(
    tree: Tree, at: Pose, joints: Array, root: Array, frames: Array, diagonal: Dofs
) -> Factor:
    """root [1, 6, 6, B], frames [nf, 6, 6, B]: the matrices of the bodies; diagonal: what adds to
    each degree of freedom."""
    rows = (tree.levels(joints), tree.levels(frames), tree.levels(diagonal.joint))
    levels = []
    below: Array | None = None
    for level in reversed(range(len(tree.sizes))):
        column, own, more = (one[level] for one in rows)
        whole = own if below is None else stage(own + below)
        u = stage(sum(whole[:, :, k] * column[:, None, k] for k in range(6)))
        inverse = stage(1 / (_dot(u, column) + more))
        levels.append((u, inverse))
        rest = whole - u[:, :, None] * (u * inverse[:, None])[:, None]
        below = stage(tree.to_parent(level, rest))
    whole = root if below is None else root + below
    return Factor(joints, tuple(reversed(levels)), at.root, _inverse(whole[0] + _own(at, diagonal)))


def _own(at: Pose, diagonal: Dofs) -> Array:
    """The root's own diagonal, of its translation in world and its rotation in body axes, as it
    meets its twist, [6, 6, B]."""
    rows = [[d * r for d, r in zip(diagonal.ang, row, strict=True)] for row in at.root]
    zero = jnp.zeros_like(at.root[0][0])
    entries = [[zero] * 6 for _ in range(6)]
    for i in range(3):
        entries[3 + i][3 + i] = zero + diagonal.lin[i]
        for j in range(3):
            entries[i][j] = dot(tuple(rows[i]), at.root[j])  # type: ignore[arg-type]
    return jnp.concatenate([entry for row in entries for entry in row]).reshape(6, 6, -1)


def _inverse(matrix: Array) -> Array:
    """Of symmetric positive definite matrices [6, 6, B], by Gauss and Jordan in place."""
    for k in range(6):
        pivot = 1 / matrix[k, k]
        row, column = matrix[k] * pivot, matrix[:, k]
        at = jnp.arange(6) == k
        fresh = matrix - column[:, None] * row[None]
        fresh = jnp.where(at[:, None, None], row[None], fresh)
        fresh = jnp.where(at[None, :, None], -column[:, None] * pivot, fresh)
        matrix = stage(jnp.where(at[:, None, None] & at[None, :, None], pivot, fresh))
    return matrix


def _dot(a: Array, b: Array) -> Array:
    return sum((a[:, k] * b[:, k] for k in range(1, 6)), a[:, 0] * b[:, 0])


def solve(tree: Tree, made: Factor, b: Dofs) -> Dofs:
    """x of (M + J^T D J) x = b."""
    columns_, rights = tree.levels(made.joints), tree.levels(b.joint)
    ups: list[Array] = [rights[0]] * len(tree.sizes) if rights else []
    wrench = jnp.concatenate([*multiply(made.turn, b.ang), *b.lin])[None]
    pull: Array | None = None
    for level in reversed(range(len(tree.sizes))):
        u, inverse = made.levels[level]
        rest = rights[level] if pull is None else rights[level] - _dot(columns_[level], pull)
        ups[level] = stage(rest * inverse)
        moved = u * ups[level][:, None]
        pull = stage(tree.to_parent(level, moved if pull is None else pull + moved))
    if pull is not None:
        wrench = stage(wrench - pull)
    moving = stage(sum(made.root[None, :, k] * wrench[:, None, k] for k in range(6)))
    base = jax.lax.split(moving[0], [1] * 6, axis=0)
    joints = []
    for level, (u, inverse) in enumerate(made.levels):
        above = tree.from_parent(level, moving)
        x = stage(ups[level] - _dot(u, above) * inverse)
        moving = above + columns_[level] * x[:, None]
        if level + 1 < len(made.levels):
            moving = stage(moving)
        joints.append(x)
    joint = jnp.concatenate(joints) if joints else b.joint
    ang = multiply(transpose(made.turn), (base[0], base[1], base[2]))
    return stage(Dofs((base[3], base[4], base[5]), ang, joint))


def at_frames(choice: Array, blocks: Array) -> Array:
    """Matrices [F, 6, 6, B] of some frames as rows [nf, 6, 6, B]; choice [nf, F]."""
    flat = blocks.reshape(blocks.shape[0], -1)
    spread = jnp.matmul(choice, flat, precision=jax.lax.Precision.HIGHEST)
    return spread.reshape(choice.shape[0], *blocks.shape[1:])
