"""`step_push`: success or failure, H(x + w).

The derivative of a jump is 0 on both sides, so the mean of derivatives is always 0; the slope of
the mean is not. At 0.1 m past the edge, one standard deviation of the noise.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Formula
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth

SIGMA = 0.1


def _formula(inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    x = inputs["x"]
    return xp.where(x.real > 0, 1.0 + 0.0 * x, 0.0 * x)


def _jacobian(inputs: Inputs) -> Gradient:
    return {"x": np.zeros((1, 1))}


def smoothed_slope(x: Array, sigma: float) -> Array:
    """Slope of the mean of H(x + w), w normal: the density of w at x."""
    return np.asarray(np.exp(-((x / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi)))


TESTBED = Testbed(
    name="step_push",
    question="What is the derivative of success or failure?",
    family=Family.CONTACT,
    source="f = H(x)",
    inputs=(Input("x", np.array([0.1]), scale=0.5, unit="m"),),
    outputs=("f",),
    weights=(1.0,),
    scenes=(Formula(_formula),),
    truth=Truth(
        source="f = H(x), slope 0; slope of the mean: the normal density at x",
        outputs=lambda inputs: _formula(inputs, np),
        jacobian=_jacobian,
        smoothed=lambda inputs: {"x": smoothed_slope(inputs["x"], SIGMA)},
    ),
    sweep=Sweep("x", 0, -0.2, 0.3),
    noise={"x": SIGMA},
    expected={
        **{(engine, "GC401"): Verdict.WARN for engine in ("closed_form", "equations")},
        **{(engine, "GC402"): Verdict.WARN for engine in ("closed_form", "equations")},
        **{(engine, "GC501"): Verdict.WARN for engine in ("closed_form", "equations")},
    },
)
