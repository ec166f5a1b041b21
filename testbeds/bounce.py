"""`bounce`: a ball without gravity bounces once; its final height.

The start lies 0.7 mm above that of the source, whose height is a whole number of steps from the
plane: there rounding decides in which step the impact falls, and differences see only the jump.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Balls, Plane
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth

RADIUS = 0.1
HORIZON = 1.0
STEPS = 480
DT = HORIZON / STEPS
SIGMA = 0.05


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return inputs["x0"][None, :], inputs["v0"][None, :]


def _force(inputs: AnyInputs, index: AnyArray, xp: AnyArray) -> AnyArray:
    """u0 acts during the first step only."""
    return xp.where(index == 0, 1.0, 0.0) * inputs["u0"][None, :]


def _height(position: AnyArray, velocity: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return position[0, 1:]


def _free(inputs: Inputs) -> Array:
    """Height at the end without a plane [1]: the force acts for dt, the speed it gave after."""
    kick = inputs["u0"][1:] * DT * (HORIZON - DT / 2)
    return inputs["x0"][1:] + inputs["v0"][1:] * HORIZON + kick


def _outputs(inputs: Inputs) -> Array:
    free = _free(inputs)
    return np.where(free.real < RADIUS, 2 * RADIUS - free, free)


def _jacobian(inputs: Inputs) -> Gradient:
    side = np.where(_free(inputs).real < RADIUS, -1.0, 1.0)[0]
    row = np.array([[0.0, side]])
    return {"x0": row, "v0": row * HORIZON, "u0": row * DT * (HORIZON - DT / 2)}


TESTBED = Testbed(
    name="bounce",
    question="Does a higher start make a bouncing ball end higher or lower?",
    family=Family.CONTACT,
    source="arXiv 2207.05060, task 1",
    inputs=(
        Input("x0", np.array([-1.0, 1.0007]), unit="m"),
        Input("v0", np.array([2.0, -2.0]), reach=0.45, unit="m/s"),
        Input("u0", np.array([0.0, 0.0]), scale=100.0, reach=0.45 * DT, unit="N"),
    ),
    outputs=("h",),
    weights=(1.0,),
    scenes=(
        Balls(
            masses=(1.0,),
            radii=(RADIUS,),
            start=_start,
            outputs=_height,
            force=_force,
            planes=(Plane((0.0, 1.0)),),
            stiffness=1e3,
            damping=0.0,
        ),
    ),
    dt=DT,
    steps=STEPS,
    speed=2.0,
    truth=Truth(
        source="h = 2 r - (y0 + vy0 T): free flight mirrored at the plane, arXiv 2207.05060",
        outputs=_outputs,
        jacobian=_jacobian,
        # The height is linear where the noise reaches.
        smoothed=lambda inputs: {name: row[0] for name, row in _jacobian(inputs).items()},
    ),
    sweep=Sweep("x0", 1, 1.7, 2.5),
    noise={"x0": SIGMA},
    expected={
        ("particles:ideal", "GC202"): Verdict.FAIL,
        ("particles:ideal", "GC401"): Verdict.WARN,
        ("particles:ideal", "GC501"): Verdict.WARN,
        # Half a contact's period lasts only some ten steps, too few for the slope.
        ("particles:penalty", "GC202"): Verdict.FAIL,
    },
)
