"""`free_fall`: a point falls from rest; its final height."""

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.scene import AnyArray, AnyInputs, Equations, Mjcf
from gradcheck.testbed import Family, Input, Testbed, Truth

GRAVITY = 9.81
HORIZON = 0.5
STEPS = 50


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return inputs["qpos"], inputs["qvel"]


def _acceleration(
    q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: AnyArray
) -> AnyArray:
    none = xp.zeros_like(v[0])
    return xp.stack([none, none, none - GRAVITY])


def _final(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return xp.concatenate([q, v])


def _outputs(inputs: Inputs) -> Array:
    fall = np.array([0.0, 0.0, -GRAVITY])
    place = inputs["qpos"] + inputs["qvel"] * HORIZON + fall * HORIZON**2 / 2
    return np.concatenate([place, inputs["qvel"] + fall * HORIZON])


def _jacobian(inputs: Inputs) -> Gradient:
    eye = np.eye(3)
    return {
        "qpos": np.vstack([eye, np.zeros((3, 3))]),
        "qvel": np.vstack([HORIZON * eye, eye]),
    }


XML = f"""
<mujoco model="free_fall">
  <option timestep="{HORIZON / STEPS}" gravity="0 0 -{GRAVITY}"/>
  <worldbody>
    <body name="point">
      <inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
      <joint type="slide" axis="1 0 0"/>
      <joint type="slide" axis="0 1 0"/>
      <joint type="slide" axis="0 0 1"/>
    </body>
  </worldbody>
</mujoco>"""

TESTBED = Testbed(
    name="free_fall",
    question="Is the gradient of a fall without contact right?",
    family=Family.SMOOTH,
    source="z_T = z0 + vz0 T - g T² / 2",
    inputs=(
        Input("qpos", np.array([5.425, 0.0, 10.0]), unit="m"),
        Input("qvel", np.zeros(3), unit="m/s"),
    ),
    outputs=("x", "y", "z", "vx", "vy", "vz"),
    weights=(0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
    scenes=(Equations(_start, _acceleration, _final), Mjcf(XML, {})),
    dt=HORIZON / STEPS,
    steps=STEPS,
    truth=Truth(source="z_T = z0 + vz0 T - g T² / 2", outputs=_outputs, jacobian=_jacobian),
)
