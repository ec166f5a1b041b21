"""Truncation of the horizon: the gradient is cut between steps, the rollout is not."""

from typing import Any, Literal

from pydantic import model_validator

from gradcheck.engine import BadInput
from gradcheck.record import Record


class Truncation(Record):
    """Truncated backpropagation through time: give one of `every` and `last`, in steps.

    `every=k` cuts before the steps k, 2k, 3k, ..., counted from the start: a rollout of segments of
    k steps, each started from a state that is held constant. A loss along the way is differentiated
    back to the start of its segment. (The usual form; TBPTT(k, k) of Williams and Peng, 1990, An
    efficient gradient-based algorithm for on-line training of recurrent network trajectories.)

    `last=k` cuts once, k steps before the end: a loss at the end is differentiated through the last
    k steps only. A loss before the cut keeps its whole gradient; for losses along the way use
    `every`.

    A cut that would lie at or before the start is none: the gradient is then that of the whole
    rollout. Raises `BadInput` unless just one of the two is given, and at least 1.
    """

    kind: Literal["truncation"] = "truncation"
    every: int | None = None
    last: int | None = None

    @model_validator(mode="after")
    def _one_is_given(self) -> "Truncation":
        given = [k for k in (self.every, self.last) if k is not None]
        if len(given) != 1 or given[0] < 1:
            raise BadInput("a truncation needs either `every` or `last`, in steps, at least 1")
        return self

    def cuts(self, index: Any, steps: int | None = None) -> Any:
        """Is the gradient cut before step `index` (0, 1, ..., a number or an array of them)?

        `steps`, the length of the rollout, is needed for `last`: `BadInput` without it.
        """
        if self.every is not None:
            return (index > 0) & (index % self.every == 0)
        if steps is None:
            raise BadInput("a truncation to the last steps needs `steps`, the length of a rollout")
        return (index > 0) & (index == steps - (self.last or 0))

    def describe(self) -> str:
        """As the report names it."""
        if self.every is not None:
            return f"truncation: gradient cut every {_steps(self.every)}"
        return f"truncation: gradient through the last {_steps(self.last or 0)} only"


def _steps(count: int) -> str:
    return f"{count} step{'s' * (count != 1)}"
