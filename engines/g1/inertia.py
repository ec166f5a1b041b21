"""Rigid-body inertias in world axes, and the mass matrix."""

import jax.numpy as jnp
import numpy as np

from gradcheck.engines.g1.algebra import (
    Array,
    Matrix,
    Symmetric,
    Vector,
    add,
    dot,
    multiply,
    scale,
    symmetric,
)
from gradcheck.engines.g1.kinematics import Pose, up
from gradcheck.engines.g1.mixing import mix
from gradcheck.engines.g1.motion import Inertia, Spatial, momentum
from gradcheck.engines.g1.structure import Structure

PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def inertias(structure: Structure, mass: Array, at: Pose) -> tuple[Inertia, Inertia]:
    """Of the root and of the frames, about the root's origin; `mass` is body_mass [nbody, 1|B]."""
    root, rest = (
        _own(structure, mass, [0]),
        _own(structure, mass, range(1, structure.tree.count + 1)),
    )
    turned = _turned(at.root, root)
    return turned, _shifted(_turned(at.mat, rest), at.pos)


def _own(structure: Structure, mass: Array, frames: "list[int] | range") -> Inertia:
    """Of all bodies that stand in a frame, in its axes about its origin."""
    of = np.array([place.frame for place in structure.bodies])
    member = (of[None, :] == np.array(list(frames), dtype=int)[:, None]).astype(float)
    com, inertia = structure.bodies_com, structure.bodies_inertia

    def weigh(factors: np.ndarray) -> Array:
        return mix(member * factors, mass)

    square = np.sum(com * com, 1)
    second = [
        weigh((square if i == j else 0.0) - com[:, i] * com[:, j])
        + jnp.asarray(member @ inertia[:, i, j], mass.dtype)[:, None]
        for i, j in PLACES
    ]
    first = weigh(com[:, 0]), weigh(com[:, 1]), weigh(com[:, 2])
    return Inertia(weigh(np.ones(len(of))), first, tuple(second))  # type: ignore[arg-type]


def _turned(mat: Matrix, own: Inertia) -> Inertia:
    """In world axes, about the frame's origin: R I R^T."""
    rows = [symmetric(own.second, row) for row in mat]
    second = tuple(dot(rows[i], mat[j]) for i, j in PLACES)
    return Inertia(own.mass, multiply(mat, own.first), second)  # type: ignore[arg-type]


def _shifted(own: Inertia, pos: Vector) -> Inertia:
    """About a point that is `pos` away from the frame's origin (parallel axes)."""
    # m (p.p 1 - p p^T) + 2 p.h 1 - p h^T - h p^T, with u = m p + 2 h in place of two of its terms
    half = add(scale(own.mass, pos), own.first)
    square = dot(pos, add(half, own.first))
    second = []
    for (i, j), about in zip(PLACES, own.second, strict=True):
        term = about - pos[i] * half[j] - own.first[i] * pos[j]
        second.append(term + square if i == j else term)
    return Inertia(own.mass, half, tuple(second))  # type: ignore[arg-type]


def six_by_six(one: Inertia) -> Array:
    """[n, 6, 6, B], torque and force above, rotation and translation beside."""
    xx, yy, zz, xy, xz, yz = one.second
    hx, hy, hz = one.first
    m = jnp.broadcast_to(one.mass, hx.shape)
    o = jnp.zeros_like(hx)
    rows = [
        [xx, xy, xz, o, -hz, hy],
        [xy, yy, yz, hz, o, -hx],
        [xz, yz, zz, -hy, hx, o],
        [o, hz, -hy, m, o, o],
        [-hz, o, hx, o, m, o],
        [hy, -hx, o, o, o, m],
    ]
    return jnp.stack([entry for row in rows for entry in row], 1).reshape(
        len(hx), 6, 6, hx.shape[1]
    )


def mass_matrix(
    structure: Structure, at: Pose, s: Spatial, root: Inertia, rest: Inertia, armature: Array
) -> Array:
    """qM [nv, nv, B] in the order root, frames, by composite rigid bodies (Featherstone 2008,
    section 6.2). armature [nv, 1|B]. To look at: the simulator itself needs no matrix."""
    n, batch = structure.tree.count, at.origin[0].shape[1]
    composite = _composite(structure, rest)
    whole = Inertia(
        root.mass + rest.mass.sum(0, keepdims=True),
        tuple(a + b.sum(0, keepdims=True) for a, b in zip(root.first, rest.first, strict=True)),  # type: ignore[arg-type]
        _sum(root.second, rest.second),
    )
    force = momentum(composite, s)
    columns = jnp.stack([*s.ang, *s.lin])
    forces = jnp.stack([*force.ang, *force.lin])
    below = jnp.einsum("kib,kjb->ijb", columns, forces)
    above = jnp.asarray(structure.tree.down.T, columns.dtype)[..., None]
    lower = below * above
    joints = lower + jnp.swapaxes(lower, 0, 1) * (1 - jnp.eye(n))[..., None]
    zero = jnp.zeros((3, 3, batch), columns.dtype)
    mat = jnp.stack([jnp.stack([c[0] for c in row]) for row in at.root])
    unit = jnp.broadcast_to(jnp.eye(3, dtype=columns.dtype)[..., None], (3, 3, batch))
    base = jnp.concatenate([jnp.concatenate([zero, mat], 1), jnp.concatenate([unit, zero], 1)])
    inertia = six_by_six(whole)[0]
    corner = jnp.einsum("kib,klb,ljb->ijb", base, inertia, base)
    side = jnp.einsum("kib,kjb->ijb", base, forces)
    rows = [
        jnp.concatenate([corner, side], 1),
        jnp.concatenate([jnp.swapaxes(side, 0, 1), joints], 1),
    ]
    matrix = jnp.concatenate(rows)
    return matrix + jnp.eye(structure.nv)[..., None] * armature[:, None]


def _composite(structure: Structure, rest: Inertia) -> Inertia:
    """Of each frame and all below it."""
    weights = structure.tree.down.T
    wrench = up(structure, Spatial(rest.first, rest.first))
    mass = jnp.broadcast_to(rest.mass, rest.first[0].shape)
    second = tuple(mix(weights, part) for part in rest.second)
    return Inertia(mix(weights, mass), wrench.ang, second)  # type: ignore[arg-type]


def _sum(a: Symmetric, b: Symmetric) -> Symmetric:
    return tuple(  # type: ignore[return-value]
        x + y.sum(0, keepdims=True) for x, y in zip(a, b, strict=True)
    )
