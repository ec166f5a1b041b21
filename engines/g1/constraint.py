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
    numbers,
    scale,
    stage,
)
from gradcheck.engines.g1.contact import Contact, at_points, contact, of_frames
from gradcheck.engines.g1.dynamics import by_dof, summed
from gradcheck.engines.g1.kinematics import Pose, project, root_twist
from gradcheck.engines.g1.mixing import mix, mix_each
from gradcheck.engines.g1.motion import Dofs, Spatial, mixed, plus, times
from gradcheck.engines.g1.parameters import Parameters
from gradcheck.engines.g1.structure import Structure


class ContactRows(NamedTuple):
    """Of the contact points. at: geometry; weight: D (0 out of contact), [N, B]; aref: normal and
    tangents; friction [N, 1|B] (0 for condim 1)."""

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

    contact: ContactRows
    joint: JointRows


class Values(NamedTuple):
    """x of the contacts, 3 x [N, B] (acceleration less aref, contact frame), and the joints'
    acceleration [nf, B]."""

    contact: Vector
    joint: Array


class Response(NamedTuple):
    """-ds/dx and d2s/dx2 of each contact, and of the joints [nf, B]."""

    contact: Vector
    joint: Array
    stiff: Symmetric
    joint_stiff: Array


class Impedance(NamedTuple):
    """Stiffness (1/s^2), damping (1/s), impedance d in (0, 1)."""

    k: Array
    b: Array
    d: Array


def rows(
    structure: Structure,
    timestep: Array,
    parameters: Parameters,
    at: Pose,
    v: Dofs,
    twist: tuple[Spatial, Spatial],
) -> Rows:
    """Rows at a pose and velocity; twist: of the root and of the frames."""
    found = _contact_rows(structure, timestep, parameters, at, twist)
    return stage(Rows(found, _joint_rows(structure, timestep, parameters, at, v)))


def impedance(
    structure: Structure,
    timestep: Array,
    solref: tuple[Array, Array],
    solimp: np.ndarray,
    pos: Array,
) -> Impedance:
    """MuJoCo's stiffness, damping and impedance at `pos`, the distance past the margin
    (documentation, "Solver parameters"). solimp [..., 5] are numbers, beside the batch in `pos`."""
    low, high = mujoco.mjMINIMP, mujoco.mjMAXIMP
    dmin, dmax = np.clip(solimp[..., 0], low, high), np.clip(solimp[..., 1], low, high)
    width = np.maximum(solimp[..., 2], mujoco.mjMINVAL)
    mid, power = np.clip(solimp[..., 3], low, high), np.maximum(solimp[..., 4], 1.0)
    time, ratio = solref
    positive = time > 0
    safe = jnp.maximum(time, 2 * timestep) if structure.refsafe else time
    safe, unit = jnp.where(positive, safe, 1.0), jnp.where(positive, ratio, 1.0)
    top = numbers(dmax, pos)
    k = jnp.where(positive, 1 / (top * safe * unit) ** 2, -time / top**2)
    b = jnp.where(positive, 2 / (top * safe), -ratio / top)
    x = jnp.minimum(jnp.abs(pos) / numbers(width, pos), 1.0)
    first = _power(x, power, pos) / numbers(mid ** (power - 1), pos)
    second = 1 - _power(1 - x, power, pos) / numbers((1 - mid) ** (power - 1), pos)
    y = jnp.where(x < numbers(mid, pos), first, second)
    # of no width, or flat: the mean at any distance, with no slope
    flat = (dmin == dmax) | (solimp[..., 2] <= mujoco.mjMINVAL)
    if np.any(flat):
        y = jnp.where(numbers(flat, pos) > 0, 0.5, y)
    return Impedance(k, b, numbers(dmin, pos) + y * numbers(dmax - dmin, pos))


def _power(x: Array, power: np.ndarray, like: Array) -> Array:
    """x^power; a general power is many times slower, and has no slope at 0."""
    if np.all(power == 2):
        return x * x
    if np.all(power == 1):
        return x
    inside = jnp.where(x > 0, x, 1.0)
    return jnp.where(x > 0, inside ** numbers(power, like), 0.0)


def _weight(d: Array, invweight: Array) -> Array:
    """D = 1/R of an impedance."""
    return 1 / jnp.maximum((1 - d) / d * invweight, mujoco.mjMINVAL)


def _contact_rows(
    structure: Structure,
    timestep: Array,
    parameters: Parameters,
    at: Pose,
    twist: tuple[Spatial, Spatial],
) -> ContactRows:
    points = structure.points
    there = contact(structure, at)
    pos = there.dist - numbers(points.margin, there.dist)
    solref = (
        _of_points(structure, parameters.solref[:, 0]),
        _of_points(structure, parameters.solref[:, 1]),
    )
    slides = numbers(points.slides, there.dist)
    friction = jnp.maximum(_of_points(structure, parameters.friction), mujoco.mjMINMU) * slides
    one = impedance(structure, timestep, solref, points.solimp, pos)
    own = numbers(points.invweight, there.dist)
    if not structure.elliptic and np.any(points.slides):
        square = friction * friction
        edges = own * (1 + square) * 2 * square / structure.impratio
        own = jnp.where(slides > 0, edges, own)
    weight = jnp.where(pos < 0, _weight(one.d, own), 0.0)
    moving = at_points(structure, (*twist[0].ang, *twist[0].lin), (*twist[1].ang, *twist[1].lin))
    speed = along(there, Spatial(moving[:3], moving[3:]))  # type: ignore[arg-type]
    aref = (-one.b * speed[0] - one.k * one.d * pos, -one.b * speed[1], -one.b * speed[2])
    return ContactRows(there, weight, aref, friction)


def _of_points(structure: Structure, of_pairs: Array) -> Array:
    """[npair, 1|B] as [N, 1|B]."""
    choice = np.eye(of_pairs.shape[0])[structure.points.pair.astype(int)]
    return mix(choice.reshape(-1, of_pairs.shape[0]), of_pairs)


def along(there: Contact, twist: Spatial) -> Vector:
    """Normal and tangential speed (or acceleration) of the points, of their frames' [N, B]."""
    moved = stage(add(twist.lin, cross(twist.ang, there.pos)))
    return dot(there.normal, moved), dot(there.tangent, moved), dot(there.other, moved)


def _joint_rows(
    structure: Structure, timestep: Array, parameters: Parameters, at: Pose, v: Dofs
) -> JointRows:
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
        one = impedance(structure, timestep, solref, structure.limit_solimp, pos)
        low = jnp.where(limited & (pos < 0), _weight(one.d, own), 0.0)
        low_aref = -one.b * speed - one.k * one.d * pos
        pos = ends[1] - q - margin
        one = impedance(structure, timestep, solref, structure.limit_solimp, pos)
        high = jnp.where(limited & (pos < 0), _weight(one.d, own), 0.0)
        high_aref = -one.b * speed + one.k * one.d * pos
    loss = loss_aref = zero
    bound = by_dof(structure, parameters.dof_frictionloss).joint
    if structure.loses:
        one = impedance(
            structure, timestep, _numbers(structure.loss_solref, q), structure.loss_solimp, zero
        )
        loss = jnp.where(bound > 0, _weight(one.d, own), 0.0)
        loss_aref = -one.b * speed
    return JointRows(low, low_aref, high, high_aref, loss, loss_aref, bound)


def _numbers(solref: np.ndarray, like: Array) -> tuple[Array, Array]:
    x = jnp.asarray(solref, like.dtype)[..., None]
    return x[:, 0], x[:, 1]


def values(
    structure: Structure, at: Pose, s: Spatial, some: Rows, a: Dofs, linear: bool = False
) -> Values:
    """x = J a - aref of all rows; `linear` gives J a alone."""
    choice, _ = of_frames(structure)
    root = root_twist(at, a)
    below = mixed(choice @ structure.tree.down, times(a.joint, s))
    below = plus(mixed(np.ones((len(choice), 1)), root), below)
    moving = mixed(structure.points.member, below)
    speed = along(some.contact.at, moving)
    if not linear:
        n, t, o = some.contact.aref
        speed = speed[0] - n, speed[1] - t, speed[2] - o
    return stage(Values(speed, a.joint))


def generalised(
    structure: Structure, at: Pose, s: Spatial, some: Rows, force: Vector, joint: Array
) -> Dofs:
    """J^T f of contact forces (contact frames) and joint forces."""
    there = some.contact.at
    push = stage(
        add(
            scale(force[0], there.normal),
            scale(force[1], there.tangent),
            scale(force[2], there.other),
        )
    )
    wrench = mixed(structure.points.member.T, Spatial(cross(there.pos, push), push))
    choice, _ = of_frames(structure)
    below = mixed((choice @ structure.tree.down).T, wrench)
    out = project(at, s, summed(wrench), below)
    return stage(Dofs(out.lin, out.ang, out.joint + joint))


def respond(structure: Structure, some: Rows, at: Values) -> Response:
    """Forces and stiffnesses of all rows at their values."""
    cone = _elliptic if structure.elliptic else _pyramid
    force, stiff = cone(structure, some.contact, at.contact)
    joint, a = some.joint, at.joint
    low = jnp.where(a - joint.low_aref < 0, joint.low, 0.0)
    high = jnp.where(a - joint.high_aref > 0, joint.high, 0.0)
    push = -low * (a - joint.low_aref) - high * (a - joint.high_aref)
    firm = low + high
    if structure.loses:
        slip = -joint.loss * (a - joint.loss_aref)
        push = push + jnp.clip(slip, -joint.bound, joint.bound)
        firm = firm + jnp.where(jnp.abs(slip) < joint.bound, joint.loss, 0.0)
    return stage(Response(force, push, stiff, firm))


def _pyramid(structure: Structure, row: ContactRows, x: Vector) -> tuple[Vector, Symmetric]:
    """Four edges n +- mu t (one, n, for condim 1), each pushing and never pulling."""
    mu, zero, slides = row.friction, jnp.zeros_like(x[0]), structure.points.slides
    if not np.any(slides):
        push = jnp.where(x[0] < 0, row.weight, 0.0)
        return (-push * x[0], zero, zero), (push, zero, zero, zero, zero, zero)
    more = row.weight if np.all(slides) else row.weight * numbers(slides, mu)
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


def _elliptic(structure: Structure, row: ContactRows, x: Vector) -> tuple[Vector, Symmetric]:
    """The cone |f_t| <= friction f_n: free, inside (quadratic) or on the cone (documentation,
    "Computation", "Elliptic cones")."""
    zero = jnp.zeros_like(x[0])
    slides = numbers(structure.points.slides, x[0]) > 0
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


def curvature(structure: Structure, row: ContactRows, stiff: Symmetric) -> Array:
    """sum_p J_p^T C_p J_p of each frame's contacts: [F, 6, 6, B], torque and force above, rotation
    and translation beside."""
    there = row.at
    nn, tt, oo, nt, no, to = stiff
    n, t, o = there.normal, there.tangent, there.other
    # C in world axes
    by_n = add(scale(nn, n), scale(nt, t), scale(no, o))
    by_t = add(scale(nt, n), scale(tt, t), scale(to, o))
    by_o = add(scale(no, n), scale(to, t), scale(oo, o))
    upper = stage(
        {
            (i, j): n[i] * by_n[j] + t[i] * by_t[j] + o[i] * by_o[j]
            for i in range(3)
            for j in range(i, 3)
        }
    )
    columns: list[Vector] = [
        tuple(upper[min(i, j), max(i, j)] for i in range(3))  # type: ignore[misc]
        for j in range(3)
    ]
    # [r] x C, a column at a time, then again from the right
    turned = stage([cross(there.pos, column) for column in columns])
    lever: list[Vector] = [tuple(column[i] for column in turned) for i in range(3)]  # type: ignore[misc]
    twice = [cross(there.pos, one) for one in lever]
    blocks: dict[tuple[int, int], Array] = {}
    for i in range(3):
        for j in range(3):
            blocks[i, 3 + j] = turned[j][i]
            if j >= i:
                blocks[3 + i, 3 + j] = upper[i, j]
                blocks[i, j] = twice[i][j]
    names = list(blocks)
    member = structure.points.member.T
    sums = dict(zip(names, mix_each(member, *blocks.values()), strict=True))
    entries = [sums[min(i, j), max(i, j)] for i in range(6) for j in range(6)]
    some = entries[0]
    return jnp.stack(entries, 1).reshape(len(some), 6, 6, some.shape[1])
