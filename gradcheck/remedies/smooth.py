"""A schedule that softens contact at the start of an optimisation and ends at the model's own.

MuJoCo's `solref` is (time constant, damping ratio), with stiffness 1 / (time constant x ratio)^2
and damping 2 / time constant, or, where both are negative, (-stiffness, -damping)
(https://mujoco.readthedocs.io/en/stable/modeling.html, "Solver parameters"). A time constant that
is r times as long means stiffness / r^2 and damping / r, in both forms.
"""

from typing import Any, Literal

import numpy as np
from pydantic import model_validator

from gradcheck.engine import BadInput
from gradcheck.record import Record
from gradcheck.remedies.arrays import AnyArray, namespace


class StiffnessSchedule(Record):
    """Contact time constants start `softness` times as long as the model's own, and shrink
    geometrically to them over `iterations` of the optimisation; from there on they are its own.

    It changes the forward pass: until the schedule has ended, value and gradient are those of a
    softer model. Raises `BadInput` for a softness below 1 or less than one iteration.
    """

    kind: Literal["stiffness schedule"] = "stiffness schedule"
    softness: float = 10.0
    iterations: int

    @model_validator(mode="after")
    def _ends_at_the_own(self) -> "StiffnessSchedule":
        if not 1 <= self.softness < np.inf:
            raise BadInput(f"softness is {self.softness:g}: give a finite number of at least 1")
        if self.iterations < 1:
            raise BadInput(f"iterations is {self.iterations}: a schedule needs at least 1")
        return self

    def ratio(self, iteration: Any) -> AnyArray:
        """How many times as long time constants are at `iteration` (0, 1, ..., a number or an
        array of them): `softness` at 0, just 1 from `iterations` on."""
        xp = namespace(iteration)
        power = self.softness ** (1 - iteration / self.iterations)
        # Past the end, and where a power is rounded past its ends.
        return xp.clip(power, 1, self.softness)

    def solref(self, own: AnyArray, iteration: Any, dt: float) -> AnyArray:
        """The model's own `solref` [..., 2] (a pair, or `geom_solref`), as it is at `iteration`.

        Time constants and dt in s. Raises `BadInput` for a time constant below 2 dt, in whose
        place MuJoCo silently computes with 2 dt, and for a pair of mixed signs, which it replaces
        by its default. `own` is read outside of jit; `iteration`, one number, may be traced.
        """
        pairs = np.asarray(own)
        if pairs.shape[-1:] != (2,) or not np.all(np.isfinite(pairs)):
            raise BadInput(f"solref has shape {pairs.shape}: give finite numbers [..., 2]")
        first, second = pairs[..., 0], pairs[..., 1]
        standard = (first > 0) & (second > 0)
        if not np.all(standard | (first <= 0) & (second <= 0)):
            raise BadInput("solref mixes signs, which MuJoCo ignores: give two of one sign")
        shortest = np.min(first, initial=np.inf, where=standard)
        if not shortest >= 2 * dt:
            raise BadInput(
                f"solref has a time constant of {shortest:g} s, in whose place MuJoCo takes 2 dt: "
                f"set it to {2 * dt:g}"
            )
        ratio = self.ratio(iteration)
        xp = namespace(ratio)
        softened = xp.where(standard, first * ratio, first / ratio**2)
        return xp.stack([softened, xp.where(standard, second, second / ratio)], axis=-1)

    def describe(self) -> str:
        """As the report names it."""
        return (
            f"stiffness schedule: contact time constants from {self.softness:g} x the model's own "
            f"to just it, geometric over {self.iterations} iterations"
        )
