"""`damped_chain`: masses on springs and dampers come to rest.

Every mode decays as exp(-c t / 2), and so does the gradient, until it is below the rounding of
the loss: after 10 s it is e^-40 of what it was.
"""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Equations
from gradcheck.testbed import Family, Input, Testbed, Truth

COUNT = 4
STIFFNESS = 100.0
DAMPING = 8.0
PLACE = 1.0
DT = 0.01
STEPS = 1000
HORIZON = DT * STEPS


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return inputs["q0"], inputs["v0"]


def _acceleration(
    q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: AnyArray
) -> AnyArray:
    """q'' = -k (2 q_i - q_{i-1} - q_{i+1}) - c q', the ends tied to walls; unit masses."""
    wall = xp.zeros_like(q[:1])
    left, right = xp.concatenate([wall, q[:-1]]), xp.concatenate([q[1:], wall])
    return -STIFFNESS * (2 * q - left - right) - DAMPING * v


def _final(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    """Where the last mass is, from a corner 1 m off its place of rest."""
    return PLACE + q[-1:]


def _response(time: float) -> tuple[Array, Array]:
    """Last row of dq_T/dq_0 and of dq_T/dv_0 [n]: the modes of a fixed chain, each
    e^(-c t / 2) ((cos w t + c sin w t / 2 w) q0 + sin w t / w v0), w² = k s - c² / 4."""
    mode = np.arange(1, COUNT + 1)
    shape = np.sqrt(2 / (COUNT + 1)) * np.sin(np.pi * np.outer(mode, mode) / (COUNT + 1))
    spring = 4 * np.sin(np.pi * mode / (2 * (COUNT + 1))) ** 2
    frequency = np.sqrt(STIFFNESS * spring - DAMPING**2 / 4)
    decay = np.exp(-DAMPING * time / 2)
    wave = np.sin(frequency * time) / frequency
    of_start = decay * (np.cos(frequency * time) + DAMPING / 2 * wave)
    last = shape[-1]
    return (last * of_start) @ shape, (last * decay * wave) @ shape


def outputs_at(inputs: Inputs, time: float) -> Array:
    """Where the last mass is at `time` [1]."""
    of_start, of_speed = _response(time)
    return np.reshape(PLACE + of_start @ inputs["q0"] + of_speed @ inputs["v0"], 1)


def jacobian_at(time: float) -> Gradient:
    """Its Jacobian by input [1, n]."""
    of_start, of_speed = _response(time)
    return {"q0": of_start[None, :], "v0": of_speed[None, :]}


TESTBED = Testbed(
    name="damped_chain",
    question="From which horizon on has dissipation erased the gradient?",
    family=Family.HORIZON,
    source="linear chain, every mode underdamped with decay rate c / 2 = 4 per second",
    inputs=(
        Input("q0", np.array([0.1, -0.05, 0.2, 0.15]), unit="m"),
        Input("v0", np.array([0.5, 0.3, -0.4, 0.2]), unit="m/s"),
    ),
    outputs=("place",),
    weights=(1.0,),
    scenes=(Equations(_start, _acceleration, _final),),
    dt=DT,
    steps=STEPS,
    truth=Truth(
        source="modes of the fixed chain, in closed form",
        outputs=lambda inputs: outputs_at(inputs, HORIZON),
        jacobian=lambda inputs: jacobian_at(HORIZON),
    ),
    # At the end there is nothing left to test, or to differ in.
    expected={
        ("closed_form", "GC201"): Verdict.WARN,
        ("equations", "GC201"): Verdict.WARN,
        ("equations", "GC302"): Verdict.WARN,
    },
)
