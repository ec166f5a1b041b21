"""The physical questions, one file each. A file `<name>.py` exposes `TESTBED`."""

NAMES: tuple[str, ...] = (
    "free_fall",
    "thruster",
    "pendulum",
    "spring_tie",
    "bounce",
    "wall",
    "soft_wall",
    "two_balls",
    "oblique_impact",
    "gap_push",
    "step_push",
    "over_the_wall",
    "double_pendulum",
    "damped_chain",
    "bounce_chain",
    "drop",
    "drop_capsule",
    "drop_box",
)
