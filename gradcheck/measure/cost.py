"""Time and memory of the loss and of the loss with its gradient, over the horizon."""

import resource
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gradcheck.artifact import Cost, CostRow
from gradcheck.engine import AbstractSimulation, Knob, Settings, Unsupported
from gradcheck.measure.memory import no_memory
from gradcheck.subject import Subject

APART = 1e-3
"""How far, in typical changes, the timed inputs lie from the nominal ones."""


class Timing(NamedTuple):
    """One call: its seconds, and how many of them other work on the machine took from it."""

    seconds: float
    disturbed: float


def measure(subject: Subject) -> Cost:
    """Least times of single rollouts over a quarter, a half and all of the horizon, warmed up."""
    memory_reason = no_memory(subject)
    rows = []
    for steps in horizons(subject):
        simulation = subject.simulation(Settings(steps=steps)).exact()
        forward, backward = _times(subject, simulation)
        bytes_used: tuple[float | None, float | None] = (None, None)
        if memory_reason is None:
            try:
                bytes_used = simulation.memory()
            except Unsupported as error:
                memory_reason = str(error)
        rows.append(
            CostRow(
                steps=steps,
                forward=_least(forward).seconds,
                backward=_least(backward).seconds,
                forward_bytes=bytes_used[0],
                backward_bytes=bytes_used[1],
                forward_spread=spread(forward),
                backward_spread=spread(backward),
            )
        )
    return Cost(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        rows=rows,
        input_count=sum(int(subject.nominal[name].size) for name in subject.names),
        memory_reason=memory_reason,
    )


def horizons(subject: Subject) -> list[int]:
    """A quarter, a half and all of the testbed's steps.

    All only, where steps cannot be varied or each horizon is another program that is dear.
    """
    steps = subject.testbed.steps
    if subject.testbed.dt <= 0 or not subject.knows(Knob.STEPS) or not subject.budget.builds:
        return [steps]
    return sorted({max(1, steps // 4), max(1, steps // 2), steps})


def _times(subject: Subject, simulation: AbstractSimulation) -> tuple[list[Timing], list[Timing]]:
    """Timings of a loss, and of a loss with its gradient, taken in turn."""
    delta = APART * subject.joint().vector
    inputs = subject.tangent.retract(subject.nominal, delta)
    simulation.value(inputs)
    simulation.value_and_grad(inputs)
    times = [
        (
            timed(lambda: simulation.value(inputs)),
            timed(lambda: simulation.value_and_grad(inputs)),
        )
        for _ in range(subject.budget.repeats)
    ]
    forward, backward = zip(*times, strict=True)
    return list(forward), list(backward)


def timed(call: Callable[[], object]) -> Timing:
    """One call timed.

    Time in which the process did not compute is other work's where the system took the processor
    away (an involuntary context switch), and a device's that was waited for where it did not.
    """
    taken = _taken()
    begin, computing = time.perf_counter(), time.process_time()
    call()
    seconds, computed = time.perf_counter() - begin, time.process_time() - computing
    return Timing(seconds, max(0.0, seconds - computed) if _taken() > taken else 0.0)


def _taken() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def _least(timings: Sequence[Timing]) -> Timing:
    """Whatever else the machine does adds to a time and never takes from it (Python
    documentation, `timeit.Timer.repeat`)."""
    return min(timings)


def spread(timings: Sequence[Timing]) -> float:
    """How much the least of these may change from run to run, in seconds.

    The least of few repeats lies above what more of them would reach by about the distance of
    the next ones: the lower quartile's is taken. Under steady load all repeats are too long
    together, which shows in how long the least one did not compute.
    """
    least = _least(timings)
    quartile = float(np.quantile([one.seconds for one in timings], 0.25))
    return quartile - least.seconds + least.disturbed
