"""The Unitree G1 on its soles: one scene and one set of inputs, for several starts.

The inputs are what a learning loop differentiates: the state of base and hinges, the controls, and
three parameters of the model, each one number: friction of all soles, mass of the torso, damping
of all hinges. As published the joints have no damping (the motors have); here they have a little,
so that the parameter can move both ways.

The mass enters as MjModel.body_mass alone. MuJoCo computes other constants from it when it
compiles a model (body_invweight0 and dof_invweight0, which scale the softness of contacts and
limits); those stay as they were, in every engine.

In flight the base does not turn. MJX's derivative is wrong there: its `quat_integrate` takes an
angular velocity below 1e-8 for none and loses the derivative of the orientation by it
(mujoco/mjx/_src/math.py, `norm`, in version 3.17). On the ground it is right, parameters included.
MJX is slow here as well: within 400 s a measurement all come to an end but that of random states.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from xml.etree import ElementTree

import numpy as np

from gradcheck.engine import Array
from gradcheck.finding import Verdict
from gradcheck.scene import Field, Mjcf
from gradcheck.testbed import Family, Input, Sweep, Testbed

GRAVITY = 9.81
FRICTION = 0.6
TORSO = 7.818
DAMPING = 0.2
# Of the pelvis above the soles, upright in the angles of the keyframe `stand`.
HEIGHT = 0.7842021823953


@cache
def robot() -> ElementTree.Element:
    """The MJCF of the robot; as the file stands, only the soles meet the ground."""
    return ElementTree.fromstring(xml())


def xml() -> str:
    """Its text."""
    return files("gradcheck.engines").joinpath("g1", "g1.xml").read_text("utf-8")


def hinges() -> list[str]:
    """Names of the 29 hinges in MuJoCo's order, that of the file."""
    return [joint.attrib["name"] for joint in robot().iter("joint") if "name" in joint.attrib]


def fields() -> dict[str, tuple[Field, ...]]:
    """Where the parameters enter the model."""
    # MuJoCo numbers bodies from the world on, depth first, and geoms by their bodies.
    bodies = [*robot().iter("worldbody"), *robot().iter("body")]
    geoms = [geom for body in bodies for geom in body.findall("geom")]
    soles = [index for index, geom in enumerate(geoms) if geom.get("class") == "sole"]
    torso = [body.get("name") for body in bodies].index("torso_link")
    return {
        "friction": tuple(Field("geom_friction", (index, 0)) for index in soles),
        "mass": (Field("body_mass", (torso,)),),
        "damping": tuple(Field("dof_damping", (6 + index,)) for index in range(len(hinges()))),
    }


def keyframe(name: str) -> tuple[Array, Array]:
    """qpos [36] and ctrl [29] of a keyframe."""
    key = robot().find(f"keyframe/key[@name='{name}']")
    assert key is not None
    qpos, ctrl = (np.array(key.attrib[part].split(), dtype=float) for part in ("qpos", "ctrl"))
    return qpos, ctrl


def upright(gap: float, **angles: float) -> Array:
    """qpos [36] in the angles of `stand` but for those given by hinge, the pelvis level and
    `gap` m higher than where its straighter leg would touch the ground."""
    qpos = keyframe("stand")[0]
    qpos[2:7] = HEIGHT + gap, 1.0, 0.0, 0.0, 0.0
    for name, angle in angles.items():
        qpos[7 + hinges().index(f"{name}_joint")] = angle
    return qpos


def weights(count: int) -> Array:
    """Numbers in +-[0.3, 1.3), all different, evenly spread by the golden ratio, signs in turn."""
    index = np.arange(count)
    spread: Array = (0.3 + index * 0.6180339887498949 % 1) * (-1.0) ** index
    return spread


def unitree_g1(
    name: str,
    question: str,
    family: Family,
    qpos: Array,
    qvel: Array,
    ctrl: Array,
    dt: float,
    steps: int,
    expected: Mapping[tuple[str, str], Verdict],
    *,
    scale: float,
    noise: Mapping[str, float],
    speed: float = 0.0,
    until: float = 1.0,
    swing: float = 1.0,
    sweep: Sweep | None = None,
) -> Testbed:
    """The robot from one start: qpos [36], qvel [35], ctrl [29] held over `steps` of dt.

    scale: a typical change of qpos and ctrl, m and rad. speed m/s of the soles at contact, `until`
    s from the start, and how far (m) a change of ctrl by 1 rad moves them until then: `swing`.
    """
    state = ["x", "y", "z", "qw", "qx", "qy", "qz", *hinges()]
    rates = ["vx", "vy", "vz", "wx", "wy", "wz", *(f"rate of {hinge}" for hinge in hinges())]
    forward = np.zeros(35)
    upward = np.zeros(35)
    forward[0] = upward[2] = 1.0
    return Testbed(
        name=name,
        question=question,
        family=family,
        source="the Unitree G1 of engines/g1/g1.xml, feet on the ground; truth by refining the "
        "time step",
        inputs=(
            Input("qpos", qpos, scale=scale, unit="m, 1, rad", quaternions=(3,)),
            Input("qvel", qvel, reach=until, unit="m/s, rad/s"),
            Input("ctrl", ctrl, scale=scale, reach=swing, unit="rad"),
            # Parameters: none of them moves the soles before contact.
            Input("friction", np.array([FRICTION]), scale=0.1, reach=0.0, unit="1"),
            Input("mass", np.array([TORSO]), reach=0.0, unit="kg"),
            Input("damping", np.array([DAMPING]), scale=0.1, reach=0.0, unit="N m s"),
        ),
        outputs=(*state, *rates),
        # A rate of 10 /s counts about as much as an angle of 1.
        weights=tuple(weights(71) * np.repeat([1.0, 0.1], [36, 35])),
        scenes=(Mjcf(xml(), fields()),),
        dt=dt,
        steps=steps,
        speed=speed,
        sweep=sweep,
        noise=noise,
        directions={
            "normal": {"qvel": upward},
            "tangent": {"qvel": forward},
        },
        expected=expected,
    )
