"""One derivative of an engine beside differences of its loss: what snippets in findings print."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gradcheck.direction import coordinates
from gradcheck.engine import (
    AbstractEngine,
    AbstractSimulation,
    BadInput,
    EngineCard,
    Settings,
)
from gradcheck.measure.agreement import LARGEST, SMALLEST
from gradcheck.measure.curves import sample, step_sizes
from gradcheck.measure.noise import noise_floor
from gradcheck.subject import Subject
from gradcheck.testbed import Testbed

PER_DECADE = 3


@dataclass(frozen=True)
class Comparison:
    """All per unit of the coordinate.

    `difference` is read off a run of steps up from `step`, or taken at `step` alone, where its
    uncertainty is NaN. `physics` is read off steps on which the state moves further than in one
    time step; None where there are none or they do not agree.
    """

    label: str
    gradient: float
    difference: float
    uncertainty: float
    step: float
    physics: float | None

    def __str__(self) -> str:
        doubt = "" if np.isnan(self.uncertainty) else f" ± {self.uncertainty:.2g}"
        text = (
            f"{self.label}: engine {self.gradient:.10g}, central differences "
            f"{self.difference:.10g}{doubt} (step {self.step:.2g})"
        )
        if self.physics is not None:
            text += f", beyond one time step of motion {self.physics:.10g}"
        return text


class Given(AbstractEngine):
    """An engine that answers with a simulation that there already is."""

    card = EngineCard(name="given", version="")

    def __init__(self, simulation: AbstractSimulation) -> None:
        self.simulation = simulation

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        return self.simulation


def compared(
    simulation: AbstractSimulation,
    testbed: Testbed,
    settings: Settings,
    name: str,
    coordinate: int,
    step: float | None,
    at: Mapping[str, ArrayLike],
) -> Comparison:
    """The derivative by one tangent coordinate of the input `name`. Raises `BadInput`."""
    moved = _moved(testbed, at)
    subject = Subject(testbed.name, Given(simulation), moved)
    if name not in [one.name for one in moved.inputs]:
        raise _stranger(testbed, name)
    if name not in subject.names:
        raise BadInput(f"no gradient by {name!r}: {simulation.undifferentiated[name]}")
    size = moved.input(name).tangent_size
    if not 0 <= coordinate < size:
        raise BadInput(f"{name!r} has coordinates 0 to {size - 1}, not {coordinate}")
    along = next(
        one for one in coordinates(subject.tangent, [name], size) if one.index == coordinate
    )
    steps = (
        step_sizes(SMALLEST, LARGEST, PER_DECADE)
        if step is None
        else np.array([step / along.scale])
    )
    (curve,) = sample(
        subject,
        simulation,
        [along],
        steps,
        subject.gradient,
        dt=settings.dt,
        noise=noise_floor(subject, simulation),
    )
    if step is not None:
        difference, uncertainty, lowest = float(curve.central()[0]), np.nan, curve.steps[0]
    else:
        slope = curve.program()
        difference, uncertainty, lowest = slope.value, slope.uncertainty, slope.lowest_step
    physics = None if step is not None else curve.physics()
    return Comparison(
        label=along.label,
        gradient=curve.gradient / along.scale,
        difference=difference / along.scale,
        uncertainty=uncertainty / along.scale,
        step=lowest * along.scale,
        physics=None if physics is None else physics.value / along.scale,
    )


def _moved(testbed: Testbed, at: Mapping[str, ArrayLike]) -> Testbed:
    """The testbed with other nominal inputs."""
    for name in at:
        if name not in [one.name for one in testbed.inputs]:
            raise _stranger(testbed, name)
    return dataclasses.replace(
        testbed,
        inputs=tuple(
            dataclasses.replace(
                one,
                default=np.reshape(
                    np.asarray(at.get(one.name, one.default), np.float64), one.default.shape
                ),
            )
            for one in testbed.inputs
        ),
    )


def _stranger(testbed: Testbed, name: str) -> BadInput:
    known = ", ".join(one.name for one in testbed.inputs)
    return BadInput(f"{testbed.name} has no input {name!r} (it has: {known})")
