"""`double_pendulum`: a chaotic double pendulum.

The logarithm of the gradient's norm grows at the Lyapunov rate: per unit of time, whatever the
time step. Two unit masses at the ends of rods of 1 m, each with an inertia of its own of
0.01 kg m² (the articulated engines need one); qpos are the joint angles, the second one relative
to the first rod.
"""

import numpy as np

from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Equations, Mjcf
from gradcheck.testbed import Family, Input, Testbed
from gradcheck.testbeds.reference import reference

GRAVITY = 9.81
INERTIA = 0.01
DT = 0.01
STEPS = 1000


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return inputs["qpos"], inputs["qvel"]


def _acceleration(
    q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: AnyArray
) -> AnyArray:
    """Lagrange's equations in the absolute angles a, b of the two rods, solved by Cramer's rule."""
    a, b = q[0], q[0] + q[1]
    a_rate, b_rate = v[0], v[0] + v[1]
    cos, sin = xp.cos(a - b), xp.sin(a - b)
    first, second = 2 + INERTIA, 1 + INERTIA
    on_a = -sin * b_rate**2 - 2 * GRAVITY * xp.sin(a)
    on_b = sin * a_rate**2 - GRAVITY * xp.sin(b)
    determinant = first * second - cos**2
    a_change = (second * on_a - cos * on_b) / determinant
    b_change = (first * on_b - cos * on_a) / determinant
    return xp.stack([a_change, b_change - a_change])


def _final(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return xp.concatenate([q, v])


SCENE = Equations(_start, _acceleration, _final)

ROD = f"""
      <inertial pos="0 0 -1" mass="1" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
      <joint type="hinge" axis="0 1 0"/>"""
XML = f"""
<mujoco model="double_pendulum">
  <option timestep="{DT}" gravity="0 0 -{GRAVITY}"/>
  <worldbody>
    <body name="first">{ROD}
      <body name="second" pos="0 0 -1">{ROD}
      </body>
    </body>
  </worldbody>
</mujoco>"""

TESTBED = Testbed(
    name="double_pendulum",
    question="Does the gradient explode over the horizon, and is it chaos or a bug?",
    family=Family.HORIZON,
    source="Lagrange's equations of two unit masses on rods of 1 m, I = 0.01 kg m² each",
    inputs=(
        Input("qpos", np.array([2.8, 1.2]), scale=0.5, unit="rad"),
        Input("qvel", np.array([0.0, 0.0]), unit="rad/s"),
    ),
    outputs=("first angle", "second angle", "first rate", "second rate"),
    weights=(1.0, 0.5, 0.0, 0.0),
    scenes=(SCENE, Mjcf(XML, {})),
    dt=DT,
    steps=STEPS,
    truth=reference(SCENE, DT * STEPS, accuracy=2e-5),
    # After ten Lyapunov times a trajectory of a first-order scheme is another one.
    expected={
        ("equations", "GC202"): Verdict.FAIL,
        ("equations", "GC208"): Verdict.WARN,
        ("equations", "GC301"): Verdict.WARN,
        ("mujoco", "GC202"): Verdict.FAIL,
        ("mujoco", "GC301"): Verdict.WARN,
    },
)
