"""`gap_push`: a push that has to bridge a gap before anything moves.

Short of the gap the derivative is exactly 0 and right; the slope of the mean under noise is not
0. An optimiser that follows the derivative never starts.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Formula
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth

GAP = 0.2
SIGMA = 0.1


def _formula(inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    over = inputs["u"] - GAP
    return xp.where(over.real > 0, over, 0.0 * over)


def _jacobian(inputs: Inputs) -> Gradient:
    return {"u": np.where(inputs["u"].real > GAP, 1.0, 0.0)[:, None]}


def smoothed_slope(u: Array, sigma: float) -> Array:
    """Slope of the mean of max(0, u + w - g), w normal: Phi((u - g) / sigma)."""
    from scipy.special import ndtr

    return np.asarray(ndtr((u - GAP) / sigma))


TESTBED = Testbed(
    name="gap_push",
    question="Does the gradient know of a contact that has not been reached yet?",
    family=Family.CONTACT,
    source="f = max(0, u - g)",
    inputs=(Input("u", np.array([0.0]), scale=0.5, unit="m"),),
    outputs=("f",),
    weights=(1.0,),
    scenes=(Formula(_formula),),
    truth=Truth(
        source="f = max(0, u - g); slope of the mean Phi((u - g) / sigma)",
        outputs=lambda inputs: _formula(inputs, np),
        jacobian=_jacobian,
        smoothed=lambda inputs: {"u": smoothed_slope(inputs["u"], SIGMA)},
    ),
    sweep=Sweep("u", 0, -0.1, 0.5),
    noise={"u": SIGMA},
    # The means of both estimates are right; the derivative at one state is blind.
    expected={
        **{(engine, "GC402"): Verdict.WARN for engine in ("closed_form", "equations")},
        **{(engine, "GC501"): Verdict.WARN for engine in ("closed_form", "equations")},
    },
)
