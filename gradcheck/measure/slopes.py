"""Slopes of many functions at once, each read off a run of steps that agree."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from gradcheck.engine import Array
from gradcheck.plateau import RUN


def central(plus: Array, minus: Array, steps: Array, noise: Array) -> tuple[Array, Array]:
    """Slope and uncertainty [...] of values [s, ...] at x + h and x - h, for rising steps [s].

    noise [...]: absolute, of the values. Of all runs of `gradcheck.plateau.RUN` neighbouring
    steps the one of least uncertainty counts: the largest distance of a member from the median,
    plus the largest error by noise. NaN and infinity where no run is finite.
    """
    column = steps.reshape(-1, *[1] * (plus.ndim - 1))
    with np.errstate(invalid="ignore", over="ignore"):
        slopes = (plus - minus) / (2 * column)
    return runs(slopes, noise / column)


def runs(slopes: Array, errors: Array) -> tuple[Array, Array]:
    """The same of slopes [s, ...] and what noise does to each of them [s, ...]."""
    windows = sliding_window_view(slopes, RUN, axis=0)
    middle = np.median(windows, axis=-1)
    with np.errstate(invalid="ignore"):
        spread = np.abs(windows - middle[..., None]).max(axis=-1)
    noise = sliding_window_view(errors, RUN, axis=0).max(axis=-1)
    uncertainty = spread + noise
    usable = np.isfinite(uncertainty)
    uncertainty = np.where(usable, uncertainty, np.inf)
    best = np.argmin(uncertainty, axis=0)[None]
    value = np.take_along_axis(np.where(usable, middle, np.nan), best, axis=0)[0]
    return value, np.take_along_axis(uncertainty, best, axis=0)[0]
