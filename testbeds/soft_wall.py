"""`soft_wall`: a unit mass runs into a spring and damper and comes back.

In contact q'' = -v - 50 q, so the mass leaves after half a period with exp(-tau / 2) of its
speed. A time step that ends somewhere in the contact adds an error of the slope that shrinks
with the step: refinement cures this one.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import Balls, Plane
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth
from gradcheck.testbeds.wall import HORIZON, final_position, start

STIFFNESS = 50.0
DAMPING = 1.0
FREQUENCY = np.sqrt(STIFFNESS - DAMPING**2 / 4)
CONTACT_TIME = np.pi / FREQUENCY
RESTITUTION = np.exp(-DAMPING * CONTACT_TIME / 2)


def _flight(inputs: Inputs) -> tuple[Array, Array]:
    """Position per unit of approach speed and its rate, at the end [1].

    s is the time since the wall was reached; q_T = v0 p(s) and dq/ds = v0 p'(s), with p in the
    order of motion: approach, contact, return.
    """
    s = HORIZON + inputs["q0"] / inputs["v0"]
    wave, turn = np.sin(FREQUENCY * s), np.cos(FREQUENCY * s)
    decay = np.exp(-DAMPING * s / 2)
    during = decay * wave / FREQUENCY
    during_rate = decay * (turn - DAMPING * wave / (2 * FREQUENCY))
    stage = [s.real <= 0, s.real < CONTACT_TIME]
    place = np.select(stage, [s, during], -RESTITUTION * (s - CONTACT_TIME))
    rate = np.select(stage, [np.ones_like(s), during_rate], -RESTITUTION * np.ones_like(s))
    return place, rate


def _outputs(inputs: Inputs) -> Array:
    return inputs["v0"] * _flight(inputs)[0]


def _jacobian(inputs: Inputs) -> Gradient:
    place, rate = _flight(inputs)
    return {
        "q0": rate[:, None],
        "v0": (place - rate * inputs["q0"] / inputs["v0"])[:, None],
    }


TESTBED = Testbed(
    name="soft_wall",
    question="Does the slope of a compliant rebound tend to that of the physics?",
    family=Family.CONTACT,
    source="arXiv 2506.14186, experiment 01, compliant variant",
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
            elasticity=float(RESTITUTION),
            stiffness=STIFFNESS,
            damping=DAMPING,
        ),
    ),
    dt=0.001,
    steps=2000,
    speed=1.0,
    truth=Truth(
        source="contact of pi / sqrt(49.75) s, restitution exp(-tau / 2); arXiv 2506.14186",
        outputs=_outputs,
        jacobian=_jacobian,
    ),
    sweep=Sweep("q0", 0, 1.2, 2.5),
    expected={
        ("particles:ideal", "GC202"): Verdict.FAIL,
        ("particles:ideal", "GC401"): Verdict.WARN,
        ("particles:ideal", "GC501"): Verdict.WARN,
        ("particles:penalty", "GC401"): Verdict.WARN,
        # The same loss of speed, without the time that the contact takes.
        ("particles:toi", "GC202"): Verdict.FAIL,
    },
)
