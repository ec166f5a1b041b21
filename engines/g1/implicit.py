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

from gradcheck.engines.g1.algebra import Array, stage, symmetric
from gradcheck.engines.g1.constraint import Response, generalised, respond, rows, values
from gradcheck.engines.g1.dynamics import difference, inverse_dynamics, mass_times, weighted
from gradcheck.engines.g1.factor import Factor, columns, factor, solve
from gradcheck.engines.g1.inertia import inertias, six_by_six
from gradcheck.engines.g1.kinematics import Pose, directions, twists
from gradcheck.engines.g1.motion import Dofs
from gradcheck.engines.g1.parameters import Parameters
from gradcheck.engines.g1.solver import Problem, Solution, hessian, minimise
from gradcheck.engines.g1.structure import Structure


class Inputs(NamedTuple):
    """What the constrained acceleration depends on; `force`: passive and actuator forces."""

    parameters: Parameters
    armature: Dofs
    at: Pose
    v: Dofs
    force: Dofs


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def acceleration(structure: Structure, given: Inputs, start: Dofs) -> Solution:
    """qacc of the converged constraint problem; `start`, the warm start, has no influence on it."""
    problem = problem_of(structure, given)
    return minimise(structure, problem, start)


def problem_of(structure: Structure, given: Inputs) -> Problem:
    """The convex problem at a state."""
    at = given.at
    s = stage(directions(structure, at.mat, at.pos))
    bodies = stage(inertias(structure, given.parameters.body_mass, at))
    nothing = jax.tree.map(jnp.zeros_like, given.v)
    bias = inverse_dynamics(structure, at, s, bodies, given.armature, given.v, nothing)
    twist = twists(structure, at, s, given.v)
    some = rows(structure, given.parameters, at, given.v, twist)
    smooth = difference(given.force, bias)
    return Problem(
        at,
        s,
        columns(s),
        bodies,
        stage(six_by_six(bodies[0])),
        stage(six_by_six(bodies[1])),
        given.armature,
        smooth,
        some,
    )


def residual(structure: Structure, given: Inputs, a: Dofs) -> Dofs:
    """Inverse dynamics at `a` less all forces; zero where `a` solves the problem."""
    at = given.at
    s = stage(directions(structure, at.mat, at.pos))
    bodies = stage(inertias(structure, given.parameters.body_mass, at))
    needed = inverse_dynamics(structure, at, s, bodies, given.armature, given.v, a)
    twist = twists(structure, at, s, given.v)
    some = rows(structure, given.parameters, at, given.v, twist)
    answer = respond(structure, some, values(structure, at, s, some, a))
    push = generalised(structure, at, s, some, answer.contact, answer.joint)
    return difference(difference(needed, given.force), push)


@acceleration.defjvp
def _acceleration_jvp(
    structure: Structure, primals: tuple[Inputs, Dofs], tangents: tuple[Inputs, Any]
) -> tuple[Solution, Solution]:
    given, start = primals
    found = acceleration(structure, given, start)
    a = jax.tree.map(
        lambda x: jax.ad_checkpoint.checkpoint_name(x, "g1.qacc"), found.qacc
    )
    _, change = jax.jvp(lambda x: residual(structure, x, a), (given,), (tangents[0],))
    problem = jax.lax.stop_gradient(problem_of(structure, given))
    answer = respond(
        structure, problem.rows, values(structure, problem.at, problem.s, problem.rows, a)
    )
    made = hessian(structure, problem, answer)
    da = _negative(_symmetric_solve(structure, problem, answer, made, change))
    found = found._replace(qacc=a)
    none = jax.tree.map(_no_tangent, found)
    return found, none._replace(qacc=da)


def _no_tangent(x: Array) -> Any:
    if jnp.issubdtype(x.dtype, jnp.floating):
        return jnp.zeros_like(x)
    return jnp.zeros(x.shape, jax.dtypes.float0)


def _negative(x: Dofs) -> Dofs:
    return jax.tree.map(jnp.negative, x)


def _symmetric_solve(
    structure: Structure, problem: Problem, answer: Response, made: Factor, b: Dofs
) -> Dofs:
    def times(x: Dofs) -> Dofs:
        """H x, which JAX asks for; the solve below does not use it."""
        mass = mass_times(
            structure, problem.at, problem.s, problem.bodies, problem.armature, x
        )
        change = values(structure, problem.at, problem.s, problem.rows, x, linear=True)
        contact = symmetric(answer.stiff, change.contact)
        joint = answer.joint_stiff * change.joint
        push = generalised(structure, problem.at, problem.s, problem.rows, contact, joint)
        return jax.tree.map(jnp.add, mass, push)

    def solved(_: Any, right: Dofs) -> Dofs:
        return solve(structure.tree, made, right)

    out: Dofs = jax.lax.custom_linear_solve(times, b, solved, symmetric=True)
    return out


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def damped_change(
    structure: Structure, given: Inputs, damping: Dofs, qacc: Dofs
) -> Dofs:
    """y of (M + D) y = -D qacc: what a joint damping `D` (time step x damping) that is taken
    implicitly adds to the acceleration."""
    made, _ = _damped(structure, given, damping)
    return solve(structure.tree, made, _negative(_scaled(damping, qacc)))


def _scaled(weights: Dofs, x: Dofs) -> Dofs:
    return jax.tree.map(jnp.multiply, weights, x)


def _damped(structure: Structure, given: Inputs, damping: Dofs) -> tuple[Factor, Any]:
    at = given.at
    s = stage(directions(structure, at.mat, at.pos))
    bodies = stage(inertias(structure, given.parameters.body_mass, at))
    diagonal = jax.tree.map(jnp.add, given.armature, damping)
    made = factor(
        structure.tree,
        at,
        columns(s),
        stage(six_by_six(bodies[0])),
        stage(six_by_six(bodies[1])),
        diagonal,
    )
    return made, (s, bodies, diagonal)


@damped_change.defjvp
def _damped_change_jvp(
    structure: Structure,
    primals: tuple[Inputs, Dofs, Dofs],
    tangents: tuple[Inputs, Dofs, Dofs],
) -> tuple[Dofs, Dofs]:
    given, damping, qacc = primals
    y = damped_change(structure, *primals)
    y = jax.tree.map(lambda x: jax.ad_checkpoint.checkpoint_name(x, "g1.qacc"), y)

    def equation(one: Inputs, d: Dofs, a: Dofs) -> Dofs:
        s = stage(directions(structure, one.at.mat, one.at.pos))
        bodies = stage(inertias(structure, one.parameters.body_mass, one.at))
        mass = mass_times(structure, one.at, s, bodies, one.armature, y)
        return weighted(d, jax.tree.map(jnp.add, y, a), mass)

    _, change = jax.jvp(equation, primals, tangents)
    made, (s, bodies, diagonal) = jax.lax.stop_gradient(_damped(structure, given, damping))

    def times(x: Dofs) -> Dofs:
        return mass_times(structure, given.at, s, bodies, diagonal, x)

    def solved(_: Any, right: Dofs) -> Dofs:
        return solve(structure.tree, made, right)

    return y, _negative(jax.lax.custom_linear_solve(times, change, solved, symmetric=True))
