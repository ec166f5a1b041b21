"""Time and memory of the loss and of the loss with its gradient, over the horizon."""

import time
from collections.abc import Callable

from gradcheck.artifact import Cost, CostRow
from gradcheck.engine import Ability, AbstractSimulation, Knob, Settings, Unsupported
from gradcheck.subject import Subject

APART = 1e-3
"""How far, in typical changes, the timed inputs lie from the nominal ones."""


def measure(subject: Subject) -> Cost:
    """Least times of single rollouts over a quarter, a half and all of the horizon, warmed up."""
    memory_reason = _no_memory(subject)
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
    )


def horizons(subject: Subject) -> list[int]:
    """A quarter, a half and all of the testbed's steps.

    All only, where steps cannot be varied or each horizon is another program that is dear.
    """
    steps = subject.testbed.steps
    if subject.testbed.dt <= 0 or not subject.knows(Knob.STEPS) or not subject.budget.builds:
        return [steps]
    return sorted({max(1, steps // 4), max(1, steps // 2), steps})


def _times(subject: Subject, simulation: AbstractSimulation) -> tuple[float, float]:
    """Seconds of a loss, and of a loss with its gradient: the least of several, taken in turn.

    Whatever else the machine does adds to a time and never takes from it (Python documentation,
    `timeit.Timer.repeat`).
    """
    delta = APART * subject.joint().vector
    inputs = subject.tangent.retract(subject.nominal, delta)
    simulation.value(inputs)
    simulation.value_and_grad(inputs)
    times = [
        (
            _seconds(lambda: simulation.value(inputs)),
            _seconds(lambda: simulation.value_and_grad(inputs)),
        )
        for _ in range(subject.budget.repeats)
    ]
    forward, backward = zip(*times, strict=True)
    return min(forward), min(backward)


def _seconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _no_memory(subject: Subject) -> str | None:
    """Why memory is not asked for; None where it is."""
    if Ability.MEMORY not in subject.engine.card.abilities:
        return f"{subject.engine_name} does not tell its memory"
    try:
        subject.require_builds()
    except Unsupported as reason:
        return str(reason)
    return None
