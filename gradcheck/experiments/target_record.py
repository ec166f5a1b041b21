"""What the experiment of the fitting target found, as records."""

from enum import StrEnum
from pathlib import Path
from typing import Literal

from gradcheck import whole_file
from gradcheck.evidence import Provenance
from gradcheck.record import Record


class Origin(StrEnum):
    """Where a target comes from."""

    SAME = "the same k iterations"
    CONVERGED = "the converged solver"
    CONTINUOUS = "the continuous dynamics"


class Outcome(StrEnum):
    """How a fit ended.

    SETTLED: the gradient that it follows fell to nothing. BOUND: at an edge of the box that it may
    search. UNSETTLED: neither, when the updates were used up. DIVERGED: loss or gradient stopped
    being finite. UNSTABLE: the loss is not finite at the start. FAILED: the engine broke.
    """

    SETTLED = "settled"
    BOUND = "at a bound"
    UNSETTLED = "not settled"
    DIVERGED = "diverged"
    UNSTABLE = "unstable at the start"
    FAILED = "failed"


class Fit(Record):
    """One fit of one seed. Numbers are None where there are none: a fit that did not end has no
    errors and no loss.

    errors: |log(found / true)| by parameter. start and loss: the loss before and after.
    off: how far the gradient at the start is from differences of the loss, relative to those.
    """

    engine: str
    iterations: int
    origin: Origin
    seed: int
    outcome: Outcome
    errors: dict[str, float]
    start: float | None
    loss: float | None
    off: float | None
    reason: str = ""

    @property
    def error(self) -> float:
        """The worst of the parameters'; infinite for a fit that did not end."""
        return max(self.errors.values(), default=float("inf"))

    @property
    def left(self) -> float:
        """Which part of the loss at the start is left; infinite for a fit that did not end."""
        if self.loss is None or self.start is None:
            return float("inf")
        return self.loss / self.start if self.start > 0 else 0.0


class Search(Record):
    """How every fit searches: factors of the testbed's own values, updates, steps in the logs."""

    seeds: int
    updates: int
    true: float = 1.25
    start: float = 1.6
    bound: float = 5.0
    first_step: float = 0.1
    last_step: float = 1e-5


class Target(Record):
    """All fits of one run. `exact` and `other` are the engines; `left_out` says why a target of
    some origin was not made; `curvature`: least and greatest of the loss at its minimum, by log
    parameters; `unconverged`: what doubling the iterations of the converged target changes of it.
    """

    kind: Literal["target"] = "target"
    testbed: str
    command: str
    provenance: Provenance
    exact: str
    other: str
    parameters: list[str]
    budgets: list[int]
    dt: float
    steps: int
    search: Search
    left_out: dict[Origin, str]
    curvature: tuple[float, float]
    unconverged: float
    fits: list[Fit]

    def save(self, path: str | Path) -> None:
        """Write it as JSON, whole or not at all. Raises `BadInput` where that fails."""
        whole_file.write(path, self.model_dump_json(indent=1) + "\n")

    def of(self, engine: str, iterations: int, origin: Origin) -> list[Fit]:
        """Fits by seed."""
        found = [
            one
            for one in self.fits
            if (one.engine, one.iterations, one.origin) == (engine, iterations, origin)
        ]
        return sorted(found, key=lambda one: one.seed)

    def origins(self) -> list[Origin]:
        """Those that there are fits of."""
        return [one for one in Origin if any(fit.origin is one for fit in self.fits)]
