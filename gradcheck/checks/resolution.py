"""Is a run in float64 as fine as it claims, or is there float32 inside of it?"""

import math

import numpy as np

from gradcheck.artifact import Horizon, Precision
from gradcheck.evidence import Evidence
from gradcheck.limit import Limit
from gradcheck.plateau import SETTLED
from gradcheck.rung import ordered, size

BETWEEN = Limit(
    value=1e-9,
    unit="relative",
    why="float32 rounds at 6e-8 and float64 at 1e-16; this lies between",
)
EPS = float(np.finfo(np.float64).eps)
CARRIED = float(1 / np.sqrt(EPS))
"""Amplification up to which a float64 gradient keeps half of its digits: 6.7e7."""
COARSEST = 1e-4
"""A resolution above this is no rounding: noise, or a gradient that the input does not change."""


def amplification(evidence: Evidence) -> float:
    """Largest gradient over that of the fewest steps, along the horizons; at least 1."""
    horizon = evidence.get(Horizon)
    if horizon is None or not horizon.ladders:
        return 1.0
    sizes = [size(row, evidence.testbed) for row in ordered(horizon.ladders[0])]
    told = [one for one in sizes if 0 < one < math.inf]
    return max(told) / told[0] if told else 1.0


def beyond_usable(evidence: Evidence) -> bool:
    """Is the gradient amplified over the horizon by more than it is usable for (GC301)?"""
    return amplification(evidence) > CARRIED


def rounding(evidence: Evidence, eps: float = EPS) -> float:
    """What rounding leaves of a rollout's gradient, relative to it: that of every step, amplified
    at most as the gradient is. eps: of the arithmetic."""
    return eps * max(1, evidence.testbed.steps) * amplification(evidence)


def resolution_limit(evidence: Evidence) -> Limit:
    """The resolution that float64 must have here: rounding of every step, amplified at most as
    the gradient is, and never finer than half way between the two precisions."""
    finest = rounding(evidence)
    if not finest > BETWEEN.value:
        return BETWEEN
    why = "float64's rounding at every step, amplified as the gradient is over the horizon"
    return Limit(value=finest, unit=BETWEEN.unit, why=why)


def signs_of_float32(evidence: Evidence, precision: Precision) -> list[str]:
    """What gives float32 away inside of what claims to be float64; empty where nothing does."""
    limit = resolution_limit(evidence).value
    signs = []
    if is_single(precision.value_resolution, precision.value_jitter, limit):
        signs.append(f"the loss is resolved to {precision.value_resolution:.1g} only")
    if is_single(precision.gradient_resolution, precision.gradient_jitter, limit):
        signs.append(f"the gradient is resolved to {precision.gradient_resolution:.1g} only")
    if _all_single(_moving(precision)):
        signs.append("every entry of the gradient is a float32 number")
    return signs


def is_single(resolution: float, jitter: float, limit: float) -> bool:
    """Is this the resolution of float32 rounding, after what a rollout makes of it?

    Noise of another kind, as an unconverged solver leaves it, is as large between points that
    float32 cannot tell apart.
    """
    return limit < resolution <= COARSEST and jitter <= SETTLED * resolution


def _moving(precision: Precision) -> list[float]:
    """The entries of the gradient that change from one moved point to the other, at both.

    A constant one is data of the program, which may have been given in float32, and no result.
    """
    points = [[x for part in one.values() for x in part] for one in precision.moved64]
    return [x for column in zip(*points, strict=True) if len(set(column)) > 1 for x in column]


def _all_single(entries: list[float]) -> bool:
    """Do all entries fit into float32, and some of them not into 11 bits by chance (0, 1, 1/2)?

    A float64 result fits into float32 with probability 2^-29.
    """
    array = np.array([x for x in entries if math.isfinite(x)])
    if not array.size:
        return False
    mantissa = np.frexp(array)[0]
    single = mantissa == np.ldexp(np.rint(np.ldexp(mantissa, 24)), -24)
    short = mantissa == np.ldexp(np.rint(np.ldexp(mantissa, 11)), -11)
    return bool(np.all(single) and not np.all(short))
