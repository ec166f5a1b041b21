"""Random states of a robot with a free root: standing, walking, falling, flying, past limits."""

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
KINDS = ("standing", "walking", "falling", "flying", "limits")


class States(NamedTuple):
    """qpos [n, nq], qvel [n, nv], ctrl [n, nu], kind [n]."""

    qpos: Floats
    qvel: Floats
    ctrl: Floats
    kind: NDArray[np.str_]


class Spread(NamedTuple):
    """Standard deviations of a kind: joints (rad, m), tilt (rad), speed of the base (m/s, rad/s)
    and of the joints (rad/s), controls; and the range of the lowest point's height, m."""

    joint: float
    tilt: float
    speed: float
    joint_speed: float
    ctrl: float
    low: float
    high: float


SPREADS = {
    "standing": Spread(0.01, 0.005, 0.02, 0.05, 0.05, -0.003, 0.0),
    "walking": Spread(0.25, 0.06, 0.5, 2.0, 0.3, -0.01, 0.004),
    "falling": Spread(0.4, 1.5, 1.5, 4.0, 0.5, -0.03, 0.01),
    "flying": Spread(0.3, 0.5, 1.0, 3.0, 0.3, 0.1, 1.0),
    "limits": Spread(0.2, 0.2, 0.5, 2.0, 0.3, -0.02, 0.02),
}


def states(model: mujoco.MjModel, count: int, seed: int = 0) -> States:
    """`count` states, the kinds in turn, around the model's keyframes (or its reference pose)."""
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    made = [_one(model, data, rng, KINDS[i % len(KINDS)], i // len(KINDS)) for i in range(count)]
    qpos, qvel, ctrl = (np.array(column) for column in zip(*made, strict=True))
    return States(qpos, qvel, ctrl, np.array([KINDS[i % len(KINDS)] for i in range(count)]))


def _one(
    model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator, kind: str, turn: int
) -> tuple[Floats, Floats, Floats]:
    spread = SPREADS[kind]
    key = turn % model.nkey if model.nkey else -1
    qpos = (model.key_qpos[key] if model.nkey else model.qpos0).copy()
    ctrl = (model.key_ctrl[key] if model.nkey else np.zeros(model.nu)).copy()
    qpos[:2] += rng.uniform(-1, 1, 2)
    mujoco.mju_quatIntegrate(qpos[3:7], spread.tilt * rng.standard_normal(3), 1.0)
    heading = np.zeros(4)
    mujoco.mju_axisAngle2Quat(heading, np.array([0.0, 0.0, 1.0]), rng.uniform(-np.pi, np.pi))
    mujoco.mju_mulQuat(qpos[3:7], heading, qpos[3:7].copy())
    qpos[7:] += spread.joint * rng.standard_normal(model.nq - 7)
    ranges, limited = model.jnt_range[1:], model.jnt_limited[1:].astype(bool)
    inside = np.where(
        limited, np.clip(qpos[7:], ranges[:, 0] + 1e-3, ranges[:, 1] - 1e-3), qpos[7:]
    )
    qpos[7:] = inside
    if kind == "limits":
        past = limited & (rng.random(len(limited)) < 0.4)
        side = rng.integers(0, 2, len(limited))
        beyond = ranges[np.arange(len(ranges)), side] + (2 * side - 1) * rng.uniform(
            0, 0.05, len(side)
        )
        qpos[7:] = np.where(past, beyond, inside)
    qvel = np.concatenate(
        [
            spread.speed * rng.standard_normal(6),
            spread.joint_speed * rng.standard_normal(model.nv - 6),
        ]
    )
    ctrl += spread.ctrl * rng.standard_normal(model.nu)
    held = model.actuator_ctrllimited.astype(bool)
    ends = model.actuator_ctrlrange
    ctrl = np.where(held, np.clip(ctrl, ends[:, 0], ends[:, 1]), ctrl)
    qpos[2] += rng.uniform(spread.low, spread.high) - lowest(model, data, qpos)
    return qpos, qvel, ctrl


def lowest(model: mujoco.MjModel, data: mujoco.MjData, qpos: Floats) -> float:
    """How far the robot can sink before its spheres and capsules meet a plane, m."""
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    heights = []
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    for plane in np.flatnonzero(planes):
        normal = data.geom_xmat[plane].reshape(3, 3)[:, 2]
        met = (model.geom_conaffinity & model.geom_contype[plane]) != 0
        for geom in np.flatnonzero(met & ~planes):
            above = float(normal @ (data.geom_xpos[geom] - data.geom_xpos[plane]))
            half = 0.0
            if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_CAPSULE:
                axis = data.geom_xmat[geom].reshape(3, 3)[:, 2]
                half = model.geom_size[geom, 1] * abs(float(normal @ axis))
            heights.append((above - half - model.geom_size[geom, 0]) / normal[2])
    return float(min(heights))
