"""`g1_drop`: a humanoid falls from 10 cm onto both feet.

Until then no motor works, and all falls alike: both soles, level, touch within the same time step,
after 0.1428 s; the program of 5 ms sees it at its 29th step.
"""

import numpy as np

from gradcheck.testbed import Family, Sweep
from gradcheck.testbeds.unitree_g1 import DT, GRAVITY, HEIGHT, unitree_g1, upright

STEPS = 36
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
    steps=STEPS,
    scale=0.1,
    speed=SPEED,
    until=SPEED / GRAVITY,
    swing=0.2,
    sweep=Sweep("qpos", 2, HEIGHT + 0.02, REACHED + 0.05),
    noise={"qpos": 0.01, "qvel": 0.05},
    expected={},
)
