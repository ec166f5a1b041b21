"""What the experiment of the cells found, as records."""

from pathlib import Path
from typing import Literal

from gradcheck import whole_file
from gradcheck.record import Record
from gradcheck.taxonomy import Realization, Referent


class Error(Record):
    """How far a gradient is from a reference, per typical change of each input and relative to the
    reference's largest slope; `floor`: how far it would be by the reference's own uncertainty."""

    value: float
    floor: float


class Row(Record):
    """One engine at one budget and horizon. `outcome` is "measured", or why it was not.

    `errors` by referent, those that could be had; bytes of the gradient's program; seconds, the
    least of repeats, with what it may change by from run to run.
    """

    engine: str
    referent: Referent | None
    realization: Realization | None
    keep: str
    iterations: int
    steps: int
    errors: dict[Referent, Error]
    memory: float | None
    forward: float
    backward: float
    backward_spread: float
    outcome: str


class Cells(Record):
    """All rows of one run."""

    kind: Literal["cells"] = "cells"
    testbed: str
    command: str
    rows: list[Row]

    def save(self, path: str | Path) -> None:
        """Write it as JSON, whole or not at all. Raises `BadInput` where that fails."""
        whole_file.write(path, self.model_dump_json(indent=1) + "\n")

    def front(self, referent: Referent, floor: float = 1e-8) -> list[Row]:
        """Those that no other row of the same budget and horizon beats in memory and in the error
        against `referent` both. Errors below `floor` count as equal."""
        seen = [row for row in self.rows if row.memory is not None and referent in row.errors]

        def beaten(one: Row) -> bool:
            mine = max(one.errors[referent].value, floor)
            for other in seen:
                if (other.iterations, other.steps) != (one.iterations, one.steps):
                    continue
                theirs = max(other.errors[referent].value, floor)
                assert other.memory is not None
                assert one.memory is not None
                better = theirs < mine or other.memory < one.memory
                if theirs <= mine and other.memory <= one.memory and better:
                    return True
            return False

        return [row for row in seen if not beaten(row)]
