"""Contacts of planar balls: gap, normal, time of impact and impulse, in JAX.

Positions and velocities are [n, d]; times in seconds, gaps in metres. Sums of products with rows
of constants stand in for indexing and matrix products: XLA fuses them into one loop, and neither
scatters nor calls of a matrix library.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from gradcheck.scene import Balls, Plane


@dataclass(frozen=True)
class Contact:
    """One ball against another, or against a plane.

    `signs` [n]: +1 for the ball pushed along the normal, -1 for the one pushed against it, else
    0. `shares` [n] are the signs over the masses. `reach` is the distance of the centres (of the
    centre from the plane) when they touch.
    """

    signs: tuple[float, ...]
    shares: tuple[float, ...]
    reach: float
    plane: Plane | None = None

    @property
    def reduced_mass(self) -> float:
        """The mass that the gap's acceleration sees."""
        return 1.0 / sum(abs(share) for share in self.shares)

    def between(self, vectors: jax.Array) -> jax.Array:
        """Vectors [n, d] of one ball relative to the other (to the ground) -> [d]."""
        signs = jnp.asarray(self.signs, vectors.dtype)
        return jnp.sum(signs[:, None] * vectors, axis=0)

    def normal(self, position: jax.Array) -> jax.Array:
        """Unit vector [d] from the plane, or from the first ball to the second."""
        if self.plane is not None:
            return jnp.asarray(self.plane.normal, position.dtype)
        apart = self.between(position)
        return apart / jnp.sqrt(dot(apart, apart))

    def gap(self, position: jax.Array) -> jax.Array:
        """Distance between the surfaces; negative when they overlap."""
        apart = self.between(position)
        if self.plane is not None:
            return dot(self.normal(position), apart) - self.plane.offset - self.reach
        return jnp.sqrt(dot(apart, apart)) - self.reach

    def impact(
        self, position: jax.Array, velocity: jax.Array, rest: jax.Array
    ) -> tuple[jax.Array, jax.Array]:
        """Whether the surfaces meet within `rest` at constant velocities, and when.

        The time is `rest` where they do not meet. Of balls that overlap it is negative: they are
        put where they would be had they met before.
        """
        apart, speed = self.between(position), self.between(velocity)
        if self.plane is not None:
            closing = -dot(self.normal(position), speed)
            meets = closing > 0
            time = self.gap(position) / jnp.where(meets, closing, 1.0)
        else:
            # |apart + t speed| = reach; the root is written so that it does not cancel.
            along = dot(apart, speed)
            excess = dot(apart, apart) - self.reach**2
            root2 = along**2 - dot(speed, speed) * excess
            meets = (along < 0) & (root2 > 0)
            root = jnp.sqrt(jnp.where(meets, root2, 1.0))
            time = excess / jnp.where(meets, root - along, 1.0)
        meets = meets & (time < rest)
        return meets, jnp.where(meets, time, rest)

    def push(self, vectors: jax.Array, normal: jax.Array, amount: jax.Array) -> jax.Array:
        """Velocities or accelerations [n, d] after an impulse or force `amount` along `normal`."""
        shares = jnp.asarray(self.shares, vectors.dtype)
        return vectors + amount * shares[:, None] * normal


def dot(one: jax.Array, other: jax.Array) -> jax.Array:
    """Scalar product of vectors [d]."""
    return jnp.sum(one * other)


def contacts(scene: Balls) -> tuple[Contact, ...]:
    """All contacts that the scene allows: each ball with each plane, then the listed pairs."""
    count = len(scene.masses)

    def contact(signed: dict[int, float], reach: float, plane: Plane | None) -> Contact:
        signs = tuple(signed.get(ball, 0.0) for ball in range(count))
        shares = tuple(s / mass for s, mass in zip(signs, scene.masses, strict=True))
        return Contact(signs, shares, reach, plane)

    found = [
        contact({ball: 1.0}, scene.radii[ball], plane)
        for plane in scene.planes
        for ball in range(count)
    ]
    for first, second in scene.pairs:
        reach = scene.radii[first] + scene.radii[second]
        found.append(contact({first: -1.0, second: 1.0}, reach, None))
    return tuple(found)
