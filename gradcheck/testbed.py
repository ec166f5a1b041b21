"""What a testbed is: a physical question with a scene, named inputs, a loss and its truth."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs, Unsupported
from gradcheck.finding import Verdict
from gradcheck.quaternion import pull_rotation, rotate
from gradcheck.scene import Scene

S = TypeVar("S")


class Family(StrEnum):
    """What a testbed is for."""

    SMOOTH = "smooth"
    CONTACT = "contact"
    HORIZON = "horizon"


@dataclass(frozen=True)
class Input:
    """One named input.

    scale: a typical size of a change, the unit of finite-difference steps and of probing.
    reach: how far the state moves at contact per unit of this input (a position: 1; a velocity:
    the time until contact); with speed and dt it separates the step sizes of the program from
    those of the physics.
    quaternions: where unit quaternions (w, x, y, z) start in the flattened array; changes are
    rotation vectors there, in the body's frame (three tangent coordinates in place of four).
    """

    name: str
    default: Array
    scale: float = 1.0
    reach: float = 1.0
    unit: str = ""
    quaternions: tuple[int, ...] = ()

    @property
    def tangent_size(self) -> int:
        """Number of coordinates in which this input can change."""
        return int(np.size(self.default)) - len(self.quaternions)

    def labels(self) -> list[str]:
        """Names of the tangent coordinates: `qpos[2]`, and `qpos[3:7].x` along a rotation."""
        out: list[str] = []
        index = 0
        while index < np.size(self.default):
            if index in self.quaternions:
                out += [f"{self.name}[{index}:{index + 4}].{axis}" for axis in "xyz"]
                index += 4
            else:
                out.append(f"{self.name}[{index}]")
                index += 1
        return out

    def retract(self, value: Array, delta: Array) -> Array:
        """`value` [..., *shape] moved by tangent coordinates `delta` [..., tangent_size]."""
        lead = delta.shape[:-1]
        flat = np.broadcast_to(
            np.reshape(value, (*value.shape[: value.ndim - self.default.ndim], -1)),
            (*lead, np.size(self.default)),
        )
        out = np.array(flat, dtype=np.float64)
        here = there = 0
        while here < out.shape[-1]:
            if here in self.quaternions:
                out[..., here : here + 4] = rotate(
                    out[..., here : here + 4], delta[..., there : there + 3]
                )
                here, there = here + 4, there + 3
            else:
                out[..., here] += delta[..., there]
                here, there = here + 1, there + 1
        return out.reshape((*lead, *self.default.shape))

    def pull(self, value: Array, gradient: Array) -> Array:
        """A gradient [..., *shape] at `value` in tangent coordinates [..., tangent_size]."""
        lead = gradient.shape[: gradient.ndim - self.default.ndim]
        flat = gradient.reshape(*lead, -1)
        point = value.reshape(*value.shape[: value.ndim - self.default.ndim], -1)
        parts = []
        here = 0
        while here < flat.shape[-1]:
            if here in self.quaternions:
                parts.append(pull_rotation(point[..., here : here + 4], flat[..., here : here + 4]))
                here += 4
            else:
                parts.append(flat[..., here : here + 1])
                here += 1
        return np.concatenate(parts, axis=-1)


@dataclass(frozen=True)
class Truth:
    """The value and gradient of the physics (continuous time), with where they come from.

    `outputs(inputs)` -> [n_out]; `jacobian(inputs)` -> name -> [n_out, *input shape].
    `smoothed(inputs)` -> gradient of the mean of the loss under the testbed's noise, by name.
    `accuracy` is the relative error of the reference itself (0: closed form).
    """

    source: str
    outputs: Callable[[Inputs], Array]
    jacobian: Callable[[Inputs], Gradient]
    smoothed: Callable[[Inputs], Gradient] | None = None
    accuracy: float = 0.0


@dataclass(frozen=True)
class Sweep:
    """One coordinate of one input moved from `low` to `high` (absolute values) through contact."""

    input: str
    index: int
    low: float
    high: float


@dataclass(frozen=True)
class Testbed:
    """A physical question. One file each in `testbeds/`.

    loss = weights . outputs. `dt` seconds, `steps` time steps; `speed` m/s is how fast the state
    moves into contact (0: no contact). `noise` gives a standard deviation by input, for the
    smoothed objective. `directions` are named tangent directions of physical meaning
    (`normal`, `tangent`), by input. `expected` says which verdicts a right audit gives, by
    (engine, code); everything not named is expected to pass or not to apply.
    """

    __test__ = False  # not a pytest class, whatever its name says

    name: str
    question: str
    family: Family
    source: str
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    weights: tuple[float, ...]
    scenes: tuple[Scene, ...]
    dt: float = 0.0
    steps: int = 1
    speed: float = 0.0
    truth: Truth | None = None
    sweep: Sweep | None = None
    noise: Mapping[str, float] = field(default_factory=dict)
    directions: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)
    expected: Mapping[tuple[str, str], Verdict] = field(default_factory=dict)

    def scene(self, form: type[S]) -> S:
        """The scene in the form that an engine understands. Raises `Unsupported`."""
        for scene in self.scenes:
            if isinstance(scene, form):
                return scene
        known = ", ".join(type(scene).__name__ for scene in self.scenes)
        raise Unsupported(f"testbed {self.name} is stated as {known}, not as {form.__name__}")

    def nominal(self) -> dict[str, Array]:
        """The default inputs."""
        return {one.name: np.array(one.default, dtype=np.float64) for one in self.inputs}

    def input(self, name: str) -> Input:
        """The input of that name."""
        return next(one for one in self.inputs if one.name == name)
