"""Constraint rows: impedance, reference acceleration, and the force that answers a row's value.

A row's value is its acceleration less the reference, x = J qacc - aref. MuJoCo's problem
(documentation, "Computation", "Constraint solver") minimises
1/2 (a - a_smooth)^T M (a - a_smooth) + s(J a - aref); here are s's gradient and Hessian, a contact
at a time, in the contact's frame (normal, tangents).
"""

from typing import NamedTuple

import jax.numpy as jnp
import mujoco
import numpy as np

from gradcheck.engines.g1.algebra import (
    Array,
    Symmetric,
    Vector,
    add,
    cross,
    dot,
    mix_vector,
    scale,
    stage,
)
from gradcheck.engines.g1.contact import (
    Contact,
    choice_of,
    chosen_spatial,
    contact,
    fixed,
)
from gradcheck.engines.g1.dynamics import by_dof, summed
from gradcheck.engines.g1.kinematics import Pose, down, project, root_twist
from gradcheck.engines.g1.motion import Dofs, Spatial, plus, times
from gradcheck.engines.g1.parameters import Parameters
from gradcheck.engines.g1.structure import Points, Structure


class ContactRows(NamedTuple):
    """Of one group of points. at: geometry; weight: D (0 out of contact), [F, P, B]; aref: normal
    and tangents; friction [F, P, 1|B] (0 for condim 1)."""

    at: Contact
    weight: Array
    aref: Vector
    friction: Array


class JointRows(NamedTuple):
    """Limits and friction loss, [nf, B]: D and aref of the lower and the upper limit (of the
    joint's acceleration; 0 inside), D, aref and bound of the loss."""

    low: Array
    low_aref: Array
    high: Array
    high_aref: Array
    loss: Array
    loss_aref: Array
    bound: Array


class Rows(NamedTuple):
    """All rows."""

    contacts: tuple[ContactRows, ...]
    joint: JointRows


class Values(NamedTuple):
    """x: 3 x [F, P, B] a group of contacts (acceleration less aref, contact frame), and the
    joints' acceleration [nf, B]."""

    contacts: tuple[Vector, ...]
    joint: Array


class Response(NamedTuple):
    """-ds/dx and d2s/dx2 of each contact, and of the joints [nf, B]."""

    contacts: tuple[Vector, ...]
    joint: Array
    stiff: tuple[Symmetric, ...]
    joint_stiff: Array


class Impedance(NamedTuple):
    """Stiffness (1/s^2), damping (1/s), impedance d in (0, 1)."""

    k: Array
    b: Array
    d: Array


def rows(
    structure: Structure,
    parameters: Parameters,
    at: Pose,
    v: Dofs,
    twist: tuple[Spatial, Spatial],
) -> Rows:
    """Rows at a pose and velocity; twist: of the root and of the frames."""
    made = tuple(
        _contact_rows(structure, points, parameters, at, twist) for points in structure.points
    )
    return stage(Rows(made, _joint_rows(structure, parameters, at, v)))


def impedance(
    structure: Structure, solref: tuple[Array, Array], solimp: np.ndarray, pos: Array
) -> Impedance:
    """MuJoCo's stiffness, damping and impedance at `pos`, the distance past the margin
    (documentation, "Solver parameters"). solimp [..., 5] are numbers, beside the batch in `pos`."""
    low, high = mujoco.mjMINIMP, mujoco.mjMAXIMP
    dmin, dmax = np.clip(solimp[..., 0], low, high), np.clip(solimp[..., 1], low, high)
    width = np.maximum(solimp[..., 2], mujoco.mjMINVAL)
    mid, power = np.clip(solimp[..., 3], low, high), np.maximum(solimp[..., 4], 1.0)
    time, ratio = solref
    positive = time > 0
    safe = jnp.maximum(time, 2 * structure.timestep) if structure.refsafe else time
    safe, unit = jnp.where(positive, safe, 1.0), jnp.where(positive, ratio, 1.0)
    top = fixed(dmax, pos)
    k = jnp.where(positive, 1 / (top * safe * unit) ** 2, -time / top**2)
    b = jnp.where(positive, 2 / (top * safe), -ratio / top)
    x = jnp.minimum(jnp.abs(pos) / fixed(width, pos), 1.0)
    first = _power(x, power, pos) / fixed(mid ** (power - 1), pos)
    second = 1 - _power(1 - x, power, pos) / fixed((1 - mid) ** (power - 1), pos)
    y = jnp.where(x < fixed(mid, pos), first, second)
    return Impedance(k, b, fixed(dmin, pos) + y * fixed(dmax - dmin, pos))


def _power(x: Array, power: np.ndarray, like: Array) -> Array:
    """x^power; a general power is many times slower, and has no slope at 0."""
    if np.all(power == 2):
        return x * x
    if np.all(power == 1):
        return x
    inside = jnp.where(x > 0, x, 1.0)
    return jnp.where(x > 0, inside ** fixed(power, like), 0.0)


def _weight(d: Array, invweight: Array) -> Array:
    """D = 1/R of an impedance."""
    return 1 / jnp.maximum((1 - d) / d * invweight, mujoco.mjMINVAL)


def _contact_rows(
    structure: Structure,
    points: Points,
    parameters: Parameters,
    at: Pose,
    twist: tuple[Spatial, Spatial],
) -> ContactRows:
    there = contact(structure, points, at)
    pos = there.dist - fixed(points.margin, there.dist)
    solref = (
        _of_points(points, parameters.solref[:, 0]),
        _of_points(points, parameters.solref[:, 1]),
    )
    slides = points.condim == 3
    friction = _of_points(points, parameters.friction) * fixed(slides, there.dist)
    one = impedance(structure, solref, points.solimp, pos)
    own = fixed(points.invweight, there.dist)
    if not structure.elliptic and np.any(slides):
        square = friction * friction
        edges = own * (1 + square) * 2 * square / structure.impratio
        own = jnp.where(fixed(slides, there.dist) > 0, edges, own)
    weight = jnp.where(pos < 0, _weight(one.d, own), 0.0)
    speed = along(there, chosen_spatial(structure, points, *twist))
    aref = (-one.b * speed[0] - one.k * one.d * pos, -one.b * speed[1], -one.b * speed[2])
    return ContactRows(there, weight, aref, friction)


def _of_points(points: Points, of_pairs: Array) -> Array:
    """[npair, 1|B] as [F, P, 1|B]."""
    count = of_pairs.shape[0]
    choice = np.eye(count)[points.pair.ravel()]
    picked = jnp.asarray(choice, of_pairs.dtype) @ of_pairs
    return picked.reshape(*points.pair.shape, of_pairs.shape[-1])


def along(there: Contact, twist: Spatial) -> Vector:
    """Normal and tangential speed (or acceleration) of the points, of their frames' [F, B]."""
    wide = Spatial(
        tuple(part[:, None] for part in twist.ang),  # type: ignore[arg-type]
        tuple(part[:, None] for part in twist.lin),  # type: ignore[arg-type]
    )
    moved = add(wide.lin, cross(wide.ang, there.pos))
    return dot(there.normal, moved), dot(there.tangent, moved), dot(there.other, moved)


def _joint_rows(structure: Structure, parameters: Parameters, at: Pose, v: Dofs) -> JointRows:
    q, speed = at.joint, v.joint
    zero = jnp.zeros_like(q)
    own = jnp.asarray(structure.invweight, q.dtype)[:, None]
    low = low_aref = high = high_aref = zero
    if np.any(structure.limited):
        solref = _numbers(structure.limit_solref, q)
        margin = jnp.asarray(structure.limit_margin, q.dtype)[:, None]
        limited = jnp.asarray(structure.limited, q.dtype)[:, None] > 0
        ends = [jnp.asarray(structure.range[:, side], q.dtype)[:, None] for side in (0, 1)]
        pos = q - ends[0] - margin
        one = impedance(structure, solref, structure.limit_solimp, pos)
        low = jnp.where(limited & (pos < 0), _weight(one.d, own), 0.0)
        low_aref = -one.b * speed - one.k * one.d * pos
        pos = ends[1] - q - margin
        one = impedance(structure, solref, structure.limit_solimp, pos)
        high = jnp.where(limited & (pos < 0), _weight(one.d, own), 0.0)
        high_aref = -one.b * speed + one.k * one.d * pos
    loss = loss_aref = zero
    bound = by_dof(structure, parameters.dof_frictionloss).joint
    if has_loss(structure):
        one = impedance(
            structure, _numbers(structure.loss_solref, q), structure.loss_solimp, zero
        )
        loss = jnp.where(bound > 0, _weight(one.d, own), 0.0)
        loss_aref = -one.b * speed
    return JointRows(low, low_aref, high, high_aref, loss, loss_aref, bound)


def has_loss(structure: Structure) -> bool:
    """Whether the loaded model has friction loss; only then can it be varied."""
    return bool(np.any(structure.mj_model.dof_frictionloss))


def _numbers(solref: np.ndarray, like: Array) -> tuple[Array, Array]:
    x = jnp.asarray(solref, like.dtype)[..., None]
    return x[:, 0], x[:, 1]


def values(
    structure: Structure, at: Pose, s: Spatial, some: Rows, a: Dofs, linear: bool = False
) -> Values:
    """x = J a - aref of all rows; `linear` gives J a alone."""
    moved = times(a.joint, s)
    root = root_twist(at, a)
    out = []
    for points, row in zip(structure.points, some.contacts, strict=True):
        choice, _ = choice_of(structure, points)
        weights = jnp.asarray(choice @ structure.tree.down, a.joint.dtype)
        below = Spatial(mix_vector(weights, moved.ang), mix_vector(weights, moved.lin))
        speed = along(row.at, stage(plus(root, below)))
        less: Vector = tuple(x - r for x, r in zip(speed, row.aref, strict=True))  # type: ignore[assignment]
        out.append(speed if linear else less)
    return stage(Values(tuple(out), a.joint))


def generalised(
    structure: Structure, at: Pose, s: Spatial, some: Rows, forces: tuple[Vector, ...], joint: Array
) -> Dofs:
    """J^T f of contact forces (contact frames) and joint forces."""
    zero = jnp.zeros_like(at.origin[0])
    total = Spatial((zero,) * 3, (zero,) * 3)
    below = Spatial((0 * joint,) * 3, (0 * joint,) * 3)
    for points, row, force in zip(structure.points, some.contacts, forces, strict=True):
        there = row.at
        push = add(
            scale(force[0], there.normal),
            scale(force[1], there.tangent),
            scale(force[2], there.other),
        )
        push = stage(push)
        wrench = stage(Spatial(_over(cross(there.pos, push)), _over(push)))
        choice, _ = choice_of(structure, points)
        weights = jnp.asarray((choice @ structure.tree.down).T, joint.dtype)
        total = plus(total, summed(wrench))
        below = plus(
            below, Spatial(mix_vector(weights, wrench.ang), mix_vector(weights, wrench.lin))
        )
    out = project(at, s, total, stage(below))
    return Dofs(out.lin, out.ang, out.joint + joint)


def _over(x: Vector) -> Vector:
    """Sum over the points of each frame."""
    return x[0].sum(1), x[1].sum(1), x[2].sum(1)


def respond(structure: Structure, some: Rows, at: Values) -> Response:
    """Forces and stiffnesses of all rows at their values."""
    cone = _elliptic if structure.elliptic else _pyramid
    answers = [
        cone(structure, points, row, x)
        for points, row, x in zip(structure.points, some.contacts, at.contacts, strict=True)
    ]
    joint, a = some.joint, at.joint
    low = jnp.where(a - joint.low_aref < 0, joint.low, 0.0)
    high = jnp.where(a - joint.high_aref > 0, joint.high, 0.0)
    slip = -joint.loss * (a - joint.loss_aref)
    inside = jnp.abs(slip) < joint.bound
    force = -low * (a - joint.low_aref) - high * (a - joint.high_aref)
    force = force + jnp.clip(slip, -joint.bound, joint.bound)
    stiff = low + high + jnp.where(inside, joint.loss, 0.0)
    return Response(
        tuple(force for force, _ in answers), force, tuple(stiff for _, stiff in answers), stiff
    )


def _pyramid(
    structure: Structure, points: Points, row: ContactRows, x: Vector
) -> tuple[Vector, Symmetric]:
    """Four edges n +- mu t (one, n, for condim 1), each pushing and never pulling."""
    mu, zero = row.friction, jnp.zeros_like(x[0])
    if not np.any(points.condim == 3):
        push = jnp.where(x[0] < 0, row.weight, 0.0)
        return (-push * x[0], zero, zero), (push, zero, zero, zero, zero, zero)
    more = row.weight if np.all(points.condim == 3) else row.weight * fixed(points.condim == 3, mu)
    edges = [
        (x[0] + mu * x[1], row.weight),
        (x[0] - mu * x[1], more),
        (x[0] + mu * x[2], more),
        (x[0] - mu * x[2], more),
    ]
    on = [jnp.where(edge < 0, weight, 0.0) for edge, weight in edges]
    f = [-weight * edge for (edge, _), weight in zip(edges, on, strict=True)]
    force = (f[0] + f[1] + f[2] + f[3], mu * (f[0] - f[1]), mu * (f[2] - f[3]))
    stiff = (
        on[0] + on[1] + on[2] + on[3],
        mu * mu * (on[0] + on[1]),
        mu * mu * (on[2] + on[3]),
        mu * (on[0] - on[1]),
        mu * (on[2] - on[3]),
        zero,
    )
    return force, stiff


def _elliptic(
    structure: Structure, points: Points, row: ContactRows, x: Vector
) -> tuple[Vector, Symmetric]:
    """The cone |f_t| <= friction f_n: free, inside (quadratic) or on the cone (documentation,
    "Computation", "Elliptic cones")."""
    zero = jnp.zeros_like(x[0])
    slides = fixed(points.condim == 3, x[0]) > 0
    friction = jnp.where(slides, row.friction, 1.0)
    mu = friction / np.sqrt(structure.impratio)
    n, u, w = mu * x[0], friction * x[1], friction * x[2]
    square = u * u + w * w
    turning = square > 0
    t = jnp.sqrt(jnp.where(turning, square, 1.0)) * turning
    free = jnp.where(slides, n >= mu * t, x[0] >= 0)
    inside = jnp.where(slides, mu * n + t <= 0, x[0] < 0)
    side = row.weight * structure.impratio * slides
    on = jnp.where(inside & ~free, row.weight, 0.0)
    on_side = jnp.where(inside & ~free, side, 0.0)
    cone = jnp.where(free | inside, 0.0, row.weight / (mu * mu * (1 + mu * mu)))
    over = jnp.where(turning, t, 1.0)
    gap = n - mu * t
    # gradient of gap by x
    g = (mu, -mu * friction * u / over, -mu * friction * w / over)
    force = (
        -on * x[0] - cone * gap * g[0],
        -on_side * x[1] - cone * gap * g[1],
        -on_side * x[2] - cone * gap * g[2],
    )
    bend = -cone * gap * mu * friction * friction / over
    ratio = (u / over, w / over)
    stiff = (
        on + cone * g[0] * g[0],
        on_side + cone * g[1] * g[1] + bend * (1 - ratio[0] ** 2),
        on_side + cone * g[2] * g[2] + bend * (1 - ratio[1] ** 2),
        cone * g[0] * g[1],
        cone * g[0] * g[2],
        cone * g[1] * g[2] - bend * ratio[0] * ratio[1],
    )
    return force, (stiff[0] + zero, *stiff[1:])


def curvature(row: ContactRows, stiff: Symmetric) -> Array:
    """sum_p J_p^T C_p J_p of a group's contacts on their frame: [F, 6, 6, B], torque and force
    above, rotation and translation beside."""
    there = row.at
    nn, tt, oo, nt, no, to = stiff
    n, t, o = there.normal, there.tangent, there.other
    # C in world axes: columns C e = n (..) + t (..) + o (..)
    rows_n = add(scale(nn, n), scale(nt, t), scale(no, o))
    rows_t = add(scale(nt, n), scale(tt, t), scale(to, o))
    rows_o = add(scale(no, n), scale(to, t), scale(oo, o))
    world = {
        (i, j): n[i] * rows_n[j] + t[i] * rows_t[j] + o[i] * rows_o[j]
        for i in range(3)
        for j in range(i, 3)
    }
    world = stage(world)
    columns: list[Vector] = [
        tuple(world[min(i, j), max(i, j)] for i in range(3))  # type: ignore[misc]
        for j in range(3)
    ]
    # [r] x C, a column at a time, then again from the right
    turned = stage([cross(there.pos, column) for column in columns])
    lever: list[Vector] = [tuple(column[i] for column in turned) for i in range(3)]  # type: ignore[misc]
    twice = [cross(there.pos, one) for one in lever]
    blocks: dict[tuple[int, int], Array] = {}
    for i in range(3):
        for j in range(3):
            blocks[i, 3 + j] = blocks[3 + j, i] = turned[j][i].sum(1)
            if j >= i:
                blocks[3 + i, 3 + j] = blocks[3 + j, 3 + i] = world[i, j].sum(1)
                blocks[i, j] = blocks[j, i] = twice[i][j].sum(1)
    some = blocks[0, 0]
    entries = [blocks[i, j] for i in range(6) for j in range(6)]
    return jnp.stack(entries, 1).reshape(len(some), 6, 6, some.shape[1])
