"""`g1_step`: a humanoid lands on one foot, the other one drawn up.

It moves ahead and down; the left sole, 3 cm above the ground and level, touches after 0.042 s, the
right one is 10 cm higher and does not within the horizon.

The loss by the height of the pelvis jumps wherever the sole's first step below ground becomes
another step. By tilting the motion has a kink, as all points of the sole, level, touch at once:
see g1_drop.
"""

import numpy as np

from gradcheck.finding import Verdict
from gradcheck.testbed import Family, Sweep
from gradcheck.testbeds.unitree_g1 import GRAVITY, HEIGHT, unitree_g1, upright

DT = 0.001
STEPS = 100
GAP = 0.03
AHEAD, DOWN = 0.4, 0.5
SPEED = float(np.sqrt(DOWN**2 + 2 * GRAVITY * GAP))
HORIZON = STEPS * DT
# The height of the pelvis from which the ground is just reached at the end.
REACHED = HEIGHT + DOWN * HORIZON + GRAVITY * HORIZON**2 / 2
START = upright(GAP, right_hip_pitch=-0.6, right_knee=1.2, right_ankle_pitch=-0.6)
QVEL = np.zeros(35)
QVEL[[0, 2]] = AHEAD, -DOWN

TESTBED = unitree_g1(
    "g1_step",
    "Is the gradient right where one foot lands, before and after it touches?",
    Family.CONTACT,
    START,
    QVEL,
    START[7:],
    dt=DT,
    steps=STEPS,
    scale=0.1,
    speed=SPEED,
    until=(SPEED - DOWN) / GRAVITY,
    swing=0.05,
    sweep=Sweep("qpos", 2, HEIGHT + 0.01, REACHED + 0.03),
    noise={"qpos": 0.01, "qvel": 0.05},
    expected={
        ("mujoco", "GC202"): Verdict.FAIL,
        # mjd_transitionFD differentiates by state and control only.
        ("mujoco", "GC203"): Verdict.WARN,
        ("mujoco", "GC401"): Verdict.WARN,
        ("g1", "GC401"): Verdict.WARN,
        # MJX turns by an angular velocity of 0 with derivative 0: see unitree_g1.
        ("mjx", "GC201"): Verdict.FAIL,
        ("mjx", "GC202"): Verdict.FAIL,
        ("mjx", "GC207"): Verdict.FAIL,
        ("mjx", "GC401"): Verdict.WARN,
    },
)
