"""`drop`: a spinning ball thrown obliquely at a plane; it slides, bounces once and flies on."""

from gradcheck.testbeds.falling_body import falling_body

TESTBED = falling_body(
    "drop",
    "Is the gradient of a ball's flight right across one bounce with friction?",
    'type="sphere" size=".1"',
    height=0.35,
    gap=0.25,
    spin=(4.0, -8.0, 3.0),
    expected={},
)
