"""`thruster`: a constant force on a free body; where it is after 10 s and 1000 steps.

Over a horizon T the gradient grows as T^0 (start), T^1 (speed) and T² (force, mass): fast enough
to look like an explosion, and none.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.scene import AnyArray, AnyInputs, Equations
from gradcheck.testbed import Family, Input, Testbed, Truth

DT = 0.01
STEPS = 1000
HORIZON = DT * STEPS


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return inputs["x0"], inputs["v0"]


def _acceleration(
    q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: AnyArray
) -> AnyArray:
    return inputs["force"] / inputs["mass"]


def _final(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return q


def _outputs(inputs: Inputs) -> Array:
    pull = inputs["force"] / inputs["mass"]
    return inputs["x0"] + inputs["v0"] * HORIZON + pull * HORIZON**2 / 2


def _jacobian(inputs: Inputs) -> Gradient:
    force, mass = inputs["force"][0], inputs["mass"][0]
    slopes = {
        "x0": 1.0,
        "v0": HORIZON,
        "force": HORIZON**2 / (2 * mass),
        "mass": -force * HORIZON**2 / (2 * mass**2),
    }
    return {name: np.array([[slope]]) for name, slope in slopes.items()}


TESTBED = Testbed(
    name="thruster",
    question="Is polynomial growth over a long horizon told from an explosion?",
    family=Family.HORIZON,
    source="x_T = x0 + v0 T + F T² / (2 m)",
    inputs=(
        Input("x0", np.array([0.3]), unit="m"),
        Input("v0", np.array([-0.2]), unit="m/s"),
        Input("force", np.array([0.5]), unit="N"),
        Input("mass", np.array([2.0]), unit="kg"),
    ),
    outputs=("x_T",),
    weights=(1.0,),
    scenes=(Equations(_start, _acceleration, _final),),
    dt=DT,
    steps=STEPS,
    truth=Truth(source="x_T = x0 + v0 T + F T² / (2 m)", outputs=_outputs, jacobian=_jacobian),
)
