"""`pendulum`: a damped pendulum; its angle after 1.2 s.

A physical pendulum: the mass at the end of a rigid rod without mass has an inertia of its own of
0.01 kg m², because articulated engines need one; so every engine has the same system.
"""

import numpy as np

from gradcheck.finding import Verdict
from gradcheck.scene import AnyArray, AnyInputs, Equations, Field, Mjcf
from gradcheck.testbed import Family, Input, Testbed
from gradcheck.testbeds.reference import reference

GRAVITY = 9.81
MASS = 1.0
INERTIA = 0.01
DT = 0.005
STEPS = 240


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return inputs["qpos"], inputs["qvel"]


def _acceleration(
    q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: AnyArray
) -> AnyArray:
    """(m l² + I) q'' = -m g l sin q - c q'."""
    length, damping = inputs["length"], inputs["damping"]
    torque = -MASS * GRAVITY * length * xp.sin(q) - damping * v
    return torque / (MASS * length**2 + INERTIA)


def _final(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return xp.concatenate([q, v])


SCENE = Equations(_start, _acceleration, _final)

XML = f"""
<mujoco model="pendulum">
  <option timestep="{DT}" gravity="0 0 -{GRAVITY}"/>
  <worldbody>
    <body name="rod">
      <inertial pos="0 0 -0.8" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
      <joint type="hinge" axis="0 1 0" damping="0.2"/>
    </body>
  </worldbody>
</mujoco>"""
FIELDS = {
    "length": (Field("body_ipos", (1, 2), factor=-1.0),),
    "damping": (Field("dof_damping", (0,)),),
}

TESTBED = Testbed(
    name="pendulum",
    question="Is the gradient of a damped swing right for state and parameters?",
    family=Family.SMOOTH,
    source="(m l² + I) q'' = -m g l sin q - c q', with m = 1 kg and I = 0.01 kg m²",
    inputs=(
        Input("qpos", np.array([0.7]), scale=0.5, unit="rad"),
        Input("qvel", np.array([0.4]), unit="rad/s"),
        Input("length", np.array([0.8]), scale=0.5, unit="m"),
        Input("damping", np.array([0.2]), scale=0.5, unit="N m s"),
    ),
    outputs=("angle", "rate"),
    weights=(1.0, 0.0),
    scenes=(SCENE, Mjcf(XML, FIELDS)),
    dt=DT,
    steps=STEPS,
    truth=reference(SCENE, DT * STEPS, accuracy=1e-11),
    # mjd_transitionFD does not differentiate by parameters of the model.
    expected={("mujoco", "GC203"): Verdict.WARN},
)
