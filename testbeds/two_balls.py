"""`two_balls`: one ball hits another of equal mass; the place where the second one ends.

It takes over the speed where the two touch, so x_f = x1 + 2 r + v0 T wherever it stood before.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Balls
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth

RADIUS = 0.1
HORIZON = 1.0
STEPS = 120
UNTIL = 0.32
SIGMA = 0.03


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return xp.stack([inputs["x1"], inputs["x2"]]), xp.stack([inputs["v0"], inputs["u0"]])


def _final(position: AnyArray, velocity: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return position[1]


def _meet(inputs: Inputs) -> bool:
    """Do the balls meet before the end?"""
    gap = inputs["x2"] - inputs["x1"] - 2 * RADIUS
    closing = inputs["v0"] - inputs["u0"]
    return bool((gap - closing * HORIZON).real[0] < 0)


def _outputs(inputs: Inputs) -> Array:
    if _meet(inputs):
        return inputs["x1"] + 2 * RADIUS + inputs["v0"] * HORIZON
    return inputs["x2"] + inputs["u0"] * HORIZON


def _jacobian(inputs: Inputs) -> Gradient:
    here = 1.0 if _meet(inputs) else 0.0
    slopes = {"x1": here, "x2": 1 - here, "v0": here * HORIZON, "u0": (1 - here) * HORIZON}
    return {name: np.array([[slope]]) for name, slope in slopes.items()}


TESTBED = Testbed(
    name="two_balls",
    question="On what does the end of a ball depend that another ball hits?",
    family=Family.CONTACT,
    source="elastic impact of equal masses, which exchange their velocities",
    inputs=(
        Input("x1", np.array([0.0]), scale=0.5, unit="m"),
        Input("x2", np.array([0.52]), scale=0.5, unit="m"),
        Input("v0", np.array([1.0]), scale=0.5, reach=UNTIL, unit="m/s"),
        Input("u0", np.array([0.0]), scale=0.5, reach=UNTIL, unit="m/s"),
    ),
    outputs=("x2_T",),
    weights=(1.0,),
    scenes=(
        Balls(
            masses=(1.0, 1.0),
            radii=(RADIUS, RADIUS),
            start=_start,
            outputs=_final,
            pairs=((0, 1),),
            stiffness=400.0,
            damping=0.0,
        ),
    ),
    dt=HORIZON / STEPS,
    steps=STEPS,
    speed=1.0,
    truth=Truth(
        source="x_f = x1 + 2 r + v0 T",
        outputs=_outputs,
        jacobian=_jacobian,
        # The end is linear where the noise reaches.
        smoothed=lambda inputs: {name: row[0] for name, row in _jacobian(inputs).items()},
    ),
    sweep=Sweep("x2", 0, 0.9, 1.5),
    noise={"x1": SIGMA, "x2": SIGMA},
    expected={
        ("particles:ideal", "GC202"): Verdict.FAIL,
        ("particles:ideal", "GC401"): Verdict.WARN,
        ("particles:ideal", "GC402"): Verdict.WARN,
        ("particles:ideal", "GC501"): Verdict.WARN,
        # The second ball's own start and speed are forgotten at the impact.
        ("closed_form", "GC402"): Verdict.WARN,
        ("particles:toi", "GC402"): Verdict.WARN,
        ("particles:toi", "GC302"): Verdict.WARN,
        # Half a contact's period lasts only some ten steps, too few for the slope.
        ("particles:penalty", "GC202"): Verdict.FAIL,
    },
)
