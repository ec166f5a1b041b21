"""Each step's Jacobian by the engine against differences of that step, along the rollout."""

import numpy as np
from numpy.typing import NDArray

from gradcheck.artifact import Steps
from gradcheck.engine import AbstractSimulation, Array, Unsupported
from gradcheck.measure.slopes import central
from gradcheck.subject import Subject

SIZES = 10.0 ** np.arange(-7.0, -3.5, 0.5)
"""Steps relative to the largest size that an entry of the state has along the rollout."""

CHUNK = 4096
"""States per call, the last call padded, so that one shape is compiled."""


def measure(subject: Subject) -> Steps:
    """Every step if the budget allows; otherwise as many as it allows, spread evenly."""
    subject.require_steps()
    if subject.testbed.dt <= 0:
        raise Unsupported(f"testbed {subject.testbed.name} is one evaluation without time steps")
    simulation, states = subject.simulation(), subject.trajectory[:-1]
    total, size = states.shape
    affordable = max(2, subject.budget.step_rows // max(1, 2 * len(SIZES) * size))
    index = np.unique(np.linspace(0, total - 1, min(total, affordable)).round().astype(np.int64))
    claimed = subject.step_jacobians[index]
    measured, doubt = differences(subject, simulation, states, index)
    largest = np.abs(measured).max(axis=(1, 2), initial=0.0)
    apart = np.abs(claimed - measured)
    worst = apart.reshape(len(index), -1).argmax(axis=1)
    transposed = np.abs(claimed - measured.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0)
    return Steps(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        dt=subject.testbed.dt,
        errors=_relative(apart.max(axis=(1, 2), initial=0.0), largest),
        uncertainty=_relative(doubt.max(axis=(1, 2), initial=0.0), largest),
        entries=[(int(at // size), int(at % size)) for at in worst],
        transposed=_relative(transposed, largest),
        indices=index.tolist(),
    )


def differences(
    subject: Subject, simulation: AbstractSimulation, states: Array, index: NDArray[np.int64]
) -> tuple[Array, Array]:
    """Central differences [k, n, n] of the steps `index`, and their uncertainty."""
    size = states.shape[1]
    typical = np.abs(states).max(axis=0)
    typical = np.where(typical > 0, typical, 1.0)
    moves = np.einsum("d,h,ij->dhji", [1.0, -1.0], SIZES, np.diag(typical))
    # [sign, step size, step, column, entry]
    moved = states[index][None, None, :, None, :] + moves[:, :, None]
    rows = np.broadcast_to(index[:, None], moved.shape[:-1]).reshape(-1)
    after = _stepped(subject, simulation, moved.reshape(-1, size), rows).reshape(moved.shape)
    rounding = np.finfo(np.float64).eps * np.abs(after).max(axis=(0, 1))
    slope, doubt = central(after[0], after[1], SIZES, rounding)
    # The derivative by typical[column] * h, for [step, column, entry] -> [step, entry, column]
    unit = typical[:, None]
    return (slope / unit).transpose(0, 2, 1), (doubt / unit).transpose(0, 2, 1)


def _stepped(
    subject: Subject, simulation: AbstractSimulation, states: Array, index: NDArray[np.int64]
) -> Array:
    """The next states of all `states` [b, n], in calls of one size."""
    size = min(CHUNK, len(states))
    out = np.empty_like(states)
    for begin in range(0, len(states), size):
        rows = np.minimum(np.arange(begin, begin + size), len(states) - 1)
        after = simulation.step(states[rows], index[rows], subject.nominal)
        count = min(size, len(states) - begin)
        out[begin : begin + count] = after[:count]
    return out


def _relative(parts: Array, largest: Array) -> list[float]:
    """parts / largest, by step; where all differences vanish, 0 for 0 and infinity for more."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = parts / largest
    return [float(x) for x in np.where((parts == 0) & (largest == 0), 0.0, ratio)]
