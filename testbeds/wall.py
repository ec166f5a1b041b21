"""`wall`: a unit mass runs into a rigid wall and comes back.

Without time of impact the impulse falls on the step that would overlap, and the position at the
end of that step does not depend on how far into the step the wall was: the slope of the program
is +1 on every piece, while the pieces themselves step down, at every time step however small.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Balls, Plane
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth

HORIZON = 2.0
SIGMA = 0.05


def start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    """One ball on a line: [1, 1] and [1, 1]."""
    return inputs["q0"][:, None], inputs["v0"][:, None]


def final_position(
    position: AnyArray, velocity: AnyArray, inputs: AnyInputs, xp: AnyArray
) -> AnyArray:
    """q at the end [1]."""
    return position[:, 0]


def _side(inputs: Inputs) -> Array:
    """-1 where the wall was met before the end, else 1."""
    free = inputs["q0"] + inputs["v0"] * HORIZON
    return np.where(free.real < 0, -1.0, 1.0)


def _outputs(inputs: Inputs) -> Array:
    """q_T = |q0 + v0 T|."""
    return _side(inputs) * (inputs["q0"] + inputs["v0"] * HORIZON)


def _jacobian(inputs: Inputs) -> Gradient:
    side = _side(inputs)[:, None]
    return {"q0": side, "v0": side * HORIZON}


def _smoothed(inputs: Inputs) -> Gradient:
    """Slope of the mean of |q0 + w + v0 T|, w normal: 1 - 2 Phi(-(q0 + v0 T) / sigma)."""
    from scipy.special import ndtr

    slope = 1 - 2 * ndtr(-(inputs["q0"] + inputs["v0"] * HORIZON) / SIGMA)
    return {"q0": slope, "v0": slope * HORIZON}


TESTBED = Testbed(
    name="wall",
    question="Is the slope of a rebound from a rigid wall that of the physics?",
    family=Family.CONTACT,
    source="arXiv 2506.14186, experiment 01",
    inputs=(
        Input("q0", np.array([0.2537]), scale=0.5, unit="m"),
        Input("v0", np.array([-1.0]), scale=0.5, reach=0.2537, unit="m/s"),
    ),
    outputs=("q_T",),
    weights=(1.0,),
    scenes=(
        Balls(
            masses=(1.0,),
            radii=(0.0,),
            start=start,
            outputs=final_position,
            planes=(Plane((1.0,)),),
            elasticity=1.0,
            stiffness=50.0,
            damping=1.0,
        ),
    ),
    dt=0.01,
    steps=200,
    speed=1.0,
    truth=Truth(
        source="q_T = |q0 + v0 T|: free flight mirrored at the wall, arXiv 2506.14186",
        outputs=_outputs,
        jacobian=_jacobian,
        smoothed=_smoothed,
    ),
    sweep=Sweep("q0", 0, 1.5, 2.5),
    noise={"q0": SIGMA},
    expected={
        ("particles:ideal", "GC202"): Verdict.FAIL,
        ("particles:ideal", "GC401"): Verdict.WARN,
        ("particles:ideal", "GC501"): Verdict.WARN,
        # Another wall: it keeps the mass for 0.45 s and gives back 0.8 of its speed.
        ("particles:penalty", "GC202"): Verdict.FAIL,
        ("particles:penalty", "GC401"): Verdict.WARN,
        ("particles:penalty", "GC501"): Verdict.WARN,
    },
)
