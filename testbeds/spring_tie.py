"""`spring_tie`: a slack tie, a maximum and dry friction, each exactly at its kink.

There is no derivative here, only a left and a right slope. Engines differ in which value between
them they return, and none is wrong; the three outputs take three conventions of JAX.
"""

import numpy as np

from gradcheck.engine import Gradient, Inputs
from gradcheck.scene import AnyArray, AnyInputs, Formula
from gradcheck.testbed import Family, Input, Testbed, Truth

STIFFNESS = 3.0
SLACK = 1.0
FRICTION = 2.0


def _formula(inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    """Tension of a tie that is slack below 1 m, the greater of two loads, and what a push has
    left over from dry friction [3]. JAX takes the left, the middle and the right slope."""
    stretch = inputs["length"][0] - SLACK
    tension = xp.where(stretch.real > 0, STIFFNESS * stretch, 0.0 * stretch)
    first, second = inputs["loads"][0], inputs["loads"][1]
    apart = first - second
    greater = (first + second) / 2 + xp.sign(apart.real) * apart / 2
    over = inputs["push"][0] - FRICTION
    left_over = xp.where(over.real >= 0, over, 0.0 * over)
    return xp.stack([tension, greater, left_over])


def _jacobian(inputs: Inputs) -> Gradient:
    """Slopes on each side of the kinks, and their mean at them."""
    pulls = np.heaviside(inputs["length"][0] - SLACK, 0.5)
    first = np.heaviside(inputs["loads"][0] - inputs["loads"][1], 0.5)
    slips = np.heaviside(inputs["push"][0] - FRICTION, 0.5)
    return {
        "length": np.array([[STIFFNESS * pulls], [0.0], [0.0]]),
        "loads": np.array([[0.0, 0.0], [first, 1 - first], [0.0, 0.0]]),
        "push": np.array([[0.0], [0.0], [slips]]),
    }


TESTBED = Testbed(
    name="spring_tie",
    question="Is a kink named as a kink, and not called a wrong gradient?",
    family=Family.SMOOTH,
    source="k max(0, l - l0), max(a, b) and max(0, push - friction), each at its kink",
    inputs=(
        Input("length", np.array([SLACK]), unit="m"),
        Input("loads", np.array([0.4, 0.4]), unit="N"),
        Input("push", np.array([FRICTION]), unit="N"),
    ),
    outputs=("tension", "greater", "left over"),
    weights=(1.0, 1.0, 1.0),
    scenes=(Formula(_formula),),
    truth=Truth(
        source="one-sided slopes; exactly at a kink their mean, by convention only",
        outputs=lambda inputs: _formula(inputs, np),
        jacobian=_jacobian,
    ),
)
