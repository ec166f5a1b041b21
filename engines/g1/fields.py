"""MuJoCo's own fields at a state, dense, by their names: to look at and to compare.

The simulator itself forms none of these matrices.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gradcheck.engines.g1.algebra import Array, Vector, summed
from gradcheck.engines.g1.compiled import compiled
from gradcheck.engines.g1.constraint import ContactRows, Rows, values
from gradcheck.engines.g1.dynamics import applied, by_dof, by_row, inverse_dynamics
from gradcheck.engines.g1.implicit import at_state
from gradcheck.engines.g1.inertia import mass_matrix
from gradcheck.engines.g1.kinematics import Pose
from gradcheck.engines.g1.model import Model
from gradcheck.engines.g1.motion import Dofs, Spatial
from gradcheck.engines.g1.parameters import batch_last
from gradcheck.engines.g1.state import State
from gradcheck.engines.g1.step import inputs
from gradcheck.engines.g1.structure import Structure


class Fields(NamedTuple):
    """Shapes without batch; all have the batch in front.

    xpos [nbody, 3], xmat [nbody, 3, 3]; qM [nv, nv] (dense); qfrc_bias, qfrc_passive,
    qfrc_actuator, qacc [nv]; of each contact point, touching or not: dist [N], pos [N, 3] (world),
    frame [N, 3, 3] (rows: normal, tangents); efc_J [rows, nv], efc_aref, efc_D, efc_force [rows];
    active [rows]: which rows MuJoCo would have. `row_of` says what a row is.
    """

    xpos: Array
    xmat: Array
    qM: Array  # noqa: N815 - MuJoCo's name
    qfrc_bias: Array
    qfrc_passive: Array
    qfrc_actuator: Array
    qfrc_constraint: Array
    qacc: Array
    dist: Array
    pos: Array
    frame: Array
    efc_J: Array  # noqa: N815
    efc_aref: Array
    efc_D: Array  # noqa: N815
    active: Array


class Row(NamedTuple):
    """What a constraint row is: kind "friction", "limit" or "contact"; joint: its dof, for the
    first two; point: for a contact, and edge, its place among the rows of that point."""

    kind: str
    dof: int
    side: int
    point: int
    edge: int


def rows_of(structure: Structure) -> list[Row]:
    """The rows of `Fields`, in order."""
    made = []
    if structure.loses:
        made += [Row("friction", int(dof), 0, -1, 0) for dof in structure.dof]
    if np.any(structure.limited):
        made += [Row("limit", int(dof), side, -1, 0) for side in (0, 1) for dof in structure.dof]
    for point, condim in enumerate(structure.points.condim):
        edges = 1 if condim == 1 else 3 if structure.elliptic else 4
        made += [Row("contact", -1, 0, point, edge) for edge in range(edges)]
    return made


@compiled
def fields(model: Model, current: State, ctrl: Array) -> Fields:
    """The fields at a state [batch, ...] with its `qacc` as the acceleration of the constraint."""
    fixed, parameters = model.structure, batch_last(model.parameters)
    qpos, qvel, qacc, u = (x.T for x in (current.qpos, current.qvel, current.qacc, ctrl))
    given = inputs(model, qpos, qvel, u)
    here = at_state(fixed, given)
    at, s = given.at, here.s
    nothing = jax.tree.map(jnp.zeros_like, given.v)
    bias = inverse_dynamics(fixed, at, s, here.inertia, given.armature, given.v, nothing)
    passive, onto, _ = applied(fixed, parameters, at.joint, given.v, u)
    zero = jnp.zeros_like(onto[:1])
    actuator = Dofs((zero,) * 3, (zero,) * 3, onto)
    whole = mass_matrix(fixed, at, s, *here.inertia, _in_rows(given.armature))
    order = np.concatenate([np.arange(6), fixed.dof])
    back = np.argsort(order)
    jac, aref, weight, active = _efc(fixed, at, s, here.rows)
    there = here.rows.contact.at
    origin = jnp.stack([part[0] for part in at.origin], -1)
    xpos, xmat = _bodies(fixed, at)
    needed = inverse_dynamics(
        fixed, at, s, here.inertia, given.armature, given.v, by_dof(fixed, qacc)
    )
    force = jax.tree.map(jnp.subtract, needed, given.force)
    frame = [_in_world(there.normal, there), _in_world(there.tangent, there)]
    frame.append(_in_world(there.other, there))
    return Fields(
        xpos=xpos,
        xmat=xmat,
        qM=jnp.moveaxis(whole, -1, 0)[:, back][:, :, back],
        qfrc_bias=by_row(fixed, bias).T,
        qfrc_passive=by_row(fixed, passive).T,
        qfrc_actuator=by_row(fixed, actuator).T,
        qfrc_constraint=by_row(fixed, force).T,
        qacc=current.qacc,
        dist=there.dist.T,
        pos=_in_world(there.pos, there) + origin[:, None],
        frame=jnp.stack(frame, -2),
        efc_J=jac[:, :, back],
        efc_aref=aref,
        efc_D=weight,
        active=active,
    )


def _in_rows(x: Dofs) -> Array:
    return jnp.concatenate([*x.lin, *x.ang, x.joint])


def _in_world(x: Vector, like: object) -> Array:
    """A vector of points as [batch, N, 3]."""
    batch = like.dist.shape  # type: ignore[attr-defined]
    return jnp.stack([jnp.broadcast_to(part, batch).T for part in x], -1)


def _bodies(fixed: Structure, at: Pose) -> tuple[Array, Array]:
    """xpos [batch, nbody, 3] and xmat [batch, nbody, 3, 3]."""
    batch = at.origin[0].shape[1]
    mats = jnp.concatenate(
        [
            jnp.stack([jnp.stack(row, -1) for row in at.root], -2),
            jnp.stack([jnp.stack(row, -1) for row in at.mat], -2),
        ]
    )
    still = jnp.zeros((1, batch, 3), mats.dtype)
    places = jnp.concatenate([still, jnp.stack(at.pos, -1)]) + jnp.stack(at.origin, -1)
    positions, rotations = [], []
    for one in fixed.bodies:
        pos, mat = jnp.asarray(one.pos, mats.dtype), jnp.asarray(one.mat, mats.dtype)
        if one.frame < 0:
            positions.append(jnp.broadcast_to(pos, (batch, 3)))
            rotations.append(jnp.broadcast_to(mat, (batch, 3, 3)))
        else:
            positions.append(places[one.frame] + mats[one.frame] @ pos)
            rotations.append(mats[one.frame] @ mat)
    return jnp.stack(positions, 1), jnp.stack(rotations, 1)


def _efc(fixed: Structure, at: Pose, s: Spatial, some: Rows) -> tuple[Array, Array, Array, Array]:
    """efc_J [batch, rows, nv] (root, frames), aref, D and which are active [batch, rows]."""
    batch = at.origin[0].shape[1]
    n = fixed.tree.count
    eye = jnp.eye(fixed.nv)[:, 6:].T
    parts: list[tuple[Array, Array, Array]] = []

    def joints(sign: float, aref: Array, weight: Array) -> None:
        jac = jnp.broadcast_to(sign * eye[..., None], (n, fixed.nv, batch))
        parts.append((jac, sign * aref, weight))

    if fixed.loses:
        joints(1.0, some.joint.loss_aref, some.joint.loss)
    if np.any(fixed.limited):
        joints(1.0, some.joint.low_aref, some.joint.low)
        joints(-1.0, some.joint.high_aref, some.joint.high)
    jac = _contact_jacobian(fixed, at, s, some)
    row = some.contact
    for point, condim in enumerate(fixed.points.condim):
        for weights, weight in _edges(fixed, row, point, int(condim)):
            parts.append(
                (
                    summed(w * jac[k][point] for k, w in enumerate(weights))[None],
                    summed(w * row.aref[k][point] for k, w in enumerate(weights))[None],
                    weight[None],
                )
            )
    if not parts:
        empty = jnp.zeros((batch, 0))
        return jnp.zeros((batch, 0, fixed.nv)), empty, empty, empty > 0
    stacked = [jnp.concatenate([part[k] for part in parts]) for k in range(3)]
    weight = stacked[2].T
    return jnp.moveaxis(stacked[0], -1, 0), stacked[1].T, weight, weight > 0


def _edges(
    fixed: Structure, row: ContactRows, point: int, condim: int
) -> list[tuple[list[Array | float], Array]]:
    """Of one point: how each row mixes normal and tangents, and its D."""
    weight = row.weight[point]
    if condim == 1:
        return [([1.0, 0.0, 0.0], weight)]
    mu = row.friction[point]
    if fixed.elliptic:
        side = weight * fixed.impratio
        return [
            ([1.0, 0.0, 0.0], weight),
            ([0.0, 1.0, 0.0], side),
            ([0.0, 0.0, 1.0], side),
        ]
    return [
        ([1.0, mu, 0.0], weight),
        ([1.0, -mu, 0.0], weight),
        ([1.0, 0.0, mu], weight),
        ([1.0, 0.0, -mu], weight),
    ]


def _contact_jacobian(fixed: Structure, at: Pose, s: Spatial, some: Rows) -> list[Array]:
    """Normal and tangents [N, nv, B] of each point, a column at a time."""

    def column(direction: Array) -> list[Array]:
        wide = jnp.broadcast_to(direction[:, None], (fixed.nv, at.origin[0].shape[1]))
        parts = jax.lax.split(wide, [1] * 6 + [fixed.tree.count], axis=0)
        unit = Dofs(tuple(parts[:3]), tuple(parts[3:6]), parts[6])  # type: ignore[arg-type]
        return list(values(fixed, at, s, some, unit, linear=True).contact)

    found = jax.vmap(column, out_axes=1)(jnp.eye(fixed.nv, dtype=at.joint.dtype))
    return list(found)
