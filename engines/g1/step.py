"""One time step of all worlds. `advance` reads as the algorithm."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp

from gradcheck.engines.g1.algebra import Array
from gradcheck.engines.g1.compiled import compiled
from gradcheck.engines.g1.dynamics import applied, by_dof, by_row
from gradcheck.engines.g1.implicit import Inputs, accelerations
from gradcheck.engines.g1.integrate import position, velocity
from gradcheck.engines.g1.kinematics import pose
from gradcheck.engines.g1.model import Model
from gradcheck.engines.g1.motion import Dofs
from gradcheck.engines.g1.parameters import batch_last, real
from gradcheck.engines.g1.solver import tolerance
from gradcheck.engines.g1.state import UNUSABLE, State, Status, check, status


def step(model: Model, current: State, ctrl: Array) -> State:
    """The state after one time step.

    ctrl [batch, nu], or [nu] for a state without batch; in the actuators' units. Differentiable
    with respect to the state's qpos and qvel, ctrl and model.parameters, in forward and reverse
    mode. A world with NaN, a quaternion that is not of unit length or without convergence is
    flagged in `status`, carries no gradient through this step, and leaves the others alone. A
    control beyond `model.ctrl_range` is held at its end, as MuJoCo does, flagged, and has gradient
    0 itself; all others keep theirs. Outside jit any of these inputs raises `BadInput`.
    """
    ctrl = real("ctrl", ctrl, model.dtype)
    check(model, current, ctrl)
    return _step(model, current, ctrl)


@compiled
def _step(model: Model, current: State, ctrl: Array) -> State:
    single = current.qpos.ndim == 1
    rows: list[Any] = [current.qpos, current.qvel, current.qacc, ctrl]
    if single:
        rows = [x[None] for x in rows]
    qpos, qvel, qacc, ctrl = (x.T for x in rows)
    flags = status(model, qpos, qvel, ctrl)
    flags = flags | jnp.where(model.timestep > 0, 0, Status.TIMESTEP)
    usable = flags & UNUSABLE == 0
    safe = jnp.asarray(model.structure.mj_model.qpos0, qpos.dtype)[:, None]
    start = jnp.where(usable, qpos, safe), jnp.where(usable, qvel, 0), jnp.where(usable, ctrl, 0)
    warm = jnp.where(usable & jnp.all(jnp.isfinite(qacc), 0), qacc, 0)
    after = advance(model, *start, warm)
    converged = after[3] <= tolerance(qpos.dtype)
    flags = flags | jnp.where(usable & ~converged, Status.NOT_CONVERGED, 0)
    out = [
        jnp.where(usable & converged, new, jax.lax.stop_gradient(jnp.where(usable, new, old))).T
        for new, old in zip(after[:3], (qpos, qvel, qacc), strict=True)
    ]
    made = State(out[0], out[1], out[2], jnp.where(usable, after[3], 0), after[4], flags)
    if single:
        made = jax.tree.map(lambda x: x[0], made)
    return dataclasses.replace(made, status=current.status | made.status)


def advance(
    model: Model, qpos: Array, qvel: Array, ctrl: Array, warm: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """qpos [nq, B], qvel and qacc [nv, B] after a step; residual and iterations [B] of its
    solve."""
    fixed = model.structure
    given = inputs(model, qpos, qvel, ctrl)
    # the constraint problem, and joint damping taken implicitly
    found = accelerations(fixed, given, jax.lax.stop_gradient(by_dof(fixed, warm)))
    a = jax.tree.map(jnp.add, found.qacc, found.change)
    # integration; what did not converge, and may be NaN, apart from what has a derivative
    ok = found.residual <= tolerance(qpos.dtype)
    right = _integrated(model, qpos, given.v, jax.tree.map(lambda x: jnp.where(ok, x, 0), a))
    wrong = jax.lax.stop_gradient((qpos, given.v, a))
    moved, v = jax.tree.map(functools.partial(jnp.where, ok), right, _integrated(model, *wrong))
    return (
        moved,
        v,
        by_row(fixed, jax.lax.stop_gradient(found.qacc)),
        found.residual[0],
        found.iterations[0],
    )


def inputs(model: Model, qpos: Array, qvel: Array, ctrl: Array) -> Inputs:
    """Kinematics, and the forces that do not depend on acceleration."""
    fixed, parameters = model.structure, batch_last(model.parameters)
    origin, quaternion, joint = _split(model, qpos)
    at = pose(fixed, origin, quaternion, joint)
    v = by_dof(fixed, qvel)
    force, damping = _applied(model, parameters, joint, v, ctrl)
    armature = by_dof(fixed, _wide(parameters.dof_armature, qpos))
    return Inputs(model.timestep, parameters, armature, at, v, force, damping)


def _integrated(model: Model, qpos: Array, v: Dofs, a: Dofs) -> tuple[Array, Array]:
    """qpos [nq, B] and qvel [nv, B] after a step at acceleration a."""
    h = model.timestep
    v = velocity(v, h, a)
    origin, quaternion, joint = position(*_split(model, qpos), h, v)
    moved = jnp.concatenate([*origin, *quaternion, _in_order(model, joint)])
    return moved, by_row(model.structure, v)


def _split(model: Model, qpos: Array) -> tuple[Any, Any, Array]:
    """Root position, quaternion, joints in the frames' order."""
    parts = jax.lax.split(qpos, [1] * 7 + [model.nq - 7], axis=0)
    root = jnp.zeros((6, qpos.shape[1]), qpos.dtype)
    joint = by_dof(model.structure, jnp.concatenate([root, parts[7]])).joint
    return tuple(parts[:3]), tuple(parts[3:7]), joint


def _in_order(model: Model, joint: Array) -> Array:
    """Joints in MuJoCo's order."""
    none = jnp.zeros((1, joint.shape[1]), joint.dtype)
    whole = by_row(model.structure, Dofs((none,) * 3, (none,) * 3, joint))
    return jax.lax.split(whole, [6, joint.shape[0]], axis=0)[1]


def _wide(array: Array, like: Array) -> Array:
    return jnp.broadcast_to(array, (array.shape[0], like.shape[1]))


def _applied(
    model: Model, parameters: Any, joint: Array, v: Dofs, ctrl: Array
) -> tuple[Dofs, Dofs | None]:
    """Passive and actuator forces, and the damping that the integrator takes implicitly."""
    fixed = model.structure
    passive, onto, added = applied(fixed, parameters, joint, v, ctrl)
    force = Dofs(passive.lin, passive.ang, passive.joint + onto)
    if not (fixed.implicit or fixed.damps):
        return force, None
    damping = by_dof(fixed, _wide(parameters.dof_damping, joint))
    if fixed.implicit:
        damping = damping._replace(joint=damping.joint + added)
    return force, jax.tree.map(functools.partial(jnp.multiply, model.timestep), damping)
