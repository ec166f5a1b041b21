"""Newton's method on MuJoCo's convex problem, with an exact line search, for all worlds at once."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from gradcheck.engines.g1.algebra import Array, dot, epsilon, stage, symmetric
from gradcheck.engines.g1.constraint import (
    Response,
    Rows,
    Values,
    curvature,
    generalised,
    respond,
    values,
)
from gradcheck.engines.g1.contact import of_frames
from gradcheck.engines.g1.dynamics import combined, difference, negative
from gradcheck.engines.g1.factor import Factor, columns, factor, solve
from gradcheck.engines.g1.inertia import six_by_six
from gradcheck.engines.g1.kinematics import Pose
from gradcheck.engines.g1.mixing import mix, total
from gradcheck.engines.g1.motion import Dofs, Inertia, Spatial, inner
from gradcheck.engines.g1.structure import Structure
from gradcheck.engines.g1.tree import Tree

ITERATIONS = 30
LINE_ITERATIONS = 30


class Bodies(NamedTuple):
    """What a factor is made of: at, and in it, by runs of levels, joints: the columns S, and
    frames: the inertias as matrices; the root's [1, 6, 6, B]; the armature."""

    at: Pose
    joints: list[Array]
    root: Array
    frames: list[Array]
    armature: Dofs


class Problem(NamedTuple):
    """What the solver minimises: 1/2 a^T M a - a.smooth + s(J a - aref).

    excess: M a - smooth where the solver starts; size [1, B]: of the forces, N.
    """

    s: Spatial
    bodies: Bodies
    rows: Rows
    excess: Dofs
    size: Array


class Solution(NamedTuple):
    """qacc; residual [1, B]: |M a - smooth - J^T f| over the size of the forces; iterations
    [1, B]."""

    qacc: Dofs
    residual: Array
    iterations: Array


def bodies_of(
    tree: Tree, at: Pose, s: Spatial, inertia: tuple[Inertia, Inertia], armature: Dofs
) -> Bodies:
    """For a factor at a pose."""
    root, frames = stage((six_by_six(inertia[0]), six_by_six(inertia[1])))
    joints, runs = stage((tree.by_run(columns(s)), tree.by_run(frames)))
    return Bodies(at, joints, root, runs, armature)


def hessian(structure: Structure, of: Bodies, rows: Rows, answer: Response) -> Factor:
    """The factor of M + J^T D J at the rows' stiffnesses."""
    tree, root, frames = structure.tree, of.root, list(of.frames)
    if len(structure.points.frames):
        block = stage(curvature(structure, rows.contact, answer.stiff))
        choice, base = of_frames(structure)
        if np.any(base):
            root = root + mix(base.T, block)
        begin = 0
        for index, run in enumerate(frames):
            count = run.shape[0] * run.shape[1]
            onto = choice.T[begin : begin + count]
            if np.any(onto):
                frames[index] = run + mix(onto, block).reshape(run.shape)
            begin += count
    diagonal = of.armature._replace(joint=of.armature.joint + answer.joint_stiff)
    return factor(tree, of.at, of.joints, root, stage(frames), diagonal)


def tolerance(dtype: np.dtype) -> float:
    """Residual at which a solve counts as converged: some hundred roundings."""
    return 1e-4 if dtype == np.float32 else 1e-11


class _Carry(NamedTuple):
    a: Dofs
    excess: Dofs  # M a - smooth
    at: Values
    answer: Response
    slope: Dofs
    residual: Array
    done: Array
    taken: Array


def minimise(structure: Structure, problem: Problem, start: Dofs) -> Solution:
    """Newton's method from `start`.

    It ends in a world when the residual is down to roundings, or, close to that, no longer falls;
    the others go on.
    """
    floor = 8 * epsilon(problem.size.dtype)
    near = tolerance(problem.size.dtype)

    at_pose, s, rows = problem.bodies.at, problem.s, problem.rows

    def pushed(contact: tuple[Array, Array, Array], joint: Array) -> Dofs:
        return generalised(structure, at_pose, s, rows, contact, joint)

    def body(carry: _Carry) -> _Carry:
        made = hessian(structure, problem.bodies, rows, carry.answer)
        step = negative(solve(structure.tree, made, carry.slope))
        change = values(structure, at_pose, s, rows, step, linear=True)
        # M p = -slope - J^T D J p, by the equation that p solves
        stiff = carry.answer
        press = pushed(symmetric(stiff.stiff, change.contact), stiff.joint_stiff * change.joint)
        mass_step = stage(negative(jax.tree.map(jnp.add, carry.slope, press)))
        along, at, answer = _line(structure, rows, carry, change, step, mass_step)
        excess = stage(combined(carry.excess, along, mass_step))
        slope = stage(difference(excess, pushed(answer.contact, answer.joint)))
        residual = jnp.sqrt(inner(slope, slope)) / problem.size
        stuck = (residual > 0.5 * carry.residual) & (carry.residual < near)
        residual = jnp.where(carry.done, carry.residual, residual)
        done = carry.done | (residual <= floor) | stuck
        count = carry.taken + jnp.where(carry.done, 0, 1)
        a = combined(carry.a, along, step)
        return _Carry(a, excess, at, answer, slope, residual, done, count)

    excess = problem.excess
    at = values(structure, at_pose, s, rows, start)
    answer = respond(structure, rows, at)
    slope = stage(difference(excess, pushed(answer.contact, answer.joint)))
    residual = jnp.sqrt(inner(slope, slope)) / problem.size
    none = jnp.zeros(residual.shape, jnp.int32)
    first = _Carry(start, excess, at, answer, slope, residual, residual <= floor, none)
    last = jax.lax.while_loop(
        lambda c: jnp.any(~c.done) & (jnp.max(c.taken) < ITERATIONS), body, first
    )
    return Solution(last.a, last.residual, last.taken)


class _Line(NamedTuple):
    along: Array
    low: Array
    high: Array
    at: Values
    answer: Response
    done: Array
    taken: Array


def _line(
    structure: Structure,
    some: Rows,
    carry: _Carry,
    change: Values,
    step: Dofs,
    mass_step: Dofs,
) -> tuple[Array, Values, Response]:
    """The step length [1, B] that minimises along `step`, and the rows there.

    The slope along the line rises, piecewise linearly for pyramids; Newton on it, held within the
    bracket that its signs give, ends on the piece of the minimum exactly. A world that is done
    stays.
    """
    linear, square = inner(step, carry.excess), inner(step, mass_step)

    def slopes(along: Array, answer: Response) -> tuple[Array, Array]:
        force, stiff = answer.contact, answer.stiff
        first = total(dot(force, change.contact)) + total(answer.joint * change.joint)
        bent = dot(symmetric(stiff, change.contact), change.contact)
        second = total(bent) + total(answer.joint_stiff * change.joint**2)
        return linear + along * square - first, square + second

    start, _ = slopes(jnp.zeros_like(linear), carry.answer)
    eps = epsilon(start.dtype)
    # Newton's own step ends on the minimum but for the roundings of the terms that cancel there.
    enough = jnp.abs(start) * eps**0.5 + 8 * eps * (jnp.abs(linear) + jnp.abs(square))

    def body(line: _Line) -> _Line:
        x, y, z = (
            at + line.along * p for at, p in zip(carry.at.contact, change.contact, strict=True)
        )
        at = stage(Values((x, y, z), carry.at.joint + line.along * change.joint))
        answer = respond(structure, some, at)
        first, second = stage(slopes(line.along, answer))
        low = jnp.where(first < 0, line.along, line.low)
        high = jnp.where(first > 0, line.along, line.high)
        newton = line.along - first / jnp.where(second > 0, second, 1.0)
        middle = jnp.where(jnp.isinf(high), 2 * line.along, 0.5 * (low + high))
        new = jnp.where((newton > low) & (newton < high), newton, middle)
        done = line.done | (jnp.abs(first) <= enough)
        last = line.taken + 1 >= LINE_ITERATIONS
        new = jnp.where(done | last, line.along, new)
        return _Line(new, low, high, at, answer, done, line.taken + 1)

    one = jnp.ones_like(linear)
    first = _Line(
        jnp.where(carry.done, 0 * one, one),
        0 * one,
        jnp.inf * one,
        carry.at,
        carry.answer,
        carry.done,
        jnp.asarray(0),
    )
    line = jax.lax.while_loop(
        lambda s: (jnp.any(~s.done) | (s.taken == 0)) & (s.taken < LINE_ITERATIONS), body, first
    )
    return line.along, line.at, line.answer
