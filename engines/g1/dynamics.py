"""Inverse dynamics, and the forces that do not come from constraints."""

import jax
import jax.numpy as jnp
import numpy as np

from gradcheck.engines.g1.algebra import Array, Vector, add, cross, numbers, scale, stage, sub
from gradcheck.engines.g1.kinematics import Pose, down, project, root_twist, twists, up
from gradcheck.engines.g1.mixing import Floats, mix, total
from gradcheck.engines.g1.motion import (
    Dofs,
    Inertia,
    Spatial,
    cross_force,
    cross_motion,
    mixed,
    momentum,
    plus,
    times,
)
from gradcheck.engines.g1.parameters import Parameters
from gradcheck.engines.g1.structure import Structure

Pair = tuple[Inertia, Inertia]


def mass_times(
    structure: Structure, at: Pose, s: Spatial, bodies: Pair, armature: Dofs, x: Dofs
) -> Dofs:
    """M x, armature included, without the matrix."""
    root, rest = stage(twists(structure, at, s, x))
    forces = stage((momentum(bodies[0], root), momentum(bodies[1], rest)))
    return weighted(armature, x, _gathered(structure, at, s, *forces))


def inverse_dynamics(
    structure: Structure,
    at: Pose,
    s: Spatial,
    bodies: Pair,
    armature: Dofs,
    v: Dofs,
    a: Dofs,
) -> Dofs:
    """M a + qfrc_bias, armature included (recursive Newton-Euler; Featherstone 2008, table 5.1,
    here in world axes, so that the recursions are sums over the tree)."""
    root, rest = stage(twists(structure, at, s, v))
    forward = root_twist(at, a)
    gravity = tuple(jnp.asarray(g, v.joint.dtype) for g in structure.gravity)
    # The root's origin moves; its acceleration seen at a fixed point is less by w x v.
    felt: Vector = tuple(  # type: ignore[assignment]
        x - y - g for x, y, g in zip(forward.lin, cross(root.ang, root.lin), gravity, strict=True)
    )
    pushed = Spatial(forward.ang, felt)
    turning = plus(times(a.joint, s), times(v.joint, cross_motion(rest, s)))
    carried = stage(down(structure, pushed, stage(turning)))
    forces = stage((_force(bodies[0], root, pushed), _force(bodies[1], rest, carried)))
    return weighted(armature, a, _gathered(structure, at, s, *forces))


def _force(body: Inertia, v: Spatial, a: Spatial) -> Spatial:
    """I a + v x I v."""
    return plus(momentum(body, a), cross_force(v, stage(momentum(body, v))))


def _gathered(structure: Structure, at: Pose, s: Spatial, root: Spatial, rest: Spatial) -> Dofs:
    """Generalised forces of wrenches on the root and on each frame."""
    total = plus(root, summed(rest))
    return project(at, s, total, stage(up(structure, rest)))


def summed(rest: Spatial) -> Spatial:
    """Sum over the frames, 6 x [1, B]."""
    like = rest.ang[0]
    return mixed(np.ones((1, like.shape[0])), rest)


def weighted(weights: Dofs, x: Dofs, onto: Dofs) -> Dofs:
    """onto + weights x, entry by entry."""
    out: Dofs = jax.tree.map(lambda o, w, e: o + w * e, onto, weights, x)
    return out


def weight(structure: Structure, mass: Array) -> Array:
    """The robot's weight [1, 1|B], N; 1 N m/kg of each kilogram where there is no gravity."""
    pull = float(np.linalg.norm(structure.gravity)) or 1.0
    return pull * total(mass)


def difference(a: Dofs, b: Dofs) -> Dofs:
    """a - b."""
    return Dofs(sub(a.lin, b.lin), sub(a.ang, b.ang), a.joint - b.joint)


def negative(x: Dofs) -> Dofs:
    """-x."""
    out: Dofs = jax.tree.map(jnp.negative, x)
    return out


def combined(a: Dofs, s: Array, b: Dofs) -> Dofs:
    """a + s b."""
    return Dofs(add(a.lin, scale(s, b.lin)), add(a.ang, scale(s, b.ang)), a.joint + s * b.joint)


def actuator_force(
    structure: Structure, parameters: Parameters, joint: Array, speed: Array, ctrl: Array
) -> tuple[Array, Array]:
    """Force of each actuator and its derivative by the joint's velocity times gear, both [nu, B].

    gain ctrl + b0 + b1 length + b2 velocity, the control and the force held in their ranges; a
    force at its limit no longer depends on velocity.
    """
    length, velocity = mix(structure.acts, joint), mix(structure.acts, speed)
    low, high = _ends(structure.ctrl_range, joint)
    # not jnp.clip, whose derivative at the end of the range is a half: a control that was brought
    # back there, as by a projected gradient, still says where to go
    held = jnp.where(ctrl < low, low, jnp.where(ctrl > high, high, ctrl))
    bias = [parameters.actuator_biasprm[:, term] for term in range(3)]
    force = parameters.actuator_gainprm * held + bias[0] + bias[1] * length + bias[2] * velocity
    low, high = _ends(structure.force_range, joint)
    free = (force > low) & (force < high)
    return jnp.clip(force, low, high), jnp.where(free, bias[2], 0.0)


def _ends(ranges: Floats, like: Array) -> tuple[Array, Array]:
    """Lower and upper ends [n, 1] of ranges [n, 2]."""
    return numbers(ranges[:, 0], like), numbers(ranges[:, 1], like)


def applied(
    structure: Structure, parameters: Parameters, joint: Array, v: Dofs, ctrl: Array
) -> tuple[Dofs, Array, Array]:
    """qfrc_passive as `Dofs`, qfrc_actuator [nf, B] on the joints, and the damping [nf, B] that
    the actuators add to the joints."""
    force, slope = actuator_force(structure, parameters, joint, v.joint, ctrl)
    acts = structure.acts.T
    onto = mix(acts, force)
    low, high = _ends(structure.joint_force_range, joint)
    onto = jnp.clip(onto, low, high)
    damping = by_dof(structure, parameters.dof_damping)
    passive: Dofs = jax.tree.map(lambda d, x: -d * x, damping, v)
    added = -mix(acts**2, slope)
    return passive, onto, added


def by_dof(structure: Structure, array: Array) -> Dofs:
    """[nv, B] in MuJoCo's order as `Dofs`."""
    n = structure.tree.count
    root, joint = _parted(array, n)
    if n and np.any(structure.dof != np.arange(6, 6 + n)):
        order = np.zeros((n, n))
        order[np.arange(n), structure.dof - 6] = 1.0
        joint = mix(order, joint)
    return Dofs((root[0], root[1], root[2]), (root[3], root[4], root[5]), joint)


def _parted(array: Array, n: int) -> tuple[list[Array], Array]:
    """The root's six rows [1, B] each, and the joints' [n, B]."""
    parts = jax.lax.split(array, [1] * 6 + [n], axis=0)
    return list(parts[:6]), parts[6]


def by_row(structure: Structure, x: Dofs) -> Array:
    """`Dofs` as [nv, B] in MuJoCo's order."""
    n = structure.tree.count
    joint = x.joint
    if n and np.any(structure.dof != np.arange(6, 6 + n)):
        order = np.zeros((n, n))
        order[structure.dof - 6, np.arange(n)] = 1.0
        joint = mix(order, joint)
    return jnp.concatenate([*x.lin, *x.ang, joint])
