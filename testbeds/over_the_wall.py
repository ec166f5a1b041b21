"""`over_the_wall`: a ball thrown at an angle, over a wall or not.

The landing distance jumps where the ball just clears the wall. The mean of the derivatives does
not see the jump; from 45 degrees on it has the wrong sign. (At 45 degrees itself the slope is 0.)
"""

import itertools

import numpy as np

from gradcheck.engine import Array
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Formula
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth

SPEED = 1.0
DISTANCE = 0.06
HEIGHT = 0.02
GRAVITY = 9.81
SIGMA = 0.1

# Standard deviations and nodes per smooth piece of the quadrature.
REACH = 9.0
NODES = 60


def _stopped(theta: AnyArray, xp: AnyArray) -> AnyArray:
    """Does the ball reach the wall, and below its top? (Height there times cos² of the angle.)"""
    sin, cos = xp.sin(theta), xp.cos(theta)
    drop = GRAVITY * DISTANCE**2 / (2 * SPEED**2)
    below = DISTANCE * sin * cos - drop < HEIGHT * cos**2
    return (_range(theta, xp) >= DISTANCE) & below


def _range(theta: AnyArray, xp: AnyArray) -> AnyArray:
    """Where the ball lands on open ground; also for angles outside [0, pi/2], as noise makes."""
    return SPEED**2 * xp.sin(2 * theta) / GRAVITY


def _formula(inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    theta = inputs["theta"]
    landing = xp.where(_stopped(theta.real, xp), DISTANCE + 0.0 * theta, _range(theta, xp))
    return -(landing**2)


def slope(theta: Array) -> Array:
    """d f / d theta, of the angles' own shape."""
    rate = 2 * SPEED**2 * np.cos(2 * theta) / GRAVITY
    return np.where(_stopped(theta.real, np), 0.0 * theta, -2 * _range(theta, np) * rate)


def edges() -> list[float]:
    """Angles at which f jumps (the ball just clears the wall) or has a kink (it lands at the
    foot): d tan t - g d² (1 + tan² t) / 2 v² = h, and sin 2t = d g / v²."""
    drop = GRAVITY * DISTANCE**2 / (2 * SPEED**2)
    root = np.sqrt(DISTANCE**2 - 4 * drop * (HEIGHT + drop))
    clear = np.arctan([(DISTANCE - root) / (2 * drop), (DISTANCE + root) / (2 * drop)])
    foot = np.arcsin(DISTANCE * GRAVITY / SPEED**2) / 2
    return [foot, float(clear[0]), float(clear[1]), np.pi / 2 - foot]


def zeroth_order(theta: float, sigma: float = SIGMA) -> float:
    """Slope of the mean: the mean of f(theta + w) w / sigma², by quadrature."""
    return _mean(lambda at: _formula({"theta": at}, np) * (at - theta) / sigma**2, theta, sigma)


def first_order(theta: float, sigma: float = SIGMA) -> float:
    """The mean of the slope f'(theta + w), by quadrature."""
    return _mean(slope, theta, sigma)


def _mean(function: AnyArray, theta: float, sigma: float) -> float:
    """Mean under normal noise: Gauss-Legendre on each smooth piece."""
    low, high = theta - REACH * sigma, theta + REACH * sigma
    cuts = [low, *(e for e in edges() if low < e < high), high]
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    total = 0.0
    for left, right in itertools.pairwise(cuts):
        at = (left + right) / 2 + nodes * (right - left) / 2
        density = np.exp(-(((at - theta) / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
        total += float(weights @ (function(at) * density)) * (right - left) / 2
    return total


TESTBED = Testbed(
    name="over_the_wall",
    question="Does the mean gradient point the right way past a jump?",
    family=Family.CONTACT,
    source="after Suh et al., Do Differentiable Simulators Give Better Policy Gradients? (2022)",
    inputs=(Input("theta", np.array([0.82]), scale=0.2, unit="rad"),),
    outputs=("f",),
    weights=(1.0,),
    scenes=(Formula(_formula),),
    truth=Truth(
        source="f = -(landing distance)²; slope of the mean by quadrature",
        outputs=lambda inputs: _formula(inputs, np),
        jacobian=lambda inputs: {"theta": slope(inputs["theta"])[:, None]},
        smoothed=lambda inputs: {"theta": np.array([zeroth_order(float(inputs["theta"][0]))])},
    ),
    sweep=Sweep("theta", 0, 0.4, 1.0),
    noise={"theta": SIGMA},
    expected={
        **{(engine, "GC401"): Verdict.WARN for engine in ("closed_form", "equations")},
        **{(engine, "GC402"): Verdict.WARN for engine in ("closed_form", "equations")},
        **{(engine, "GC501"): Verdict.WARN for engine in ("closed_form", "equations")},
    },
)
