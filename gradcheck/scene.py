"""The forms in which a testbed states its scene. An engine takes the form that it understands.

Functions here receive `xp`, the array module to compute with (numpy or jax.numpy), so that one
statement of a scene serves exact evaluation and differentiation. They must be pure and use
`xp.where` in place of branches on values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# Arrays of numpy or jax: the two share no static type.
AnyArray = Any
AnyInputs = Mapping[str, Any]


@dataclass(frozen=True)
class Formula:
    """Outputs [n_out] written as one expression of the inputs, without time steps."""

    outputs: Callable[[AnyInputs, Any], AnyArray]


@dataclass(frozen=True)
class Equations:
    """A second-order ordinary differential equation q'' = a(q, v, inputs, t).

    start(inputs, xp) -> (q [n], v [n]);  acceleration(q, v, inputs, t, xp) -> [n], t in seconds;
    outputs(q, v, inputs, xp) -> [n_out].
    """

    start: Callable[[AnyInputs, Any], tuple[AnyArray, AnyArray]]
    acceleration: Callable[[AnyArray, AnyArray, AnyInputs, AnyArray, Any], AnyArray]
    outputs: Callable[[AnyArray, AnyArray, AnyInputs, Any], AnyArray]


@dataclass(frozen=True)
class Plane:
    """The half space normal . x >= offset; a ball touches it at distance `radius`."""

    normal: tuple[float, ...]
    offset: float = 0.0


@dataclass(frozen=True)
class Balls:
    """Frictionless balls in d dimensions (d = 1 or 2), against planes and one another.

    start(inputs, xp) -> (position [n, d], velocity [n, d]);
    force(inputs, index, xp) -> [n, d], external force during step `index`;
    outputs(position, velocity, inputs, xp) -> [n_out].
    `elasticity` is the restitution coefficient of ideal contact. `stiffness` and `damping` make
    the contact acceleration of the penalty variant, -damping v - stiffness x (unit mass).
    """

    masses: tuple[float, ...]
    radii: tuple[float, ...]
    start: Callable[[AnyInputs, Any], tuple[AnyArray, AnyArray]]
    outputs: Callable[[AnyArray, AnyArray, AnyInputs, Any], AnyArray]
    force: Callable[[AnyInputs, AnyArray, Any], AnyArray] | None = None
    planes: tuple[Plane, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    gravity: tuple[float, ...] = ()
    elasticity: float = 1.0
    stiffness: float = 50.0
    damping: float = 1.0


@dataclass(frozen=True)
class Chain:
    """Point masses [n] in a plane (x, z), each tied to the next by a spring, above the ground.

    start(inputs, xp) -> (position [n, 2] m, velocity [n, 2] m/s); outputs(q, v, inputs, xp) ->
    [n_out]. Inputs named `stiffness` (N/m), `damping` (N s/m, on the relative velocity of
    neighbours) and `contact` (N/m) are scalars of shape [1].
    The ground is soft and smooth: it pushes up by contact * width * log(1 + exp(-z / width)).
    """

    masses: tuple[float, ...]
    lengths: tuple[float, ...]
    width: float
    gravity: float
    start: Callable[[AnyInputs, Any], tuple[AnyArray, AnyArray]]
    outputs: Callable[[AnyArray, AnyArray, AnyInputs, Any], AnyArray]

    def force(self, q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: Any) -> AnyArray:
        """Force [n, 2] on each mass, N."""
        apart, rates = q[1:] - q[:-1], v[1:] - v[:-1]
        length = xp.sqrt(xp.sum(apart**2, -1, keepdims=True))
        stretch = length - xp.asarray(self.lengths)[:, None]
        pull = inputs["stiffness"] * stretch * apart / length + inputs["damping"] * rates
        none = xp.zeros_like(pull[:1])
        springs = xp.concatenate([pull, none]) - xp.concatenate([none, pull])
        push = inputs["contact"] * self.width * xp.log1p(xp.exp(-q[:, 1] / self.width))
        up = push - self.gravity * xp.asarray(self.masses)
        return springs + xp.stack([xp.zeros_like(up), up], -1)

    def equations(self) -> Equations:
        """The same as a differential equation; q and v flattened to [2 n]."""

        def start(inputs: AnyInputs, xp: Any) -> tuple[AnyArray, AnyArray]:
            q, v = self.start(inputs, xp)
            return q.reshape(-1), v.reshape(-1)

        def acceleration(
            q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: Any
        ) -> AnyArray:
            force = self.force(q.reshape(-1, 2), v.reshape(-1, 2), inputs, xp)
            return (force / xp.asarray(self.masses)[:, None]).reshape(-1)

        def outputs(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: Any) -> AnyArray:
            return self.outputs(q.reshape(-1, 2), v.reshape(-1, 2), inputs, xp)

        return Equations(start, acceleration, outputs)


@dataclass(frozen=True)
class Field:
    """Where an input enters a MuJoCo model: model.<name>[index] = factor * input[entry]."""

    name: str
    index: tuple[int, ...]
    factor: float = 1.0
    entry: int = 0


@dataclass(frozen=True)
class Mjcf:
    """An articulated scene as MJCF text; the state is MuJoCo's qpos and qvel.

    Inputs named `qpos`, `qvel` and `ctrl` (constant over the rollout, [nu]) are the initial state
    and the control; every other input enters the model through `fields`.
    The outputs are qpos [nq] and qvel [nv] after the last step, in this order.
    """

    xml: str
    fields: Mapping[str, tuple[Field, ...]]


Scene = Formula | Equations | Balls | Chain | Mjcf
