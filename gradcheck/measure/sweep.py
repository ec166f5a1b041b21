"""One coordinate moved through contact: values, gradients, differences, and what is abrupt."""

import numpy as np

from gradcheck.artifact import Event, SweepResult
from gradcheck.engine import AbstractSimulation, Array, Unsupported
from gradcheck.measure.events import NOISES, Function, Located, locate
from gradcheck.measure.noise import noise_floor
from gradcheck.measure.slopes import central
from gradcheck.plateau import SETTLED
from gradcheck.subject import Subject
from gradcheck.testbed import Input, Sweep

STEPS = 10.0 ** np.arange(-7.0, -5.0, 0.5)
"""Steps of the differences at each point, in typical changes."""

FOLLOWS = 1e-3
"""A value follows from the slopes beside it if it is off by less, relative to the change."""


def measure(subject: Subject) -> SweepResult:
    """The grid in one batch each of values and gradients; events by repeated section."""
    sweep, testbed = subject.testbed.sweep, subject.testbed
    if sweep is None:
        raise Unsupported(f"testbed {testbed.name} has no sweep")
    if sweep.input not in subject.names:
        raise Unsupported(f"{subject.engine_name} has no gradient by {sweep.input}")
    one, simulation = testbed.input(sweep.input), subject.simulation()
    coordinate = tangent_index(one, sweep.index)
    f = along(subject, simulation, sweep)
    points = np.linspace(sweep.low, sweep.high, subject.budget.sweep_points)
    values, gradients = gradients_at(subject, simulation, sweep, points)
    noise = noise_floor(subject, simulation)
    differences = slopes_at(f, points, one.scale * STEPS, noise)
    abrupt = abrupt_intervals(f, points, values, differences, noise)
    searched = abrupt[: subject.budget.events]
    events = _events(subject, f, points, searched, noise)
    return SweepResult(
        engine=subject.engine_name,
        testbed=testbed.name,
        seed=subject.seed,
        input=sweep.input,
        index=coordinate,
        label=one.labels()[coordinate],
        points=points.tolist(),
        values=values.tolist(),
        gradients=gradients.tolist(),
        differences=differences.tolist(),
        noise=noise,
        events=[_event(subject, simulation, sweep, event) for event in events],
        unsearched=len(abrupt) - len(searched),
    )


def tangent_index(one: Input, index: int) -> int:
    """The tangent coordinate of an entry of the flattened array. Raises `Unsupported` within a
    quaternion, whose entries cannot move alone."""
    if any(start <= index < start + 4 for start in one.quaternions):
        raise Unsupported(f"{one.name}[{index}] is part of a quaternion and cannot be swept alone")
    return index - sum(start < index for start in one.quaternions)


def along(subject: Subject, simulation: AbstractSimulation, sweep: Sweep) -> Function:
    """The loss as a function of the swept entry."""
    return lambda points: simulation.values(_batch(subject, sweep, points))


def gradients_at(
    subject: Subject, simulation: AbstractSimulation, sweep: Sweep, points: Array
) -> tuple[Array, Array]:
    """Losses [n] and the engine's derivatives [n] by the swept entry at `points` [n]."""
    values, gradients = simulation.values_and_grads(_batch(subject, sweep, points))
    return values, gradients[sweep.input].reshape(len(points), -1)[:, sweep.index]


def slopes_at(f: Function, points: Array, steps: Array, noise: float) -> Array:
    """Central differences [n] at `points` [n]; NaN where they settle nowhere, as at a jump."""
    moved = np.multiply.outer([1.0, -1.0], np.add.outer(steps, np.zeros(len(points))))
    plus, minus = f((points + moved).ravel()).reshape(moved.shape)
    slope, doubt = central(plus, minus, steps, np.full(len(points), noise))
    rounding = NOISES * 2 * noise / steps[0]
    return np.where(doubt <= np.maximum(SETTLED * np.abs(slope), rounding), slope, np.nan)


def abrupt_intervals(
    f: Function, points: Array, values: Array, slopes: Array, noise: float
) -> list[int]:
    """Intervals, by their left end, whose end and middle do not follow from values and slopes.

    The end by the trapezium rule of the slopes, the middle by Hermite interpolation; both are
    exact for a smooth function as intervals shrink. The worst come first, and before them those
    with no slope at an end.
    """
    width = float(points[1] - points[0])
    middles = f((points[1:] + points[:-1]) / 2)
    left, right = slopes[:-1], slopes[1:]
    with np.errstate(invalid="ignore"):
        change = np.diff(values)
        end = np.abs(change - width * (left + right) / 2)
        middle = np.abs(middles - (values[1:] + values[:-1]) / 2 - width * (left - right) / 8)
        off = np.maximum(end, middle)
        size = np.abs(change) + width * np.maximum(np.abs(left), np.abs(right))
    off = np.where(off > FOLLOWS * size + NOISES * noise, off, 0.0)
    off[np.isnan(left + right) & np.isfinite(change)] = np.inf
    order = np.argsort(-off, kind="stable")
    return [int(k) for k in order if off[k] > 0]


def _events(
    subject: Subject, f: Function, points: Array, intervals: list[int], noise: float
) -> list[Located]:
    """Events in these intervals, each widened by half, since one may lie on a point."""
    at = np.array(intervals, np.int64)
    margin = (points[1] - points[0]) / 2
    length = float(points[-1] - points[0])
    return locate(
        f, points[at] - margin, points[at + 1] + margin, length, noise, subject.budget.sections
    )


def _event(subject: Subject, simulation: AbstractSimulation, sweep: Sweep, event: Located) -> Event:
    _, gradients = gradients_at(subject, simulation, sweep, np.array([event.at]))
    return Event(
        at=event.at,
        left_value=event.left_value + event.left_slope * (event.at - event.low),
        right_value=event.right_value + event.right_slope * (event.at - event.high),
        left_slope=event.left_slope,
        right_slope=event.right_slope,
        uncertainty=event.uncertainty,
        gradient=float(gradients[0]),
    )


def _batch(subject: Subject, sweep: Sweep, points: Array) -> dict[str, Array]:
    """The nominal inputs with the swept entry at `points` [n]."""
    batch = {
        name: np.broadcast_to(value, (len(points), *value.shape))
        for name, value in subject.nominal.items()
    }
    moved = np.array(batch[sweep.input])
    moved.reshape(len(points), -1)[:, sweep.index] = points
    return {**batch, sweep.input: moved}
