"""Does an exact gradient cost memory? Every cell and retention against three references.

At each solver budget k and horizon T: how far a gradient is from that of the program that ran, of
the converged equation, of the motion; what its program takes in memory and time.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Array,
    BadInput,
    Diverged,
    Settings,
    Unsupported,
)
from gradcheck.experiments.cells_contender import Contender
from gradcheck.experiments.cells_record import Error, Row
from gradcheck.experiments.cells_reference import Reference, References
from gradcheck.measure.cost import Timing, spread, timed
from gradcheck.reason import reason
from gradcheck.subject import Subject
from gradcheck.testbed import Testbed

FEWEST, MOST, ENOUGH = 3, 9, 0.2
"""Repeats of what is timed, and seconds after which there are no more."""
BUDGETS = 1, 3, 9
VARIED = 1
"""Which of several budgets all that can be kept is measured at."""
Told = Callable[[str], None]


def horizons_of(testbed: Testbed) -> tuple[int, int]:
    """The testbed's own horizon, at which its truth is known, and four times that."""
    return testbed.steps, 4 * testbed.steps


def require(budgets: Sequence[int], horizons: Sequence[int], seeds: int) -> None:
    """Raise `BadInput` for a number that leaves nothing to measure."""
    for what, given, why in (
        ("budget", budgets, "no iteration solves nothing"),
        ("horizon", horizons, "no step moves nothing"),
        ("seeds", [seeds], "errors are taken at one point at least"),
    ):
        for one in given:
            if one < 1:
                raise BadInput(f"--{what} {one}: {why}; give 1 or more")


def measure(
    testbed: Testbed,
    contenders: Sequence[Contender],
    budgets: Sequence[int],
    horizons: Sequence[int],
    seeds: Sequence[int] = (0,),
    told: Told = lambda text: None,
) -> Iterator[Row]:
    """Rows as they come: each engine over budgets at the testbed's horizon as it is by default, and
    with all that it can keep over horizons at the second budget."""
    references: dict[int, References] = {}
    seen = set()
    for contender in contenders:
        own = budgets[min(VARIED, len(budgets) - 1)]
        grid = [(own, steps) for steps in horizons]
        if contender.name not in seen:
            grid += [(k, testbed.steps) for k in budgets]
        seen.add(contender.name)
        program = contender.program
        known = references.setdefault(id(program), References(program, testbed, seeds))
        for iterations, steps in sorted(set(grid), key=lambda at: (at[1], at[0])):
            told(f"{contender.name}, keeps {contender.keep}: k = {iterations}, T = {steps}")
            yield _row(known, contender, iterations, steps)


def _row(references: References, contender: Contender, iterations: int, steps: int) -> Row:
    card = contender.engine.card
    row = Row(
        engine=contender.name,
        referent=card.referent,
        realization=card.realization,
        retention=card.retention,
        keep=contender.keep,
        iterations=iterations,
        steps=steps,
    )
    try:
        # A testbed's own value asks for no knob.
        own = None if steps == references.testbed.steps else steps
        settings = Settings(iterations=iterations, steps=own)
        one = contender.engine.simulate(references.testbed, settings)
        gradients = np.array(
            [_gradient(references, one, subject) for subject in references.subjects]
        )
        update = _errors(gradients, references, iterations, steps)
        update |= _cost(contender.engine, one, references.subjects[0])
        return row.model_copy(update=update)
    except (Unsupported, BadInput, Diverged) as error:
        return row.model_copy(update={"outcome": str(error)})
    except (Exception, SystemExit) as error:  # an engine that breaks is a row, and the rest goes on
        return row.model_copy(update={"outcome": f"failed: {reason(error)}"})


def _gradient(references: References, one: AbstractSimulation, subject: Subject) -> Array:
    """[size], per typical change. Raises `Diverged` where it is not finite."""
    value, raw = one.value_and_grad(subject.nominal)
    if not np.isfinite(value):
        raise Diverged("the forward pass is not finite: the solver or the motion diverged")
    gradient = references.along(subject, raw)
    if not np.isfinite(gradient).all():
        raise Diverged("the gradient is not finite, and the forward pass is: the backward diverged")
    return gradient


def _errors(
    gradients: Array, references: References, iterations: int, steps: int
) -> dict[str, object]:
    errors, unknown = {}, {}
    for referent, reference in references.all(iterations, steps).items():
        found = reference if isinstance(reference, str) else _error(gradients, reference)
        if isinstance(found, str):
            unknown[referent] = found
        else:
            errors[referent] = found
    return {"errors": errors, "unknown": unknown}


def _error(gradients: Array, reference: Reference) -> Error | str:
    """Over points; a reference that is not told apart from zero has no relative error."""
    sizes = np.max(np.abs(reference.slopes), 1)
    floors = np.max(reference.uncertainty, 1)
    if not np.all(sizes > floors):
        largest = np.max(np.abs(gradients))
        return (
            f"the reference is zero, to {np.max(floors):.1e}: an error relative to it has no "
            f"meaning (the gradient's largest slope is {largest:.1e})"
        )
    apart = np.max(np.abs(gradients - reference.slopes), 1) / sizes
    return Error(
        median=float(np.median(apart)),
        worst=float(np.max(apart)),
        floor=float(np.max(floors / sizes)),
    )


def _cost(
    engine: AbstractEngine, one: AbstractSimulation, subject: Subject
) -> dict[str, float | None]:
    """Memory and times of a simulation that has run once."""
    one.value(subject.nominal)
    forward = _repeated(lambda: one.value(subject.nominal))
    backward = _repeated(lambda: one.value_and_grad(subject.nominal))
    return {
        "forward": min(forward).seconds,
        "forward_spread": spread(forward),
        "backward": min(backward).seconds,
        "backward_spread": spread(backward),
        "memory": _memory(engine, one),
    }


def _memory(engine: AbstractEngine, one: AbstractSimulation) -> float | None:
    """Bytes of the gradient's program; None where the engine does not tell."""
    if Ability.MEMORY not in engine.card.abilities:
        return None
    try:
        found = one.memory()[1]
    except Unsupported:
        return None
    return found if np.isfinite(found) else None


def _repeated(call: Callable[[], object]) -> list[Timing]:
    timings: list[Timing] = []
    while len(timings) < FEWEST or (
        len(timings) < MOST and sum(one.seconds for one in timings) < ENOUGH
    ):
        timings.append(timed(call))
    return timings
