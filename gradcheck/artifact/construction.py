"""How the gradient is built, as seen from outside."""

from typing import Literal

from gradcheck.artifact.base import Artifact
from gradcheck.record import Record
from gradcheck.structure import Structure


class MemoryRow(Record):
    """Peak bytes of the loss and of its gradient over so many steps, with so many iterations of the
    solver (None: the engine's own)."""

    steps: int
    iterations: int | None
    forward_bytes: float
    backward_bytes: float


class Construction(Artifact):
    """How the gradient is built: what the framework shows of it, and how its memory grows, over
    horizons far beyond the testbed's own and over the solver's budget.

    `structure_reason` and `memory_reason` say why there is none. `state_bytes` is the size of one
    state in float64, where states are shown.
    """

    kind: Literal["construction"] = "construction"
    structure: Structure | None
    structure_reason: str | None
    horizons: list[MemoryRow]
    budgets: list[MemoryRow]
    memory_reason: str | None
    state_bytes: float | None
