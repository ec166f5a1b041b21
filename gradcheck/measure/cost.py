"""Time and memory of the loss and of the loss with its gradient, over the horizon."""

import statistics
import time
from collections.abc import Callable

from gradcheck.artifact import Cost, CostRow
from gradcheck.engine import Ability, AbstractSimulation, Knob, Settings, Unsupported
from gradcheck.subject import Subject

BATCH, FEW = 64, 4
"""Inputs in one call, and where an engine takes milliseconds for each gradient."""

CHEAP = 1024
"""The engine's `probe_limit` from which a gradient counts as cheap."""

APART = 1e-3
"""How far, in typical changes, the inputs of a batch lie apart."""


def measure(subject: Subject) -> Cost:
    """Medians over a quarter, a half and all of the horizon, after one call to warm up."""
    cheap = Ability.BATCH in subject.engine.card.abilities and subject.engine.probe_limit >= CHEAP
    size = BATCH if cheap else FEW
    memory_reason = _no_memory(subject)
    rows = []
    for steps in horizons(subject):
        simulation = subject.simulation(Settings(steps=steps))
        forward, backward = _times(subject, simulation, size)
        bytes_used: tuple[float | None, float | None] = (None, None)
        if memory_reason is None:
            try:
                bytes_used = simulation.memory()
            except Unsupported as error:
                memory_reason = str(error)
        rows.append(
            CostRow(
                steps=steps,
                forward=forward,
                backward=backward,
                forward_bytes=bytes_used[0],
                backward_bytes=bytes_used[1],
            )
        )
    return Cost(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        rows=rows,
        input_count=sum(int(subject.nominal[name].size) for name in subject.names),
        memory_reason=memory_reason,
        batch=size,
    )


def horizons(subject: Subject) -> list[int]:
    """A quarter, a half and all of the testbed's steps, as far as the engine can vary them."""
    steps = subject.testbed.steps
    if subject.testbed.dt <= 0 or not subject.knows(Knob.STEPS):
        return [steps]
    return sorted({max(1, steps // 4), max(1, steps // 2), steps})


def _times(subject: Subject, simulation: AbstractSimulation, size: int) -> tuple[float, float]:
    """Seconds of one batch of losses, and of losses with gradients."""
    deltas = APART * subject.rng("cost").standard_normal((size, subject.tangent.size))
    batch = subject.batch(deltas * subject.tangent.scales)
    repeats = subject.budget.repeats
    return (
        _median(lambda: simulation.values(batch), repeats),
        _median(lambda: simulation.values_and_grads(batch), repeats),
    )


def _median(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def _no_memory(subject: Subject) -> str | None:
    """Why memory is not asked for; None where it is."""
    if Ability.MEMORY not in subject.engine.card.abilities:
        return f"{subject.engine_name} does not tell its memory"
    try:
        subject.require_builds()
    except Unsupported as reason:
        return str(reason)
    return None
