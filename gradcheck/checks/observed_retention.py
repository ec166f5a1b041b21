"""How the states of the backward pass were had, as far as memory and time show it."""

import math
from typing import NamedTuple

from gradcheck.artifact import Construction, Cost, MemoryRow
from gradcheck.checks.growth import power
from gradcheck.evidence import Evidence
from gradcheck.taxonomy import Retention

MANY = 3.0
"""Sizes of a state that one more step adds to memory where more than states must be kept."""
LINEAR = 0.85
"""Exponent of memory over the horizon from which on something is kept of every step."""
SQUARE = 1.5
"""Exponent of time over the horizon from which on steps are computed again from the first."""


class ObservedRetention(NamedTuple):
    """What is left possible, and the evidence in words. `per_step`: bytes that one more step adds
    to the gradient beyond what it adds to the loss."""

    possible: tuple[Retention, ...]
    told: str
    per_step: float


def retention(evidence: Evidence) -> ObservedRetention | None:
    """None where the engine does not tell its memory, or has no horizon to vary."""
    artifact = evidence.get(Construction)
    if artifact is None or len({row.steps for row in artifact.horizons}) < 3:
        return None
    rows = sorted(artifact.horizons, key=lambda row: row.steps)
    kept = [row.backward_bytes - row.forward_bytes for row in rows]
    few, some, many = rows[0].steps, rows[-2].steps, rows[-1].steps
    per_step = (kept[-1] - kept[-2]) / (many - some)
    early = (kept[-2] - kept[0]) / (some - few)
    state = artifact.state_bytes
    sizes = "" if not state else f" ({per_step / state:.2g} states)"
    said = f"{per_step:.3g} bytes{sizes} more for each step from {some} to {many}"
    budget = ""
    if artifact.budgets:
        budget = f"; {_per_iteration(artifact.budgets):.3g} for each iteration of the solver"
    if per_step * some < 1:
        possible, time = _without_memory(evidence)
        return ObservedRetention(possible, f"{said}{budget}; {time}", max(per_step, 0.0))
    # Bytes as steps^p have slopes as steps^(p - 1), here between the middles of the two intervals.
    middles = math.log(math.sqrt(many * some) / math.sqrt(some * few))
    exponent = 1 + math.log(per_step / early) / middles if early > 0 else 1.0
    said += f", as steps^{exponent:.2g}{budget}"
    if exponent < LINEAR:
        return ObservedRetention((Retention.CHECKPOINT,), said, per_step)
    if artifact.structure is not None and artifact.structure.recomputed:
        said += f"; {artifact.structure.recomputed} computations marked to be made again"
    return ObservedRetention(_with_every_step(per_step, state), said, per_step)


def _with_every_step(per_step: float, state: float | None) -> tuple[Retention, ...]:
    """A state of each step is a checkpoint where the step is computed again; of less than a state
    both are possible, since a compiler keeps no more than the derivative needs."""
    if state and per_step >= MANY * state:
        return (Retention.STORE_ALL,)
    return (Retention.STORE_ALL, Retention.CHECKPOINT)


def _without_memory(evidence: Evidence) -> tuple[tuple[Retention, ...], str]:
    cost = evidence.get(Cost)
    exponent = math.nan
    if cost is not None:
        exponent = power([row.steps for row in cost.rows], [row.backward for row in cost.rows])
    said = f"time as steps^{exponent:.2g}" if math.isfinite(exponent) else "time not told"
    if exponent >= SQUARE:
        return (Retention.RECOMPUTE,), said
    return (Retention.RECOMPUTE, Retention.INVERT, Retention.NOTHING), said


def _per_iteration(rows: list[MemoryRow]) -> float:
    first, last = rows[0], rows[-1]
    assert first.iterations is not None
    assert last.iterations is not None
    return (last.backward_bytes - first.backward_bytes) / (last.iterations - first.iterations)
