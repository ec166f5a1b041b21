"""`g1_drop`: a humanoid falls from 10 cm onto both feet.

Until then no motor works, and all falls alike: both soles, level, touch within the same time step,
after 0.1428 s; the program sees it in its 143rd step of 1 ms.

The loss by the height of the pelvis jumps wherever a foot's first step below ground becomes
another step. By tilting the motion has a kink here, as both soles, level, touch at once: its
central difference is the mean of one foot first and the other, a step's derivative is neither.
The audit says so where it refines the time step for that coordinate (of an engine as slow as `g1`
it does for every fifth).

With steps of 5 ms the gradient by the torso's mass was a third off that of the
motion, though it was the program's to seven digits.
"""

import numpy as np

from gradcheck.finding import Verdict
from gradcheck.testbed import Family, Sweep
from gradcheck.testbeds.unitree_g1 import GRAVITY, HEIGHT, unitree_g1, upright

DT = 0.001
STEPS = 170
GAP = 0.1
SPEED = float(np.sqrt(2 * GRAVITY * GAP))
# The height of the pelvis from which the ground is just reached at the end.
REACHED = HEIGHT + GRAVITY * (STEPS * DT) ** 2 / 2
START = upright(GAP)
# A drift, so that the soles slide at first and their friction counts.
QVEL = np.zeros(35)
QVEL[:2] = 0.4, -0.2

TESTBED = unitree_g1(
    "g1_drop",
    "Is the gradient of a humanoid right across the impact of both feet?",
    Family.CONTACT,
    START,
    QVEL,
    START[7:],
    dt=DT,
    steps=STEPS,
    scale=0.1,
    speed=SPEED,
    until=SPEED / GRAVITY,
    swing=0.2,
    sweep=Sweep("qpos", 2, HEIGHT + 0.02, REACHED + 0.05),
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
