"""Gradients over growing horizons, refined where their disagreement with differences begins."""

from math import ceil, log2

import numpy as np

from gradcheck.artifact import Horizon, Ladder
from gradcheck.engine import Knob, Unsupported
from gradcheck.measure.rung import Rung, measure_rung
from gradcheck.measure.singular import log_singular
from gradcheck.subject import Subject

ALIKE, CHANGE = 1e-7, 10.0
"""Errors below `ALIKE` count as equal; a change by less than this factor is not refined."""

INFINITE = 1e6
"""What stands for an infinite error when changes are compared."""


def measure(subject: Subject) -> Horizon:
    """A ladder of horizons at the testbed's time step, and a coarser one at half of it.

    The second has as many steps, so half of the time: engines that build their program for a
    number of steps need no other one for it.
    """
    subject.require_time_steps()
    testbed = subject.testbed
    rungs = [
        measure_rung(subject, steps, testbed.dt)
        for steps in horizons(testbed.steps, halves=subject.budget.halves)
    ]
    rungs = refined(subject, rungs)
    ladders = [_ladder(subject, testbed.dt, rungs, _singular(subject, rungs))]
    reason = None
    if subject.knows(Knob.DT):
        dt = testbed.dt / 2
        finer = [
            measure_rung(subject, steps, dt) for steps in horizons(testbed.steps, halves=False)
        ]
        ladders.append(_ladder(subject, dt, finer))
    else:
        reason = f"{subject.engine_name} has no knob 'dt'"
    return Horizon(
        engine=subject.engine_name,
        testbed=testbed.name,
        seed=subject.seed,
        ladders=ladders,
        second_reason=reason,
    )


def horizons(steps: int, *, halves: bool) -> list[int]:
    """1, 2, 4, 8, … up to `steps`, which is the last; with 3, 6, 12, … between if `halves`."""
    octaves = range(steps.bit_length())
    found = {2**k for k in octaves} | {steps}
    if halves:
        found |= {3 * 2**k for k in octaves}
    return sorted(one for one in found if one <= steps)


def refined(subject: Subject, rungs: list[Rung]) -> list[Rung]:
    """The rungs with more of them where the disagreement changes most, by bisection."""
    rungs = list(rungs)
    scales = subject.tangent.scales
    errors = [rung.error(scales) for rung in rungs]
    for _ in range(2 * ceil(log2(subject.testbed.steps))):
        levels = np.clip(errors, ALIKE, INFINITE)
        changes = np.abs(np.diff(np.log(levels)))
        changes[np.diff([rung.steps for rung in rungs]) < 2] = 0.0
        at = int(np.argmax(changes)) if len(changes) else 0
        if not len(changes) or changes[at] < np.log(CHANGE):
            break
        middle = (rungs[at].steps + rungs[at + 1].steps) // 2
        rungs.insert(at + 1, measure_rung(subject, middle, subject.testbed.dt))
        errors.insert(at + 1, rungs[at + 1].error(scales))
    return rungs


def _ladder(
    subject: Subject,
    dt: float,
    rungs: list[Rung],
    singular: tuple[list[float], list[float]] = ([], []),
) -> Ladder:
    return Ladder(
        dt=dt,
        rows=[rung.row(subject) for rung in rungs],
        log_largest=singular[0],
        log_smallest=singular[1],
    )


def _singular(subject: Subject, rungs: list[Rung]) -> tuple[list[float], list[float]]:
    """Logarithms of singular values by horizon; empty where steps are not shown."""
    try:
        subject.require_steps()
        jacobians = subject.step_jacobians
    except Unsupported:
        return [], []
    return log_singular(jacobians, [rung.steps for rung in rungs])
