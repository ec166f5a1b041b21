"""How the gradient is built: the framework's own account, and how its memory grows."""

from gradcheck.artifact import Construction, MemoryRow
from gradcheck.engine import Ability, Knob, Settings, Unsupported
from gradcheck.measure.memory import no_memory
from gradcheck.structure import Structure
from gradcheck.subject import Subject

LONG = 16
"""So many times the testbed's own steps: enough to tell a square root from a logarithm."""
BUDGETS = (2, 8)
FLOAT = 8


def measure(subject: Subject) -> Construction:
    """Nothing of it is run: programs are traced, and compiled for their memory."""
    structure, structure_reason = _structure(subject)
    horizons: list[MemoryRow] = []
    budgets: list[MemoryRow] = []
    memory_reason = no_memory(subject)
    if memory_reason is None:
        steps = subject.testbed.steps
        try:
            if subject.testbed.dt > 0 and subject.knows(Knob.STEPS):
                spans = sorted({max(1, steps // 4), steps, LONG * steps})
                horizons = [_row(subject, Settings(steps=one)) for one in spans]
            if subject.knows(Knob.ITERATIONS):
                budgets = [_row(subject, Settings(iterations=one)) for one in BUDGETS]
        except Unsupported as error:
            memory_reason = str(error)
    return Construction(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        structure=structure,
        structure_reason=structure_reason,
        horizons=horizons,
        budgets=budgets,
        memory_reason=memory_reason,
        state_bytes=_state_bytes(subject) if horizons else None,
    )


def _structure(subject: Subject) -> tuple[Structure | None, str | None]:
    if Ability.STRUCTURE not in subject.engine.card.abilities:
        return None, f"{subject.engine_name} does not show how it is differentiated"
    try:
        return subject.simulation().structure(subject.nominal), None
    except Unsupported as error:
        return None, str(error)


def _row(subject: Subject, settings: Settings) -> MemoryRow:
    forward, backward = subject.simulation(settings).exact().memory()
    return MemoryRow(
        steps=subject.testbed.steps if settings.steps is None else settings.steps,
        iterations=settings.iterations,
        forward_bytes=forward,
        backward_bytes=backward,
    )


def _state_bytes(subject: Subject) -> float | None:
    if Ability.STEPS not in subject.engine.card.abilities:
        return None
    return float(FLOAT * subject.trajectory.shape[1])
