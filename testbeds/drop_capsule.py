"""`drop_capsule`: a tumbling capsule falls on a plane; its ends touch one after the other."""

from gradcheck.finding import Verdict
from gradcheck.testbeds.falling_body import falling_body

TESTBED = falling_body(
    "drop_capsule",
    "Is the gradient right where contact points appear and vanish along one body?",
    'type="capsule" size=".06 .1"',
    height=0.4,
    gap=0.31,
    spin=(4.0, -5.0, 3.0),
    expected={
        ("mujoco", "GC202"): Verdict.WARN,
        ("mujoco", "GC203"): Verdict.WARN,
        ("mujoco", "GC401"): Verdict.WARN,
        ("mujoco", "GC501"): Verdict.WARN,
    },
)
