"""The smallest models, quick to compile: a trunk on one leg, with a motor; and a ball alone."""

HOPPER = """
<mujoco model="hopper">
  <option timestep="0.004"/>
  <default><geom contype="0"/></default>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 1" contype="1"/>
    <body name="trunk" pos="0 0 0.5">
      <joint name="root" type="free"/>
      <geom name="trunk" type="sphere" size="0.1" mass="3"/>
      <body name="leg" pos="0 0.02 -0.1">
        <joint name="hip" axis="0 1 0" damping="0.2" armature="0.01" range="-40 40"/>
        <geom name="shin" type="capsule" size="0.03 0.15" pos="0 0 -0.2" euler="0 20 0" mass="1"/>
      </body>
    </body>
  </worldbody>
  <actuator><position name="hip" joint="hip" kp="20" ctrlrange="-1 1"/></actuator>
</mujoco>
"""

BALL = """
<mujoco model="ball">
  <option timestep="0.004"/>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 1"/>
    <body name="ball" pos="0 0 0.5">
      <freejoint/>
      <geom name="ball" type="sphere" size="0.1" mass="3" contype="0"/>
    </body>
  </worldbody>
</mujoco>
"""
