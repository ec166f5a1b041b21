"""One horizon: the engine's gradient beside central differences of the same rollout."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gradcheck.artifact import HorizonRow
from gradcheck.engine import Array, Settings
from gradcheck.measure.curves import sample, step_sizes
from gradcheck.plateau import SETTLED
from gradcheck.subject import Subject

STEPS = step_sizes(-8.0, -4.5, 2)
"""In typical changes: above rounding, below contact and curvature."""

FINER = step_sizes(-9.0, -4.5, 2)
"""The same where a chaotic rollout saturates, so that amplification outweighs rounding."""

APART = 1e-6
"""Left and right slopes that differ by less, relative to the larger, disturb no central one."""


@dataclass(frozen=True, eq=False)
class Rung:
    """Everything by tangent coordinate [size]. Coordinates that were not measured, or move too
    wildly to be, have a difference of NaN with infinite uncertainty."""

    steps: int
    value: float
    gradient: Array
    difference: Array
    uncertainty: Array
    kink: NDArray[np.bool_]

    def error(self, scales: Array) -> float:
        """The largest |gradient - difference| beyond its uncertainty, per typical change,
        relative to the largest difference that is settled. Infinite for NaN in a gradient."""
        if not np.isfinite(self.gradient).all():
            return np.inf
        settled = self.uncertainty <= SETTLED * np.abs(self.difference)
        largest = np.max(np.abs(self.difference * scales)[settled], initial=0.0)
        judged = np.isfinite(self.uncertainty) & ~self.kink
        beyond = np.abs(self.gradient - self.difference) - self.uncertainty
        worst = float(np.max((beyond * scales)[judged], initial=0.0))
        return worst / float(largest) if worst > 0 and largest > 0 else float(worst > 0)

    def row(self, subject: Subject) -> HorizonRow:
        """The same by input, as it is recorded."""
        parts = subject.tangent.parts
        return HorizonRow(
            steps=self.steps,
            value=self.value,
            gradient=subject.split(self.gradient),
            difference=subject.split(self.difference),
            uncertainty=subject.split(self.uncertainty),
            kink={name: self.kink[parts[name]].tolist() for name in subject.names},
        )


def measure_rung(subject: Subject, steps: int, dt: float) -> Rung:
    """One gradient and one batch of values at this horizon."""
    simulation = subject.simulation(Settings(steps=steps, dt=dt))
    value, raw = simulation.value_and_grad(subject.nominal)
    gradient = subject.tangent.pull(subject.nominal, raw)
    directions = subject.coordinates(subject.budget.horizon_coordinates)
    size = subject.tangent.size
    difference, uncertainty = np.full(size, np.nan), np.full(size, np.inf)
    kink = np.zeros(size, bool)
    curves = sample(subject, simulation, directions, STEPS, gradient, dt=dt)
    if any(np.isfinite(curve.saturation()) for curve in curves):
        curves = sample(subject, simulation, directions, FINER, gradient, dt=dt)
    for curve in curves:
        assert curve.input is not None
        assert curve.index is not None
        at = subject.tangent.parts[curve.input].start + curve.index
        slope = curve.program()
        difference[at] = slope.value / curve.scale
        uncertainty[at] = slope.uncertainty / curve.scale
        left, right = (side.value for side in curve.one_sided())
        apart = abs(right - left) > APART * max(abs(left), abs(right))
        kink[at] = curve.jump() or (apart and curve.kink())
    return Rung(steps, value, gradient, difference, uncertainty, kink)
