"""One time step of frictionless balls above planes, and its adjoint."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

State = tuple[jax.Array, jax.Array]
Step = Callable[[jax.Array, jax.Array, jax.Array, jax.Array], State]


@dataclass(frozen=True)
class Ground:
    """A plane that pushes back. Balls touch it where normal . x < reach [n], in metres; it
    accelerates them by -stiffness gap - damping gap', in 1/s² and 1/s."""

    normal: tuple[float, ...]
    reach: tuple[float, ...]
    stiffness: float
    damping: float


def make_step(grounds: tuple[Ground, ...]) -> Step:
    """The step (x [n, d], v [n, d], a [n, d], dt) -> (x, v), by semi-implicit Euler."""

    def acceleration(x: jax.Array, v: jax.Array, a: jax.Array) -> jax.Array:
        for ground in grounds:
            normal = jnp.asarray(ground.normal, x.dtype)
            gap = x @ normal - jnp.asarray(ground.reach, x.dtype)
            push = -ground.stiffness * gap - ground.damping * (v @ normal)
            a = a + jnp.where(gap < 0, push, 0.0)[:, None] * normal
        return a

    @jax.custom_vjp
    def step(x: jax.Array, v: jax.Array, a: jax.Array, dt: jax.Array) -> State:
        v = v + dt * acceleration(x, v, a)
        return x + dt * v, v

    def forward(x: jax.Array, v: jax.Array, a: jax.Array, dt: jax.Array) -> tuple[State, Any]:
        return step(x, v, a, dt), (x, v, a, dt)

    def backward(kept: Any, cotangent: State) -> tuple[jax.Array, ...]:
        x, v, a, dt = kept
        by_x, by_v = cotangent
        total = acceleration(x, v, a)
        by_dt = jnp.sum(by_x * (v + dt * total))
        by_v = by_v + dt * by_x
        by_dt = by_dt + jnp.sum(by_v * total)
        by_a = dt * by_v
        for ground in grounds:
            normal = jnp.asarray(ground.normal, x.dtype)
            touching = x @ normal < jnp.asarray(ground.reach, x.dtype)
            by_push = jnp.where(touching, by_a @ normal, 0.0)[:, None] * normal
            by_x = by_x - ground.stiffness * by_push
            by_v = by_v - ground.damping * by_push
        return by_x, by_v, by_a, by_dt

    step.defvjp(forward, backward)
    return step
