"""Time and memory of one rollout."""

from typing import Literal

from gradcheck.artifact.base import Artifact
from gradcheck.record import Record


class CostRow(Record):
    """Time (the least of repeats, seconds) and peak memory (bytes; None where not told) of one
    rollout.

    `forward_spread` and `backward_spread`: how much the least time may change from run to run, in
    seconds: from the least to the lower quartile of the repeats, and what other work on the
    machine took of the least one itself. None where it was not recorded.
    """

    steps: int
    forward: float
    backward: float
    forward_bytes: float | None
    backward_bytes: float | None
    forward_spread: float | None = None
    backward_spread: float | None = None


class Cost(Artifact):
    """Time and memory of value and of value-with-gradient over the horizon."""

    kind: Literal["cost"] = "cost"
    rows: list[CostRow]
    input_count: int
    memory_reason: str | None = None
