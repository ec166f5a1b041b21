"""The gradient beside that of the physics."""

from typing import Literal

from gradcheck.artifact.base import Artifact
from gradcheck.record import Record


class PhysicsRow(Record):
    """One refined time step: differences of the engine with steps well above speed * dt."""

    dt: float
    # Empty where the reference is a closed form
    difference: dict[str, list[float]]
    # gradient of the engine itself at this dt
    gradient: dict[str, list[float]]


class Physics(Artifact):
    """The gradient of the physics: the testbed's truth, or the engine refined in dt.

    `reference` and `uncertainty` by input and tangent coordinate; `source` says which of the two.
    `directions`: named directions of the testbed -> (gradient along it, reference along it).
    `value` of the engine's loss and `truth_value` of the physics where known.
    """

    kind: Literal["physics"] = "physics"
    source: str
    exact: bool
    gradient: dict[str, list[float]]
    reference: dict[str, list[float]]
    uncertainty: dict[str, list[float]]
    directions: dict[str, tuple[float, float]]
    value: float
    truth_value: float | None
    rows: list[PhysicsRow]
    # Does the engine's gradient tend to the reference as dt shrinks? relative errors by dt
    refinement_errors: list[float]
