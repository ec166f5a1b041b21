"""The two solves of a step, differentiated by the implicit function theorem at their solutions.

Neither solver is differentiated. A change of the inputs changes the residual at the fixed
solution; one solve with the factor at the solution turns that into the change of the solution:
R(a, theta) = 0  =>  da = -H^-1 (dR/dtheta) dtheta.
The tangent is written here, linear in its inputs, and JAX transposes it for reverse mode; the
transpose of the solve is the solve itself, as H is symmetric.
"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.ad_checkpoint import checkpoint_name

from gradcheck.engines.g1.algebra import Array, Matrix, stage, symmetric
from gradcheck.engines.g1.constraint import (
    Response,
    Rows,
    generalised,
    respond,
    rows,
    values,
)
from gradcheck.engines.g1.dynamics import (
    difference,
    inverse_dynamics,
    mass_times,
    negative,
    weight,
    weighted,
)
from gradcheck.engines.g1.factor import Factor, factor, solve
from gradcheck.engines.g1.inertia import inertias
from gradcheck.engines.g1.kinematics import Pose, directions, twists
from gradcheck.engines.g1.motion import Dofs, Inertia, Spatial, inner
from gradcheck.engines.g1.parameters import Parameters
from gradcheck.engines.g1.solver import Bodies, Problem, bodies_of, hessian, minimise, tolerance
from gradcheck.engines.g1.structure import Structure

SOLUTION = "g1.solution"


class Inputs(NamedTuple):
    """What the acceleration depends on. force: passive and actuator forces; damping: time step x
    joint damping that is taken implicitly, or None."""

    timestep: Array
    parameters: Parameters
    armature: Dofs
    at: Pose
    v: Dofs
    force: Dofs
    damping: Dofs | None


class Found(NamedTuple):
    """qacc, the converged constraint problem's; change: what implicit damping adds to it, y of
    (M + D) y = -D qacc; residual and iterations [1, B] of the solve."""

    qacc: Dofs
    change: Dofs
    residual: Array
    iterations: Array


class Here(NamedTuple):
    """What the equations at a state are made of."""

    s: Spatial
    inertia: tuple[Inertia, Inertia]
    rows: Rows


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def accelerations(structure: Structure, given: Inputs, start: Dofs) -> Found:
    """The solution of both equations; `start`, the warm start, has no influence on it."""
    here = at_state(structure, given)
    of = bodies_of(structure.tree, given.at, here.s, here.inertia, given.armature)
    needed = inverse_dynamics(
        structure, given.at, here.s, here.inertia, given.armature, given.v, start
    )
    size = weight(structure, given.parameters.body_mass) + jnp.sqrt(inner(given.force, given.force))
    problem = Problem(here.s, of, here.rows, stage(difference(needed, given.force)), size)
    found = minimise(structure, problem, start)
    change = jax.tree.map(jnp.zeros_like, start)
    if given.damping is not None:
        pull = negative(_scaled(given.damping, found.qacc))
        change = solve(structure.tree, _damped(structure, of, given.damping), pull)
    return Found(found.qacc, change, found.residual, found.iterations)


def at_state(structure: Structure, given: Inputs) -> Here:
    """Directions, inertias and constraint rows."""
    at = given.at
    s = stage(directions(structure, at.mat, at.pos))
    inertia = stage(inertias(structure, given.parameters.body_mass, at))
    twist = stage(twists(structure, at, s, given.v))
    return Here(s, inertia, rows(structure, given.timestep, given.parameters, at, given.v, twist))


def equations(
    structure: Structure, given: Inputs, a: Dofs, y: Dofs
) -> tuple[tuple[Dofs, Dofs], tuple[Here, Response]]:
    """Residuals of both equations at qacc and change; zero at the solution. And what they are
    made of."""
    at, here = given.at, at_state(structure, given)
    needed = inverse_dynamics(structure, at, here.s, here.inertia, given.armature, given.v, a)
    answer = respond(structure, here.rows, values(structure, at, here.s, here.rows, a))
    push = generalised(structure, at, here.s, here.rows, answer.contact, answer.joint)
    first = difference(difference(needed, given.force), push)
    second = jax.tree.map(jnp.zeros_like, y)
    if given.damping is not None:
        mass = mass_times(structure, at, here.s, here.inertia, given.armature, y)
        second = weighted(given.damping, jax.tree.map(jnp.add, y, a), mass)
    return (first, second), (here, answer)


@accelerations.defjvp
def _accelerations_jvp(
    structure: Structure, primals: tuple[Inputs, Dofs], tangents: tuple[Inputs, Any]
) -> tuple[Found, Found]:
    given, start = primals
    found = accelerations(structure, given, start)
    # all of it, or the solver would run again in the backward pass for the rest
    found = jax.tree.map(lambda x: checkpoint_name(x, SOLUTION), found)
    # A world that found no solution has no derivative: it takes part with numbers that are finite,
    # or its 0 times infinity would reach the parameters that it shares with the others.
    ok = found.residual <= tolerance(found.residual.dtype)
    given = _harmless(given, ok)
    a, y = jax.tree.map(lambda x: jnp.where(ok, x, 0), (found.qacc, found.change))
    _, (first, second), (here, answer) = jax.jvp(
        lambda x: equations(structure, x, a, y), (given,), (tangents[0],), has_aux=True
    )
    of = bodies_of(structure.tree, given.at, here.s, here.inertia, given.armature)
    made = hessian(structure, of, here.rows, answer)
    da = negative(_solved(structure, given, here, answer, made, first))
    dy = jax.tree.map(jnp.zeros_like, y)
    if given.damping is not None:
        right = jax.tree.map(jnp.add, second, _scaled(given.damping, da))
        damped = _damped(structure, of, given.damping)
        dy = negative(_solved(structure, given, here, None, damped, right))
    none = jnp.zeros_like(found.residual), jnp.zeros(found.iterations.shape, jax.dtypes.float0)
    return found, Found(da, dy, *none)


def _harmless(given: Inputs, ok: Array) -> Inputs:
    """`given`, with the robot at rest and all its frames at the origin where not `ok` [1, B]."""

    def still(x: Any) -> Any:
        return jax.tree.map(lambda one: jnp.where(ok, one, 0), x)

    def upright(mat: Matrix) -> Matrix:
        rows = [
            [jnp.where(ok, entry, float(i == j)) for j, entry in enumerate(row)]
            for i, row in enumerate(mat)
        ]
        return tuple(map(tuple, rows))  # type: ignore[return-value]

    at = still(given.at)._replace(root=upright(given.at.root), mat=upright(given.at.mat))
    return given._replace(at=at, v=still(given.v), force=still(given.force))


def _damped(structure: Structure, of: Bodies, damping: Dofs) -> Factor:
    """The factor of M + D."""
    diagonal = jax.tree.map(jnp.add, of.armature, damping)
    return factor(structure.tree, of.at, of.joints, of.root, of.frames, diagonal)


def _solved(
    structure: Structure,
    given: Inputs,
    here: Here,
    answer: Response | None,
    made: Factor,
    right: Dofs,
) -> Dofs:
    """x of (M + J^T D J) x = right, or of (M + damping) x = right without `answer`."""

    def times(x: Dofs) -> Dofs:
        """The left side, by which JAX would differentiate the solve once more."""
        at, s = given.at, here.s
        mass = mass_times(structure, at, s, here.inertia, given.armature, x)
        if answer is None:
            assert given.damping is not None
            return weighted(given.damping, x, mass)
        change = values(structure, at, s, here.rows, x, linear=True)
        contact = symmetric(answer.stiff, change.contact)
        joint = answer.joint_stiff * change.joint
        push = generalised(structure, at, s, here.rows, contact, joint)
        whole: Dofs = jax.tree.map(jnp.add, mass, push)
        return whole

    def by_factor(_: Any, b: Dofs) -> Dofs:
        return solve(structure.tree, made, b)

    # JAX transposes the solve only if every part of the right side depends on what is
    # differentiated; through the barrier each depends on all.
    right = jax.lax.optimization_barrier(right)
    out: Dofs = jax.lax.custom_linear_solve(times, right, by_factor, symmetric=True)
    return out


def _scaled(weights: Dofs, x: Dofs) -> Dofs:
    out: Dofs = jax.tree.map(jnp.multiply, weights, x)
    return out
