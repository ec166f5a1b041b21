"""The physical questions, one file each. A file `<name>.py` exposes `TESTBED`."""

NAMES: tuple[str, ...] = (
    "drop",
    "drop_capsule",
    "drop_box",
)
