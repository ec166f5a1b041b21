"""Step-size curves of a loss along many directions at once."""

from collections.abc import Sequence

import numpy as np

from gradcheck.curve import Curve
from gradcheck.direction import Direction
from gradcheck.engine import AbstractSimulation, Array
from gradcheck.subject import Subject

REPEATS = 4
"""Evaluations of the same point, whose scatter is noise."""


def step_sizes(low: float, high: float, per_decade: int) -> Array:
    """Rising steps from 10**low to 10**high, `per_decade` of them in each decade."""
    return np.asarray(10.0 ** np.linspace(low, high, round((high - low) * per_decade) + 1))


def sample(
    subject: Subject,
    simulation: AbstractSimulation,
    directions: Sequence[Direction],
    steps: Array,
    gradient: Array,
    *,
    dt: float | None = None,
    noise: float = 0.0,
) -> list[Curve]:
    """Curves of the loss from the nominal inputs, by one batched evaluation.

    gradient: the engine's, in tangent coordinates [size]. dt: where it is not the testbed's own,
    for the boundary between program and physics. noise: a floor known from elsewhere.
    """
    if not directions:
        return []
    vectors = np.stack([one.vector for one in directions])
    moved = np.einsum("s,h,dk->dhsk", [1.0, -1.0], steps, vectors)
    still = np.zeros((REPEATS, subject.tangent.size))
    deltas = np.concatenate([still, moved.reshape(-1, subject.tangent.size)])
    values = simulation.values(subject.batch(deltas))
    value, noise = float(values[0]), max(noise, spread(values[:REPEATS]))
    moves = np.abs(values - value)
    extent = float(np.max(moves[np.isfinite(moves)], initial=0.0))
    sides = values[REPEATS:].reshape(len(directions), len(steps), 2)
    curves = [
        Curve(
            label=one.label,
            role=one.role,
            input=one.input,
            index=one.index,
            direction=_direction(subject, one),
            scale=one.scale,
            gradient=float(gradient @ one.vector),
            value=value,
            steps=steps.tolist(),
            plus=side[:, 0].tolist(),
            minus=side[:, 1].tolist(),
            noise=noise,
            boundary=subject.boundary(one, dt),
            extent=extent,
        )
        for one, side in zip(directions, sides, strict=True)
    ]
    # A rounded loss is so along every direction, also where it never leaves its first value.
    steps_of_loss = [size for curve in curves if (size := curve.quantum()) > noise]
    if not steps_of_loss:
        return curves
    floor = min(steps_of_loss)
    return [curve.model_copy(update={"noise": floor}) for curve in curves]


def spread(values: Array) -> float:
    """Standard deviation of repeats; 0 where fewer than two are finite."""
    finite = values[np.isfinite(values)]
    return float(np.std(finite, ddof=1)) if len(finite) > 1 else 0.0


def _direction(subject: Subject, one: Direction) -> dict[str, list[float]]:
    """The parts of the vector that are not zero, by input."""
    parts = subject.tangent.split(one.vector, subject.names)
    return {name: part for name, part in parts.items() if any(part)}
