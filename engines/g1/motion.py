"""Motions and forces of the whole robot, and of a rigid body, in world axes about the root's
origin."""

from typing import NamedTuple

from gradcheck.engines.g1.algebra import (
    Array,
    Symmetric,
    Vector,
    add,
    cross,
    dot,
    scale,
    sub,
    symmetric,
)
from gradcheck.engines.g1.mixing import Floats, mix_each, total


class Dofs(NamedTuple):
    """One number for each degree of freedom: qvel, qacc, a generalised force.

    lin: 3 x [1, B], the root's translation, world axes; ang: 3 x [1, B], the root's rotation,
    body axes; joint: [nf, B], hinges and slides in the order of the frames.
    """

    lin: Vector
    ang: Vector
    joint: Array


class Spatial(NamedTuple):
    """A twist (angular, then linear at the root's origin) or a wrench (torque, force)."""

    ang: Vector
    lin: Vector


class Inertia(NamedTuple):
    """Of rigid bodies: mass [n, B]; first moment m c and second moment about the root's origin."""

    mass: Array
    first: Vector
    second: Symmetric


def plus(*all_of: Spatial) -> Spatial:
    """Sum of twists or of wrenches."""
    return Spatial(add(*(one.ang for one in all_of)), add(*(one.lin for one in all_of)))


def times(s: Array, x: Spatial) -> Spatial:
    """s x."""
    return Spatial(scale(s, x.ang), scale(s, x.lin))


def pairing(x: Spatial, f: Spatial) -> Array:
    """Power of a wrench on a twist."""
    return dot(x.ang, f.ang) + dot(x.lin, f.lin)


def cross_motion(v: Spatial, x: Spatial) -> Spatial:
    """Rate of a twist x that moves along with v (Featherstone 2008, eq. 2.31)."""
    return Spatial(cross(v.ang, x.ang), add(cross(v.ang, x.lin), cross(v.lin, x.ang)))


def cross_force(v: Spatial, f: Spatial) -> Spatial:
    """Rate of a wrench f that moves along with v (Featherstone 2008, eq. 2.32)."""
    return Spatial(add(cross(v.ang, f.ang), cross(v.lin, f.lin)), cross(v.ang, f.lin))


def momentum(inertia: Inertia, v: Spatial) -> Spatial:
    """I v."""
    return Spatial(
        add(symmetric(inertia.second, v.ang), cross(inertia.first, v.lin)),
        sub(scale(inertia.mass, v.lin), cross(inertia.first, v.ang)),
    )


def mixed(weights: Floats, x: Spatial) -> Spatial:
    """sum_j weights[i, j] x[j]."""
    a, b, c, d, e, f = mix_each(weights, *x.ang, *x.lin)
    return Spatial((a, b, c), (d, e, f))


def inner(a: Dofs, b: Dofs) -> Array:
    """a . b [1, B]."""
    return dot(a.lin, b.lin) + dot(a.ang, b.ang) + total(a.joint * b.joint)
