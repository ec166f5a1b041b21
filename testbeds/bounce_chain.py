"""`bounce_chain`: a ball runs to and fro between two walls and loses speed at each.

Each impact multiplies the slope with respect to the start by -e. Without time of impact each adds
an error of its own instead.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Balls, Plane
from gradcheck.testbed import Family, Input, Testbed, Truth

RADIUS = 0.1
WIDTH = 1.0
ELASTICITY = 0.9
DT = 0.01
STEPS = 400
HORIZON = DT * STEPS


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return inputs["x0"][:, None], inputs["v0"][:, None]


def _final(position: AnyArray, velocity: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return position[:, 0]


def _last_flight(inputs: Inputs) -> tuple[int, Array, Array]:
    """Impacts so far; velocity and position now, as if the last flight had begun at time 0 [1].

    Between impacts x = place + v T with T the whole horizon. At a wall w the time is
    s = (w - place) / v, and place + v s = place' - e v s gives place' = w + e (w - place).
    """
    place, velocity = inputs["x0"], inputs["v0"]
    for count in range(10 * STEPS):
        wall = WIDTH - RADIUS if velocity.real[0] > 0 else RADIUS
        beyond = (place + velocity * HORIZON - wall) * np.sign(velocity.real)
        if not beyond.real[0] > 0:
            return count, velocity, place
        place = wall + ELASTICITY * (wall - place)
        velocity = -ELASTICITY * velocity
    raise ArithmeticError("the ball is too fast: more impacts than ten a step")


def _outputs(inputs: Inputs) -> Array:
    _, velocity, place = _last_flight(inputs)
    return place + velocity * HORIZON


def _jacobian(inputs: Inputs) -> Gradient:
    """Every impact multiplies place and velocity, so both slopes, by -e."""
    count, _, _ = _last_flight(inputs)
    factor = np.array([[(-ELASTICITY) ** count]])
    return {"x0": factor, "v0": factor * HORIZON}


TESTBED = Testbed(
    name="bounce_chain",
    question="Does the gradient stay right through repeated impacts?",
    family=Family.HORIZON,
    source="flight between two walls, unfolded: x_T = place_n + v_n T",
    inputs=(
        Input("x0", np.array([0.37]), scale=0.2, unit="m"),
        Input("v0", np.array([1.3]), scale=0.1, reach=0.41, unit="m/s"),
    ),
    outputs=("x_T",),
    weights=(1.0,),
    scenes=(
        Balls(
            masses=(1.0,),
            radii=(RADIUS,),
            start=_start,
            outputs=_final,
            planes=(Plane((1.0,)), Plane((-1.0,), -WIDTH)),
            elasticity=ELASTICITY,
            # Half a period of 0.1 s, in which the damping takes a tenth of the speed.
            stiffness=1000.0,
            damping=2.1,
        ),
    ),
    dt=DT,
    steps=STEPS,
    speed=1.3,
    truth=Truth(
        source="each impact at wall w: place -> w + e (w - place), v -> -e v",
        outputs=_outputs,
        jacobian=_jacobian,
    ),
    expected={
        ("particles:ideal", "GC202"): Verdict.FAIL,
        ("particles:penalty", "GC202"): Verdict.FAIL,
    },
)
