"""`drop`: a spinning ball thrown obliquely at a plane; it slides, bounces once and flies on.

The gradient of a program that steps over the moment of touch is not that of the motion, however
small its time step: MuJoCo's contact force jumps at the touch (it damps as well as springs), and
the moment at which it jumps moves with the height. The slope of the loss by initial height is
+2.0; that of the program is -17.4 at the time step of 5 ms, and -16 at a tenth of it.
"""

from gradcheck.finding import Verdict
from gradcheck.testbeds.falling_body import DT, GRAVITY, SOLREF, STEPS, falling_body
from gradcheck.testbeds.mujoco_ball import Ball

RADIUS = 0.1
BALL = Ball(RADIUS, GRAVITY, SOLREF, horizon=DT * STEPS, contact=0.06)

TESTBED = falling_body(
    "drop",
    "Is the gradient of a ball's flight right across one bounce with friction?",
    f'type="sphere" size="{RADIUS}"',
    height=0.35,
    gap=0.25,
    spin=(4.0, -8.0, 3.0),
    expected={
        ("mujoco", "GC202"): Verdict.FAIL,
        ("mujoco", "GC203"): Verdict.WARN,
        ("mujoco", "GC401"): Verdict.WARN,
        ("mujoco", "GC501"): Verdict.WARN,
        ("mjx", "GC202"): Verdict.FAIL,
        ("mjx", "GC401"): Verdict.WARN,
        ("mjx", "GC501"): Verdict.WARN,
        # One solver iteration leaves so much noise that the bias does not stand out of it.
        ("mjx:reverse", "GC202"): Verdict.FAIL,
        ("mjx:reverse", "GC401"): Verdict.WARN,
        ("mjx:reverse", "GC501"): Verdict.WARN,
    },
    truth=BALL.truth(),
)
