"""springball's gradients, by gradcheck's pytest plugin."""

from typing import Any


def test_a_ball_against_a_soft_wall(gradcheck: Any) -> None:
    gradcheck("springball", "soft_wall")
