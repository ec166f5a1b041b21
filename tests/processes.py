"""Other processes, as Linux tells of them."""

import time
from collections.abc import Callable
from pathlib import Path


def children(pid: int) -> list[int]:
    """Processes that `pid` has started, those of its threads included."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(one) for one in task.read_text().split()]
    return found


def ended(pid: int) -> bool:
    """Has it ended? A zombie has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until it is. Fails after so many seconds."""
    begin = time.monotonic()
    while not true():
        assert time.monotonic() - begin < seconds, f"not within {seconds:g} s"
        time.sleep(0.002)
