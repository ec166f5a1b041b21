"""Does an exact gradient cost memory? Every cell and retention against three references.

At each solver budget k and horizon T: how far a gradient is from that of the program that ran, of
the converged equation, of the motion; what its program takes in memory and time.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Array,
    BadInput,
    Knob,
    Settings,
    Unsupported,
)
from gradcheck.experiments.cells_record import Error, Row
from gradcheck.measure.cost import spread, timed
from gradcheck.measure.curves import sample, step_sizes
from gradcheck.reason import reason
from gradcheck.subject import Subject
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Testbed

STEPS = step_sizes(-7.0, -1.0, 2)
CONVERGED = 64
REPEATS = 7
Told = Callable[[str], None]


class Contender(NamedTuple):
    """An engine, and what it keeps."""

    name: str
    keep: str
    engine: AbstractEngine


@dataclass
class References:
    """What gradients are held against, made once for each budget and horizon.

    The program and the equation are those of `engine`; its gradient is not used.
    """

    engine: AbstractEngine
    testbed: Testbed
    found: dict[tuple[int, int], tuple[Array, Array]] = field(default_factory=dict)

    @cached_property
    def subject(self) -> Subject:
        return Subject(self.engine.card.name, self.engine, self.testbed)

    def program(self, iterations: int, steps: int) -> tuple[Array, Array]:
        """Slopes [size] and their uncertainty, by differences."""
        key = iterations, steps
        if key not in self.found:
            subject = self.subject
            simulation = subject.simulation(Settings(iterations=iterations, steps=steps))
            directions = subject.coordinates(subject.tangent.size)
            unused = np.zeros(subject.tangent.size)
            slopes = [
                one.program() for one in sample(subject, simulation, directions, STEPS, unused)
            ]
            self.found[key] = (
                np.array([slope.value for slope in slopes]),
                np.array([slope.uncertainty for slope in slopes]),
            )
        return self.found[key]

    @cached_property
    def motion(self) -> tuple[Array, Array] | None:
        """Slopes [size] per typical change of the testbed's truth, at its own horizon."""
        truth = self.testbed.truth
        if truth is None:
            return None
        subject = self.subject
        weights = np.asarray(self.testbed.weights)
        jacobian = truth.jacobian(subject.nominal)
        gradient = {name: np.tensordot(weights, one, 1) for name, one in jacobian.items()}
        slopes = subject.tangent.pull(subject.nominal, gradient) * subject.tangent.scales
        return slopes, truth.accuracy * np.abs(slopes)

    def all(self, iterations: int, steps: int) -> Iterator[tuple[Referent, tuple[Array, Array]]]:
        """Those that there are at a budget and a horizon."""
        yield Referent.EXECUTED, self.program(iterations, steps)
        yield Referent.CONVERGED, self.program(CONVERGED, steps)
        if steps == self.testbed.steps and self.motion is not None:
            yield Referent.CONTINUOUS, self.motion


def of_chain() -> list[Contender]:
    """The nine cells of `spring_chain`, each with everything that it can keep."""
    from gradcheck.engines.retained import Keep
    from gradcheck.engines.spring_chain import CELLS, SpringChain

    out = []
    for name, cell in CELLS.items():
        for keep in cell.keeps:
            # Inversion needs another forward map, the reversible one.
            if keep is not Keep.INVERT or cell.pull is not None:
                engine = SpringChain(name, keep=keep, solver="gauss_seidel")
                out.append(Contender(f"spring_chain:{name}", keep, engine))
    return out


def of_user(name: str) -> Contender:
    """A user's engine. Raises `BadInput` where it has no knob for its solver's budget."""
    from gradcheck import registry

    engine = registry.engine(name)
    if Knob.ITERATIONS not in engine.card.knobs:
        raise BadInput(f"{name} has no knob 'iterations': there is no budget to vary")
    return Contender(name, str(engine.card.retention or "not stated"), engine)


def measure(
    testbed: Testbed,
    contenders: Sequence[Contender],
    budgets: Sequence[int],
    horizons: Sequence[int],
    told: Told = lambda text: None,
) -> Iterator[Row]:
    """Rows as they come: each engine over budgets at the testbed's horizon as it is by default, and
    with all that it can keep over horizons at the second budget."""
    references = References(contenders[0].engine, testbed)
    seen = set()
    for name, keep, engine in contenders:
        first = name not in seen
        seen.add(name)
        grid = [(k, testbed.steps) for k in budgets] if first else []
        own = budgets[min(1, len(budgets) - 1)]
        grid += [(own, steps) for steps in horizons if (own, steps) not in grid]
        for iterations, steps in grid:
            told(f"{name}, {keep}: k = {iterations}, T = {steps}")
            yield _row(references, Contender(name, keep, engine), iterations, steps)


def _row(references: References, contender: Contender, iterations: int, steps: int) -> Row:
    name, keep, engine = contender
    nan = float("nan")
    row = Row(
        engine=name,
        referent=engine.card.referent,
        realization=engine.card.realization,
        keep=keep,
        iterations=iterations,
        steps=steps,
        errors={},
        memory=None,
        forward=nan,
        backward=nan,
        backward_spread=nan,
        outcome="measured",
    )
    subject = references.subject
    try:
        one = engine.simulate(references.testbed, Settings(iterations=iterations, steps=steps))
        value, raw = one.value_and_grad(subject.nominal)
        gradient = subject.tangent.pull(subject.nominal, raw) * subject.tangent.scales
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            what = "gradient" if np.isfinite(value) else "forward pass"
            return row.model_copy(update={"outcome": f"the {what} is not finite: it diverged"})
        errors = {
            referent: _error(gradient, *reference)
            for referent, reference in references.all(iterations, steps)
        }
        return row.model_copy(update={"errors": errors, **_cost(engine, one, subject)})
    except (Unsupported, BadInput) as error:
        return row.model_copy(update={"outcome": str(error)})
    except Exception as error:  # an engine that breaks is a row, and the rest goes on
        return row.model_copy(update={"outcome": f"failed: {reason(error)}"})


def _error(gradient: Array, reference: Array, uncertainty: Array) -> Error:
    size = float(np.max(np.abs(reference)))
    return Error(
        value=float(np.max(np.abs(gradient - reference))) / size,
        floor=float(np.max(uncertainty)) / size,
    )


def _cost(
    engine: AbstractEngine, one: AbstractSimulation, subject: Subject
) -> dict[str, float | None]:
    """Memory and times of a simulation that has run once."""
    one.value(subject.nominal)
    forward = [timed(lambda: one.value(subject.nominal)) for _ in range(REPEATS)]
    backward = [timed(lambda: one.value_and_grad(subject.nominal)) for _ in range(REPEATS)]
    told = Ability.MEMORY in engine.card.abilities
    return {
        "forward": min(forward).seconds,
        "backward": min(backward).seconds,
        "backward_spread": spread(backward),
        "memory": one.memory()[1] if told else None,
    }
