"""Solves (M + J^T D J) x = b by the tree: Featherstone's articulated bodies.

A contact with the ground and a body's inertia act alike on the body's twist, each by a symmetric
6 x 6 matrix; a limit and armature act alike on a joint. So the Newton Hessian has the mass
matrix's tree, and one pass from the leaves to the root factors it, one pass up and one down solve.
The root's own 6 x 6 matrix is inverted.
"""

from typing import NamedTuple, TypeAlias

import jax
import jax.numpy as jnp

from gradcheck.engines.g1.algebra import (
    Array,
    Matrix,
    dot,
    multiply,
    stage,
    summed,
    transpose,
)
from gradcheck.engines.g1.kinematics import Pose
from gradcheck.engines.g1.motion import Dofs, Spatial
from gradcheck.engines.g1.tree import Tree

# U = I S and 1 / (S.U + diagonal), of the frames of a level or of the levels of a run.
Pivots: TypeAlias = tuple[Array, Array]


class Factor(NamedTuple):
    """The columns S and the pivots of each run of levels; the root's rotation, and the inverse
    [6, 6, B] of what its twist meets."""

    joints: list[Array]
    runs: tuple[Pivots, ...]
    turn: Matrix
    root: Array


def columns(s: Spatial) -> Array:
    """S as [nf, 6, B]."""
    return stage(jnp.stack([*s.ang, *s.lin], 1))


def factor(
    tree: Tree,
    at: Pose,
    joints: list[Array],
    root: Array,
    frames: list[Array],
    diagonal: Dofs,
) -> Factor:
    """By runs of levels, joints: the columns S, and frames: the bodies' matrices, [levels, frames
    of a level, 6, (6,) B]; root [1, 6, 6, B]; diagonal: what adds to each degree of freedom."""
    rows = zip(tree.runs, joints, frames, tree.by_run(diagonal.joint), strict=True)
    runs = []
    below = jnp.zeros((tree.sizes[-1] if tree.sizes else 1, *root.shape[1:]), root.dtype)
    for (level, _), column, own, more in reversed(list(rows)):
        left, pivots = jax.lax.scan(_eliminate, below, (column, own, more), reverse=True)
        runs.append(pivots)
        below = stage(tree.to_parent(level, left))
    whole = root + below
    return Factor(joints, tuple(reversed(runs)), at.root, _inverse(whole[0] + _own(at, diagonal)))


def _eliminate(below: Array, level: tuple[Array, Array, Array]) -> tuple[Array, Pivots]:
    """One level: what is left for the level above, and the pivots."""
    column, own, more = level
    whole = stage(own + below)
    u = stage(summed(whole[:, :, k] * column[:, None, k] for k in range(6)))
    inverse = stage(1 / (_dot(u, column) + more))
    return whole - u[:, :, None] * (u * inverse[:, None])[:, None], (u, inverse)


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
    return summed(a[:, k] * b[:, k] for k in range(6))


def solve(tree: Tree, made: Factor, b: Dofs) -> Dofs:
    """x of (M + J^T D J) x = b."""
    runs = list(zip(tree.runs, made.joints, made.runs, strict=True))
    rights = tree.by_run(b.joint)
    wrench = stage(jnp.concatenate([*multiply(made.turn, b.ang), *b.lin])[None])
    ups = []
    pull = jnp.zeros((tree.sizes[-1] if tree.sizes else 1, *wrench.shape[1:]), wrench.dtype)
    for ((level, _), columns_, pivots), right in reversed(list(zip(runs, rights, strict=True))):
        left, up = jax.lax.scan(_rise, pull, (columns_, pivots, right), reverse=True)
        ups.append(up)
        pull = stage(tree.to_parent(level, left))
    wrench = stage(wrench - pull)
    moving = stage(summed(made.root[None, :, k] * wrench[:, None, k] for k in range(6)))
    base = jax.lax.split(moving[0], [1] * 6, axis=0)
    joints = []
    for ((level, _), columns_, pivots), up in zip(runs, reversed(ups), strict=True):
        above = stage(tree.from_parent(level, moving))
        moving, x = jax.lax.scan(_sink, above, (columns_, pivots, up))
        joints.append(x)
    joint = tree.joined(joints) if joints else b.joint
    ang = multiply(transpose(made.turn), (base[0], base[1], base[2]))
    return stage(Dofs((base[3], base[4], base[5]), ang, joint))


def _rise(pull: Array, level: tuple[Array, Pivots, Array]) -> tuple[Array, Array]:
    column, (u, inverse), right = level
    up = stage((right - _dot(column, pull)) * inverse)
    return pull + u * up[:, None], up


def _sink(above: Array, level: tuple[Array, Pivots, Array]) -> tuple[Array, Array]:
    column, (u, inverse), up = level
    x = stage(up - _dot(u, above) * inverse)
    return above + column * x[:, None], x
