"""`cartpole`: a cart driven by a constant force carries a pole through a smooth swing."""

import numpy as np

from gradcheck.finding import Verdict
from gradcheck.scene import Field, Mjcf
from gradcheck.testbed import Family, Input, Testbed

DT = 0.0025
STEPS = 200
LENGTH = 0.6
RADIUS = 0.02
CART, POLE = 1.0, 0.2
DAMPING = 0.02
# A thin rod about its middle; about its axis as a solid cylinder.
ACROSS = POLE * LENGTH**2 / 12
ALONG = POLE * RADIUS**2 / 2

XML = f"""
<mujoco model="cartpole">
  <option timestep="{DT}" gravity="0 0 -9.81" integrator="Euler" iterations="20"
          ls_iterations="10" tolerance="1e-10"/>
  <worldbody>
    <body name="cart">
      <inertial pos="0 0 0" mass="{CART}" diaginertia="0.01 0.01 0.01"/>
      <joint name="slider" type="slide" axis="1 0 0" damping="0.1"/>
      <body name="pole">
        <inertial pos="0 0 {LENGTH / 2}" mass="{POLE}" diaginertia="{ACROSS} {ACROSS} {ALONG}"/>
        <joint name="hinge" type="hinge" axis="0 1 0" damping="{DAMPING}"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="slider" gear="10"/>
  </actuator>
</mujoco>"""

TESTBED = Testbed(
    name="cartpole",
    question="Is the gradient by state, control and joint damping right without any contact?",
    family=Family.SMOOTH,
    source="the cart-pole of the control suites, in MJCF; truth by refining the time step",
    inputs=(
        Input("qpos", np.array([0.1, 0.4]), unit="m, rad"),
        Input("qvel", np.array([0.2, -0.5]), unit="m/s, rad/s"),
        Input("ctrl", np.array([0.15]), unit="1"),
        Input("damping", np.array([DAMPING]), scale=0.05, unit="N m s"),
    ),
    outputs=("x", "angle", "vx", "rate"),
    weights=(1.0, 0.7, 0.5, 0.2),
    scenes=(Mjcf(XML, {"damping": (Field("dof_damping", (1,)),)}),),
    dt=DT,
    steps=STEPS,
    # mjd_transitionFD does not differentiate by parameters of the model.
    expected={("mujoco", "GC203"): Verdict.WARN},
)
