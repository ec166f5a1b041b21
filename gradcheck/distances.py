"""How far a gradient is from a reference at each setting that was measured."""

from typing import NamedTuple

import numpy as np

from gradcheck.artifact import ReferentRow, Referents
from gradcheck.plateau import Floats
from gradcheck.taxonomy import Referent


class Point(NamedTuple):
    """How far the gradient is from a reference at one setting, and how far it could be by the
    reference's own uncertainty; both relative to the reference's size."""

    row: ReferentRow
    distance: float
    floor: float


def distances(artifact: Referents, referent: Referent) -> tuple[Point, ...]:
    """By row, over the directions along which both are known; none where there are no such."""
    points = []
    for row in artifact.rows:
        if referent not in row.references:
            continue
        value, doubt = slopes(row, referent)
        gradient = np.asarray(row.gradient, np.float64)
        known = np.isfinite(value) & np.isfinite(doubt) & np.isfinite(gradient)
        if known.any():
            size = norm(value[known]) or 1.0
            distance = norm((gradient - value)[known]) / size
            points.append(Point(row, distance, norm(doubt[known]) / size))
    return tuple(points)


def slopes(row: ReferentRow, referent: Referent) -> tuple[Floats, Floats]:
    """Slopes [n] of a reference that the row has, and their uncertainties."""
    found = row.references[referent]
    return np.asarray(found.value, np.float64), np.asarray(found.uncertainty, np.float64)


def norm(values: Floats) -> float:
    """Euclidean length."""
    return float(np.linalg.norm(values))
