"""`drop_box`: a tumbling box falls on a plane; up to three corners touch at once."""

from gradcheck.finding import Verdict
from gradcheck.testbeds.falling_body import falling_body

TESTBED = falling_body(
    "drop_box",
    "Is the gradient right where the corners of a box touch one after the other?",
    'type="box" size=".08 .1 .12"',
    height=0.45,
    gap=0.34,
    spin=(4.0, -5.0, 3.0),
    expected={
        ("mujoco", "GC203"): Verdict.WARN,
        ("mujoco", "GC401"): Verdict.WARN,
        ("mujoco", "GC501"): Verdict.WARN,
    },
)
