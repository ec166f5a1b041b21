"""`oblique_impact`: a ball hits another off centre; where the second one ends.

The contact normal turns with the point of impact. An engine that holds it constant in the
derivative is right for changes along the line of approach, which leave the normal as it is, and
wrong across it: a test along the line of approach cannot see the defect.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Balls
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth

CONTACT = 0.4
HORIZON = 1.0
STEPS = 120
UNTIL = 0.429


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    still = xp.zeros_like(inputs["v"])
    return xp.stack([inputs["a"], inputs["b"]]), xp.stack([inputs["v"], still])


def _final(position: AnyArray, velocity: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return position.reshape(4)


def impact(inputs: Inputs) -> tuple[Array, Array] | None:
    """Time of impact and contact normal [2] from A to B, or None where they miss."""
    apart, speed = inputs["b"] - inputs["a"], -inputs["v"]
    along = apart @ speed
    excess = apart @ apart - CONTACT**2
    root2 = along**2 - (speed @ speed) * excess
    if along.real >= 0 or root2.real <= 0:
        return None
    time = excess / (np.sqrt(root2) - along)
    if time.real >= HORIZON:
        return None
    return time, (apart + time * speed) / CONTACT


def _outputs(inputs: Inputs) -> Array:
    a, b, v = inputs["a"], inputs["b"], inputs["v"]
    met = impact(inputs)
    if met is None:
        return np.concatenate([a + HORIZON * v, b])
    time, normal = met
    given = (v @ normal) * normal
    rest = HORIZON - time
    return np.concatenate([a + HORIZON * v - rest * given, b + rest * given])


def _jacobian(inputs: Inputs) -> Gradient:
    """Derivative of `_outputs`: n . d(b - a - t v) = 0 at impact gives dt, and that gives dn."""
    v = inputs["v"]
    # Changes of a, b, v [2, 6] with all six inputs.
    da, db, dv = np.split(np.eye(6), 3)
    met = impact(inputs)
    if met is None:
        rows = np.vstack([da + HORIZON * dv, db])
    else:
        time, normal = met
        rest = HORIZON - time
        moved = db - da - time * dv
        dt = (normal @ moved) / (normal @ v)
        dn = (moved - np.outer(v, dt)) / CONTACT
        closing = v @ normal
        given = closing * normal
        d_given = np.outer(normal, normal @ dv + v @ dn) + closing * dn
        d_shift = rest * d_given - np.outer(given, dt)
        rows = np.vstack([da + HORIZON * dv - d_shift, db + d_shift])
    return dict(zip("abv", np.split(rows, 3, axis=1), strict=True))


TESTBED = Testbed(
    name="oblique_impact",
    question="Does the derivative see that the contact normal turns?",
    family=Family.CONTACT,
    source="elastic frictionless impact of two equal discs",
    inputs=(
        Input("a", np.array([0.0, 0.0]), scale=0.3, unit="m"),
        Input("b", np.array([0.8, 0.15]), scale=0.3, unit="m"),
        Input("v", np.array([1.0, 0.0]), scale=0.5, reach=UNTIL, unit="m/s"),
    ),
    outputs=("xA", "yA", "xB", "yB"),
    # The two rows differ most from the frozen ones when they are subtracted.
    weights=(0.0, 0.0, 1.0, -1.0),
    scenes=(
        Balls(
            masses=(1.0, 1.0),
            radii=(CONTACT / 2, CONTACT / 2),
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
        source="impact where |b - a - t v| = 0.4; the normal component of v is exchanged",
        outputs=_outputs,
        jacobian=_jacobian,
    ),
    sweep=Sweep("b", 0, 1.1, 1.7),
    # Along the approach the normal at impact stays; across it, it turns.
    directions={
        "normal": {"b": np.array([1.0, 0.0])},
        "tangent": {"b": np.array([0.0, 1.0])},
    },
    expected={
        ("particles:ideal", "GC202"): Verdict.FAIL,
        ("particles:ideal", "GC401"): Verdict.WARN,
        ("particles:ideal", "GC501"): Verdict.WARN,
        # Half a contact's period lasts only some ten steps, too few for the slope.
        ("particles:penalty", "GC202"): Verdict.FAIL,
    },
)
