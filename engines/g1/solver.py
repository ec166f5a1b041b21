"""Newton's method on MuJoCo's convex problem, with an exact line search, for all worlds at once."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gradcheck.engines.g1.algebra import Array, Symmetric, Vector, dot, stage, symmetric
from gradcheck.engines.g1.constraint import (
    Response,
    Rows,
    Values,
    curvature,
    generalised,
    respond,
    values,
)
from gradcheck.engines.g1.contact import choice_of
from gradcheck.engines.g1.dynamics import combined, difference, mass_times
from gradcheck.engines.g1.factor import Factor, Motion, at_frames, factor, solve
from gradcheck.engines.g1.inertia import six_by_six
from gradcheck.engines.g1.kinematics import Pose
from gradcheck.engines.g1.motion import Dofs, Inertia, Spatial, inner
from gradcheck.engines.g1.structure import Structure

ITERATIONS = 30
LINE_ITERATIONS = 30


class Problem(NamedTuple):
    """What the solver minimises: 1/2 a^T M a - a.smooth + s(J a - aref)."""

    at: Pose
    s: Spatial
    motion: Motion
    bodies: tuple[Inertia, Inertia]
    armature: Dofs
    smooth: Dofs
    rows: Rows


class Solution(NamedTuple):
    """qacc; residual [1, B]: |M a - smooth - J^T f| over the size of its terms; iterations [1, B];
    the answer of the rows at qacc."""

    qacc: Dofs
    residual: Array
    iterations: Array


def hessian(structure: Structure, problem: Problem, stiff: Response) -> Factor:
    """The factor of M + J^T D J at the rows' stiffnesses."""
    root, frames = six_by_six(problem.bodies[0]), six_by_six(problem.bodies[1])
    for points, row, one in zip(
        structure.points, problem.rows.contacts, stiff.stiff, strict=True
    ):
        block = stage(curvature(row, one))
        choice, base = choice_of(structure, points)
        frames = frames + at_frames(jnp.asarray(choice.T, frames.dtype), block)
        if np.any(base):
            root = root + at_frames(jnp.asarray(base.T, frames.dtype), block)
    more = problem.armature
    diagonal = Dofs(more.lin, more.ang, more.joint + stiff.joint_stiff)
    return factor(structure.tree, problem.motion, stage(root), stage(frames), diagonal)


def tolerance(dtype: np.dtype) -> float:
    """Residual at which a solve counts as converged: some hundred roundings."""
    return 1e-4 if dtype == np.float32 else 1e-11


def minimise(structure: Structure, problem: Problem, start: Dofs) -> Solution:
    """Newton's method from `start`.

    It ends in a world when the residual is down to roundings, or when a full step no longer
    lowers it; the others go on.
    """
    dtype = problem.motion.root.dtype
    floor = 4 * float(jnp.finfo(dtype).eps)

    def gradient(excess: Dofs, at: Values) -> tuple[Dofs, Response, Array]:
        answer = respond(structure, problem.rows, at)
        push = generalised(
            structure, problem.at, problem.s, problem.rows, answer.contacts, answer.joint
        )
        slope = stage(difference(excess, push))
        return slope, answer, _relative(slope, problem.smooth, push)

    def body(carry: "_Carry") -> "_Carry":
        made = hessian(structure, problem, carry.answer)
        step = _negative(stage(solve(structure.tree, made, carry.slope)))
        change = values(structure, problem.at, problem.s, problem.rows, step, linear=True)
        answer = _pressed(carry.answer, change)
        press = generalised(
            structure, problem.at, problem.s, problem.rows, answer[0], answer[1]
        )
        # M p = -slope - J^T D J p, by the equation that p solves
        mass_step = _negative(stage(_sum(carry.slope, press)))
        along = _line(structure, problem.rows, carry, change, step, mass_step)
        along = jnp.where(carry.done, 0.0, along)
        excess = stage(combined(carry.excess, along, mass_step))
        at = stage(_moved(carry.at, along, change))
        slope, after, residual = gradient(excess, at)
        worse = residual > 0.5 * carry.residual
        # Near the end a step that no longer lowers the residual has met the roundings.
        stuck = worse & (carry.residual < tolerance(dtype))
        kept = jnp.where(carry.done, carry.residual, residual)
        done = carry.done | (residual <= floor) | stuck
        return _Carry(
            combined(carry.a, along, step),
            excess,
            at,
            slope,
            after,
            kept,
            done,
            carry.count + jnp.where(carry.done, 0, 1),
        )

    excess = difference(
        mass_times(
            structure, problem.at, problem.s, problem.bodies, problem.armature, start
        ),
        problem.smooth,
    )
    at = values(structure, problem.at, problem.s, problem.rows, start)
    slope, answer, residual = gradient(stage(excess), at)
    first = _Carry(
        start, excess, at, slope, answer, residual, residual <= floor,
        jnp.zeros(residual.shape, jnp.int32),
    )
    last = jax.lax.while_loop(
        lambda c: jnp.any(~c.done) & (jnp.max(c.count) < ITERATIONS), body, first
    )
    return Solution(last.a, last.residual, last.count)


class _Carry(NamedTuple):
    a: Dofs
    excess: Dofs  # M a - smooth
    at: Values
    slope: Dofs
    answer: Response
    residual: Array
    done: Array
    count: Array


def _relative(slope: Dofs, smooth: Dofs, push: Dofs) -> Array:
    size = jnp.sqrt(inner(smooth, smooth)) + jnp.sqrt(inner(push, push))
    return jnp.sqrt(inner(slope, slope)) / jnp.where(size > 0, size, 1.0)


def _negative(x: Dofs) -> Dofs:
    return jax.tree.map(jnp.negative, x)


def _sum(a: Dofs, b: Dofs) -> Dofs:
    return jax.tree.map(jnp.add, a, b)


def _pressed(answer: Response, change: Values) -> tuple[tuple[Vector, ...], Array]:
    """D J p of each row."""
    contacts = tuple(
        _times(stiff, one) for stiff, one in zip(answer.stiff, change.contacts, strict=True)
    )
    return contacts, answer.joint_stiff * change.joint


def _times(stiff: Symmetric, x: Vector) -> Vector:
    return symmetric(stiff, x)


def _moved(at: Values, along: Array, change: Values) -> Values:
    """Values after a step; `along` [1, B] goes over joints as it is and over points spread out."""
    contacts = tuple(
        tuple(x + along[None] * p for x, p in zip(one, two, strict=True))
        for one, two in zip(at.contacts, change.contacts, strict=True)
    )
    return Values(contacts, at.joint + along * change.joint)  # type: ignore[arg-type]


def _line(
    structure: Structure,
    some: Rows,
    carry: _Carry,
    change: Values,
    step: Dofs,
    mass_step: Dofs,
) -> Array:
    """The step length [1, B] that minimises along `step`.

    The slope along the line rises, piecewise linearly for pyramids; Newton on it, held within the
    bracket that its signs give, ends on the piece of the minimum exactly.
    """
    linear = inner(step, carry.excess)
    square = inner(step, mass_step)

    def slope(along: Array) -> tuple[Array, Array]:
        answer = respond(structure, some, _moved(carry.at, along, change))
        first = linear + along * square - (answer.joint * change.joint).sum(0, keepdims=True)
        second = square + (answer.joint_stiff * change.joint**2).sum(0, keepdims=True)
        for force, stiff, p in zip(answer.contacts, answer.stiff, change.contacts, strict=True):
            first = first - dot(force, p).sum((0, 1))[None]
            second = second + dot(_times(stiff, p), p).sum((0, 1))[None]
        return first, second

    start = linear - (carry.answer.joint * change.joint).sum(0, keepdims=True)
    for force, p in zip(carry.answer.contacts, change.contacts, strict=True):
        start = start - dot(force, p).sum((0, 1))[None]
    enough = jnp.abs(start) * 1e-3 if start.dtype == jnp.float32 else jnp.abs(start) * 1e-9

    def body(state: tuple[Array, ...]) -> tuple[Array, ...]:
        along, low, high, first, second, done, count = state
        low = jnp.where(first < 0, along, low)
        high = jnp.where(first > 0, along, high)
        newton = along - first / jnp.where(second > 0, second, 1.0)
        middle = jnp.where(jnp.isinf(high), 2 * along, 0.5 * (low + high))
        inside = (newton > low) & (newton < high)
        new = jnp.where(done, along, jnp.where(inside, newton, middle))
        first, second = slope(new)
        return new, low, high, first, second, done | (jnp.abs(first) <= enough), count + 1

    one = jnp.ones_like(start)
    first, second = slope(one)
    done = carry.done | (jnp.abs(first) <= enough)
    state = (one, 0 * one, jnp.inf * one, first, second, done, jnp.asarray(0))
    return jax.lax.while_loop(
        lambda s: jnp.any(~s[5]) & (s[6] < LINE_ITERATIONS), body, state
    )[0]
