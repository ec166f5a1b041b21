"""`tossed_cube`: a cube tossed along a plane tumbles over its corners in several impacts."""

from gradcheck.finding import Verdict
from gradcheck.testbeds.falling_body import falling_body

TESTBED = falling_body(
    "tossed_cube",
    "How far is the gradient of a toss usable, when a cube tumbles over several impacts?",
    'type="box" size=".05 .05 .05"',
    height=0.2,
    gap=0.12,
    spin=(5.0, 7.0, -3.0),
    expected={
        ("mujoco", "GC203"): Verdict.WARN,
        ("mujoco", "GC301"): Verdict.WARN,
        ("mujoco", "GC401"): Verdict.WARN,
        ("mujoco", "GC501"): Verdict.WARN,
    },
    steps=100,
)
