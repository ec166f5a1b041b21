"""Step-size curves of the loss along coordinates, random and named directions."""

import numpy as np

from gradcheck import direction
from gradcheck.artifact import Agreement
from gradcheck.curve import Curve
from gradcheck.direction import Direction
from gradcheck.engine import Ability, AbstractSimulation, Array, Unsupported
from gradcheck.measure.curves import sample, step_sizes
from gradcheck.measure.noise import noise_floor
from gradcheck.subject import Subject

SMALLEST, FAR, LARGEST = -9.0, -1.5, -0.5
"""Decimal logarithms of the steps, in typical changes: of the program, and from afar."""

EARLY, FINEST = 1e-5, -11.0
"""A loss that saturates at a step below the first is looked at down to the second as well, where
the rounding of the inputs begins to tell."""

PER_DECADE_FAR = 6
"""Steps that cross many time steps settle slowly, as 1 / step: more of them lie where they do."""

COMPLEX_STEP = 1e-30
"""Without a subtraction there is no cancellation, so that the step may be this small."""


def measure(subject: Subject) -> Agreement:
    """All curves by one batched evaluation, the engine's gradient once, and its other modes."""
    if not subject.names:
        raise Unsupported(f"{subject.engine_name} differentiates no input of this testbed")
    simulation, tangent, budget = subject.simulation(), subject.tangent, subject.budget
    directions = [
        *subject.coordinates(budget.coordinates),
        *direction.random(tangent, subject.names, budget.directions, subject.rng("agreement")),
        *direction.named(subject.testbed, tangent, subject.names),
    ]
    steps = steps_for(subject)
    noise = noise_floor(subject, simulation)
    curves = sample(subject, simulation, directions, steps, subject.gradient, noise=noise)
    if any(curve.saturation() < EARLY for curve in curves):
        finer = step_sizes(FINEST, SMALLEST, budget.per_decade)[:-1]
        steps = np.concatenate([finer, steps])
        curves = sample(subject, simulation, directions, steps, subject.gradient, noise=noise)
    reason = _no_forward_mode(subject)
    curves = [
        _with_other_modes(subject, simulation, curve, along, forward=reason is None)
        for curve, along in zip(curves, directions, strict=True)
    ]
    sizes = {name: subject.testbed.input(name).tangent_size for name in subject.names}
    return Agreement(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        steps=subject.testbed.steps,
        dt=subject.testbed.dt,
        curves=curves,
        truncated={
            name: (len(direction.chosen(size, budget.coordinates)), size)
            for name, size in sizes.items()
            if size > budget.coordinates
        },
        forward_mode_reason=reason,
    )


def steps_for(subject: Subject) -> Array:
    """Rising steps; closer to one another from afar, where the scene has contact."""
    per_decade = subject.budget.per_decade
    if subject.testbed.speed * subject.testbed.dt <= 0:
        return step_sizes(SMALLEST, LARGEST, per_decade)
    far = step_sizes(FAR, LARGEST, PER_DECADE_FAR)
    return np.concatenate([step_sizes(SMALLEST, FAR, per_decade), far[1:]])


def _no_forward_mode(subject: Subject) -> str | None:
    if Ability.FORWARD_MODE not in subject.engine.card.abilities:
        return "the engine declares no forward mode"
    if not subject.budget.builds:
        return "left out of the quick profile, because it is another program to build"
    return None


def _with_other_modes(
    subject: Subject,
    simulation: AbstractSimulation,
    curve: Curve,
    along: Direction,
    *,
    forward: bool,
) -> Curve:
    """The curve with the derivatives by forward mode and by complex step, where there are any."""
    velocity = subject.tangent.push(subject.nominal, along.vector)
    slope = simulation.jvp(subject.nominal, velocity) if forward else None
    return curve.model_copy(
        update={"forward_mode": slope, "complex_step": _complex(subject, simulation, velocity)}
    )


def _complex(
    subject: Subject, simulation: AbstractSimulation, velocity: dict[str, Array]
) -> float | None:
    if Ability.COMPLEX not in subject.engine.card.abilities:
        return None
    moved = {
        name: value + 1j * COMPLEX_STEP * velocity[name] for name, value in subject.nominal.items()
    }
    return simulation.value_complex(moved).imag / COMPLEX_STEP
