"""`g1_stand`: a humanoid holds a pose, its controls disturbed by a little noise.

All 28 contacts stay closed, so that the map is smooth; whoever differentiates contact at rest,
friction included, gets it right. Held for longer it falls: upright, its gains do not right it.

C MuJoCo's audit takes two to four minutes here (0.23 s a gradient), near the limit of two minutes
for one measurement where the machine is busy: give it `--time-limit 300`.
"""

import numpy as np

from gradcheck.finding import Verdict
from gradcheck.testbed import Family
from gradcheck.testbeds.unitree_g1 import keyframe, unitree_g1

SIGMA = 0.01  # rad: at 0.05 a sole lifts
QPOS, CTRL = keyframe("stand")
CTRL += SIGMA * np.random.default_rng(0).standard_normal(29)

TESTBED = unitree_g1(
    "g1_stand",
    "Is the gradient of a humanoid right while it stands, by state, control and parameter?",
    Family.CONTACT,
    QPOS,
    np.zeros(35),
    CTRL,
    dt=0.002,
    steps=100,
    scale=0.01,
    noise={"ctrl": SIGMA},
    expected={
        # Motors with a time constant of a few steps: a finer step cures it.
        ("mujoco", "GC202"): Verdict.WARN,
        # mjd_transitionFD differentiates by state and control only.
        ("mujoco", "GC203"): Verdict.WARN,
    },
)
