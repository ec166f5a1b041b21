"""The noise floor of a function: what difference tables leave when a smooth part is taken off."""

from math import comb

import numpy as np

from gradcheck.engine import AbstractSimulation, Array
from gradcheck.subject import Subject

ORDER = 5
POINTS = ORDER + 4
"""Points on each side. A table of this order forgets every polynomial of lower degree."""

SPACING = 1e-10
"""Spacing of the difference table that gives the noise floor, in typical changes."""


def line(spacings: Array) -> Array:
    """Steps [2, spacings, POINTS], to the right and to the left, without the origin."""
    points = np.arange(1, POINTS + 1)
    return np.multiply.outer([1.0, -1.0], np.multiply.outer(spacings, points))


def floor(values: Array) -> Array:
    """Noise [...] of `values` [2, spacings, POINTS, ...] taken at `line(spacings)`.

    The root mean square of differences of order k, divided by sqrt((2k)!) / k!, is the standard
    deviation of independent noise (Moré, Wild, Estimating Computational Noise, SIAM J. Sci.
    Comput. 33, 2011). The largest over the spacings is taken, since quantisation hides at small
    ones, and the smaller one of the two sides, since a kink or a jump lies on one.
    Sides that are not finite are left out; 0 where none is left.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        table = np.diff(values, n=ORDER, axis=2)
        scatter = np.sqrt(np.mean(table**2, axis=2) / comb(2 * ORDER, ORDER))
    finite = np.where(np.isfinite(scatter), scatter, -np.inf)
    sides = np.where(np.isfinite(scatter).any(axis=1), finite.max(axis=1), np.inf)
    smaller = sides.min(axis=0)
    return np.where(np.isfinite(smaller), smaller, 0.0)


def noise_floor(subject: Subject, simulation: AbstractSimulation) -> float:
    """Standard deviation of the loss's noise at the nominal inputs."""
    moves = line(np.array([SPACING]))
    deltas = np.multiply.outer(moves, subject.joint().vector)
    values = simulation.values(subject.batch(deltas.reshape(-1, subject.tangent.size)))
    return float(floor(values.reshape(moves.shape)))
