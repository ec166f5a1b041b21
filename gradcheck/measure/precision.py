"""Gradients in float32 and float64, and whether the float64 results are as fine as they claim."""

import numpy as np

from gradcheck.artifact import Precision
from gradcheck.engine import AbstractSimulation, Array, Knob, Settings, Unsupported
from gradcheck.measure.noise import floor, line
from gradcheck.subject import Subject

SPACINGS = 10.0 ** np.arange(-8.0, -4.0)
"""Spacings of the difference tables, in typical changes: both sides of float32's 6e-8."""

CLOSE = np.array([1e-13])
"""Spacing at which float32 cannot tell the points of a table apart, and float64 can."""

SMOOTH = 1e-3
"""Relative change of the gradient between neighbouring points that a table forgets: its fifth
power is rounding."""

FLOAT32 = 1e-7
"""Spacing from which rounding to float32 changes a gradient by less than itself."""

SECANT = 1e-4
"""Step, in typical changes, of the slope that a loss near zero is held against."""


def measure(subject: Subject) -> Precision:
    """Both precisions at the nominal inputs, and the resolution of loss and gradient."""
    if not subject.knows(Knob.PRECISION):
        raise Unsupported(f"{subject.engine_name} has no knob 'precision'")
    subject.require_builds()
    double = subject.simulation()
    single = subject.simulation(Settings(precision="float32"))
    value64, gradient64 = double.value_and_grad(subject.nominal)
    value32, gradient32 = single.value_and_grad(subject.nominal)
    value_resolution, gradient_resolution = resolution(subject, double)
    value_jitter, gradient_jitter = noise(*_along(subject, double, CLOSE), CLOSE)
    return Precision(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        float64=subject.split(subject.tangent.pull(subject.nominal, gradient64)),
        float32=subject.split(subject.tangent.pull(subject.nominal, gradient32)),
        value64=value64,
        value32=value32,
        value_resolution=value_resolution,
        gradient_resolution=gradient_resolution,
        value_jitter=value_jitter,
        gradient_jitter=gradient_jitter,
        moved64=moved(subject, double),
    )


def moved(subject: Subject, simulation: AbstractSimulation) -> tuple[dict[str, list[float]], ...]:
    """Gradients by input at two points, a random direction away: no float32 numbers are left in
    the inputs that carry a gradient."""
    batch = subject.batch(np.outer([-SECANT, SECANT], subject.joint().vector))
    _, gradients = simulation.values_and_grads(batch)
    return tuple(subject.split(row) for row in subject.tangent.pull(batch, gradients))


def resolution(subject: Subject, simulation: AbstractSimulation) -> tuple[float, float]:
    """Noise or quantisation of the loss and of the gradient, both relative (see `noise`).

    Where the gradient changes so fast that the tables would see it as noise (chaos), they are
    made with closer points.
    """
    spacings = SPACINGS
    values, gradients = _along(subject, simulation, spacings)
    widest = rate_of_change(gradients, spacings) * spacings[-1]
    if widest > SMOOTH:
        spacings = spacings * (SMOOTH / widest)
        values, gradients = _along(subject, simulation, spacings)
    return noise(values, gradients, spacings)


def noise(values: Array, gradients: Array, spacings: Array) -> tuple[float, float]:
    """What tables of those spacings leave of losses and gradients `_along` them, both relative.

    That of the loss is relative to the loss or to its change by one typical change along a random
    direction, whichever is larger; that of the gradient to its largest entry, both in loss per
    typical change. 0 where nothing is noisy.
    """
    shape = line(spacings).shape
    slope = abs(float(values[-1] - values[-2])) / (2 * SECANT)
    value_noise = float(floor(values[:-2].reshape(shape)))
    gradient_noise = floor(gradients.reshape(*shape, -1))
    return (
        _relative(np.array([value_noise]), np.fmax(np.abs(values[-1]), slope)),
        _relative(gradient_noise, np.abs(gradients).max(initial=0.0)),
    )


def rate_of_change(gradients: Array, spacings: Array) -> float:
    """The largest relative change of gradients [n, size] from one point of `line(spacings)` to
    the next, per step between them; 0 where a gradient is zero or not finite."""
    rows = gradients.reshape(*line(spacings).shape, -1)
    with np.errstate(invalid="ignore", over="ignore"):
        change = np.abs(np.diff(rows, axis=2)).max(axis=(-1, -2)) / spacings
        size = np.abs(rows).max()
    if not (np.isfinite(change).all() and size > 0):
        return 0.0
    # At closer points than these, rounding to float32 would look like a fast change
    return float(change[:, spacings >= FLOAT32].max() / size)


def _along(
    subject: Subject, simulation: AbstractSimulation, spacings: Array
) -> tuple[Array, Array]:
    """Losses at `line(spacings)` along the joint direction, and at -SECANT and SECANT; gradients
    [points, size] in loss per typical change, without the last two."""
    along = subject.joint().vector
    deltas = np.multiply.outer(line(spacings).ravel(), along)
    batch = subject.batch(np.concatenate([deltas, [-SECANT * along, SECANT * along]]))
    values, gradients = simulation.values_and_grads(batch)
    return values, subject.tangent.pull(batch, gradients)[:-2] * subject.tangent.scales


def _relative(noise: Array, size: float) -> float:
    """The largest noise over `size`; 0 where there is no noise."""
    largest = float(noise.max(initial=0.0))
    return largest / float(size) if largest else 0.0
