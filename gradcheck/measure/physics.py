"""The gradient of the physics: a closed form, or the engine itself with ever finer time steps."""

import numpy as np

from gradcheck.artifact import Physics, PhysicsRow
from gradcheck.engine import Array, Knob, Settings, Unsupported
from gradcheck.measure.curves import sample, step_sizes
from gradcheck.subject import Subject
from gradcheck.testbed import Truth

STEPS = np.concatenate([step_sizes(-7.0, -2.5, 2), step_sizes(-2.5, -0.5, 3)[1:]])
"""In typical changes: where there is contact those count that step across time steps. The smaller
ones tell whether a chaotic rollout is saturated there, and are the reference without contact."""

NEAR = 1e-3
"""Below this part of the largest slope an error of the physics is not followed to finer steps."""


def measure(subject: Subject) -> Physics:
    """The engine's gradient beside the reference, and how it changes as dt is halved."""
    testbed, truth = subject.testbed, subject.testbed.truth
    differences: list[Array] = []
    if truth is not None:
        reference, uncertainty, names = closed_form(subject, truth)
        source, exact = truth.source, truth.accuracy == 0.0
        # How the error falls with the time step is asked where there is an error.
        near = _error(subject.gradient, reference, subject.tangent.scales) <= NEAR
        levels = _levels(subject, 0 if near else subject.budget.refinements)
    else:
        levels = _levels(subject, subject.budget.refinements)
        if not levels:
            raise Unsupported(
                f"testbed {testbed.name} has no closed form, and the time step of "
                f"{subject.engine_name} cannot be refined"
            )
        found = [refined(subject, dt) for dt, _ in levels]
        differences = [difference for difference, _ in found]
        reference, doubt = found[-1]
        change = np.abs(reference - differences[-2])
        uncertainty = np.where(np.isfinite(change), change, np.inf) + doubt
        names, exact = subject.names, False
        source = f"the engine at dt / {2 ** (len(levels) - 1)}"
    split = subject.tangent.split
    return Physics(
        engine=subject.engine_name,
        testbed=testbed.name,
        seed=subject.seed,
        source=source,
        exact=exact,
        gradient=split(subject.gradient, names),
        reference=split(reference, names),
        uncertainty=split(uncertainty, names),
        directions=_directions(subject, reference, names),
        value=subject.simulation().value(subject.nominal),
        truth_value=None if truth is None else _value(subject, truth),
        rows=[
            PhysicsRow(
                dt=dt,
                difference=split(differences[k], names) if differences else {},
                gradient=split(gradient, names),
            )
            for k, (dt, gradient) in enumerate(levels)
        ],
        refinement_errors=[
            _error(gradient, reference, subject.tangent.scales) for _, gradient in levels
        ],
    )


def _value(subject: Subject, truth: Truth) -> float:
    return float(np.dot(subject.testbed.weights, truth.outputs(subject.nominal)))


def closed_form(subject: Subject, truth: Truth) -> tuple[Array, Array, list[str]]:
    """The exact gradient and its uncertainty, in tangent coordinates, and of which inputs."""
    weights = np.asarray(subject.testbed.weights, np.float64)
    jacobian = truth.jacobian(subject.nominal)
    names = [name for name in subject.names if name in jacobian]
    gradient = {name: np.tensordot(weights, np.asarray(jacobian[name]), 1) for name in names}
    reference = subject.tangent.pull(subject.nominal, gradient)
    return reference, truth.accuracy * np.abs(reference), names


def refined(subject: Subject, dt: float) -> tuple[Array, Array]:
    """Differences [size] at time step `dt` with steps well above one time step of motion, and
    their uncertainty. NaN and infinity for coordinates that do not settle or were left out."""
    simulation = subject.simulation(_at(subject, dt))
    difference = np.full(subject.tangent.size, np.nan)
    uncertainty = np.full(subject.tangent.size, np.inf)
    directions = subject.coordinates(subject.budget.coordinates)
    unused = np.zeros(subject.tangent.size)
    for curve in sample(subject, simulation, directions, STEPS, unused, dt=dt):
        slope = curve.program() if curve.boundary is None else curve.physics()
        if slope is not None and curve.input is not None and curve.index is not None:
            at = subject.tangent.parts[curve.input].start + curve.index
            difference[at] = slope.value / curve.scale
            uncertainty[at] = slope.uncertainty / curve.scale
    return difference, uncertainty


def _levels(subject: Subject, refinements: int) -> list[tuple[float, Array]]:
    """The engine's gradient at dt, dt / 2, …; nothing where the time step cannot be varied."""
    testbed = subject.testbed
    if testbed.dt <= 0 or not (subject.knows(Knob.DT) and subject.knows(Knob.STEPS)):
        return []
    steps = [testbed.dt / 2**level for level in range(refinements + 1)]
    simulations = [(dt, subject.simulation(_at(subject, dt))) for dt in steps]
    return [(dt, subject.gradient_of(simulation)) for dt, simulation in simulations]


def _at(subject: Subject, dt: float) -> Settings:
    """The same duration with another time step."""
    return Settings(dt=dt, steps=round(subject.testbed.steps * subject.testbed.dt / dt))


def _directions(
    subject: Subject, reference: Array, names: list[str]
) -> dict[str, tuple[float, float]]:
    """(engine, reference) along the testbed's directions, per unit of these."""
    out = {}
    for label, parts in subject.testbed.directions.items():
        if set(parts) <= set(names):
            vector = subject.tangent.vector(dict(parts))
            moved = vector != 0  # coordinates that are not known must not spoil the others
            out[label] = (
                float(subject.gradient[moved] @ vector[moved]),
                float(reference[moved] @ vector[moved]),
            )
    return out


def _error(gradient: Array, reference: Array, scales: Array) -> float:
    """The largest error per typical change, relative to the largest known reference.

    0 where both vanish, infinite where only the reference does, NaN where none is known.
    """
    known = np.isfinite(reference)
    if not known.any():
        return float("nan")
    worst = float(np.max(np.abs(gradient - reference)[known] * scales[known]))
    largest = float(np.max(np.abs(reference)[known] * scales[known]))
    if largest == 0:
        return 0.0 if worst == 0 else float("inf")
    return worst / largest
