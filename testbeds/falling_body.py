"""A rigid body that falls obliquely and spinning on a plane: one scene, several shapes."""

from collections.abc import Mapping

import numpy as np

from gradcheck.finding import Verdict
from gradcheck.scene import Field, Mjcf
from gradcheck.testbed import Family, Input, Sweep, Testbed, Truth

DT = 0.005
STEPS = 60
GRAVITY = 9.81
VELOCITY = (1.5, -1.0, -1.0)
FRICTION = 0.3
# Time constant and damping ratio of the contact. They make a bounce: half a period of its
# oscillation is about 8 steps.
SOLREF = (0.04, 0.3)
OUTPUTS = ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
# All different, of the size at which each output weighs about alike.
WEIGHTS = (1.0, 0.8, 1.2, 0.5, 0.7, -0.6, 0.9, 0.11, -0.07, 0.13, 0.05, -0.04, 0.06)
ORIENTATION = np.array([0.9, 0.2, -0.3, 0.1]) / np.linalg.norm([0.9, 0.2, -0.3, 0.1])


def falling_body(
    name: str,
    question: str,
    geom: str,
    height: float,
    gap: float,
    spin: tuple[float, float, float],
    expected: Mapping[tuple[str, str], Verdict],
    steps: int = STEPS,
    truth: Truth | None = None,
) -> Testbed:
    """A body of mass 1 kg, one `geom` (MJCF attributes), its centre `height` m above the plane.

    `gap` m is how far it is from the plane at first, which gives the speed at contact and the
    height from which the plane is just reached by the last step.
    """
    solref = "{} {}".format(*SOLREF)
    xml = f"""
    <mujoco model="{name}">
      <option timestep="{DT}" gravity="0 0 -{GRAVITY}" cone="pyramidal" solver="Newton"
              iterations="20" ls_iterations="10" tolerance="1e-10"/>
      <worldbody>
        <geom type="plane" size="5 5 .1" friction="0 0 0" solref="{solref}"/>
        <body name="body" pos="0 0 {height}">
          <freejoint/>
          <geom {geom} mass="1" condim="3" friction="{FRICTION} 0 0" solref="{solref}"/>
        </body>
      </worldbody>
    </mujoco>"""
    horizon = steps * DT
    speed = float(np.sqrt(VELOCITY[2] ** 2 + 2 * GRAVITY * gap))
    until = (speed + VELOCITY[2]) / GRAVITY
    fallen = -VELOCITY[2] * horizon + GRAVITY * horizon**2 / 2
    touching = height - gap + fallen
    return Testbed(
        name=name,
        question=question,
        family=Family.CONTACT,
        source="one scene for the articulated engines, with MuJoCo's contact model",
        inputs=(
            Input(
                "qpos",
                np.array([0.0, 0.0, height, *ORIENTATION]),
                scale=0.1,
                unit="m, 1",
                quaternions=(3,),
            ),
            Input("qvel", np.array([*VELOCITY, *spin]), reach=until, unit="m/s, rad/s"),
            # The tangential acceleration in contact, about 60 m/s² per unit, over about 60 ms.
            Input("friction", np.array([FRICTION]), scale=0.1, reach=0.1, unit="1"),
        ),
        outputs=OUTPUTS,
        weights=WEIGHTS,
        scenes=(Mjcf(xml, {"friction": (Field("geom_friction", (1, 0)),)}),),
        dt=DT,
        steps=steps,
        speed=speed,
        truth=truth,
        sweep=Sweep("qpos", 2, touching - 0.3, touching + 0.1),
        noise={"qpos": 0.01, "qvel": 0.05},
        directions={
            "normal": {"qvel": np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])},
            "tangent": {"qvel": np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])},
        },
        expected=expected,
    )
