"""Does the tool name the right referent when it may not read the card?

`python -m tests.bench.blind [PART OF A NAME ...]`
Every engine is measured with its card hidden. Where each reference is more than ten uncertainties
from the true one, the true one must be named; elsewhere "cannot be told" is the right answer. A
wrong name is never one. Exits with 1 where that is not so.
"""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

from gradcheck import registry
from gradcheck.budget import QUICK, Budget
from gradcheck.checks.observed_referent import Observed, observed
from gradcheck.engine import AbstractEngine, AbstractSimulation, EngineCard, Settings
from gradcheck.match import FLOAT64
from gradcheck.measure.referents import measure
from gradcheck.subject import Subject
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Testbed

SLOW = replace(QUICK, iterations=(1, 2, 4, 8), refinements=2)
"""For engines that take many seconds to build a program."""


class Hidden(AbstractEngine):
    """An engine whose card says what it can do and nothing else. `iterations`: the budget in use,
    where it is not the engine's own."""

    def __init__(self, engine: AbstractEngine, iterations: int | None = None) -> None:
        self.engine, self.iterations = engine, iterations
        self.probe_limit = engine.probe_limit
        self.card = EngineCard(
            name="hidden",
            version="0",
            precision=engine.card.precision,
            abilities=engine.card.abilities,
            knobs=engine.card.knobs,
        )

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        if settings.iterations is None and self.iterations is not None:
            settings = settings.model_copy(update={"iterations": self.iterations})
        return self.engine.simulate(testbed, settings)


class Bounded(Subject):
    """A subject whose budget does not follow the engine's card."""

    @property
    def budget(self) -> Budget:
        return SLOW if getattr(self.engine, "engine", self.engine).slow_build else QUICK


@dataclass(frozen=True)
class Case:
    """One engine on one testbed, and what its gradient is known to be of; None: of no referent."""

    name: str
    testbed: str
    truth: Referent | None
    make: Callable[[], AbstractEngine]
    iterations: int | None = None

    def __str__(self) -> str:
        return f"{self.name} on {self.testbed}"


@dataclass(frozen=True)
class Answer:
    """What was observed of a case."""

    case: Case
    seen: Observed
    seconds: float

    @property
    def must_be_named(self) -> bool:
        """Does every other reference part from the true one, at the setting in use?"""
        pairs = [one for one in self.seen.pairs if self.case.truth in (one.one, one.other)]
        return all(pair.in_use for pair in pairs)

    @property
    def outcome(self) -> str:
        """In a word or two."""
        if self.case.truth is None:
            return "WRONG" if self.seen.possible else "right"
        if self.seen.referent is self.case.truth:
            return "right"
        if self.case.truth not in self.seen.possible:
            return "WRONG"
        return "MISSED" if self.must_be_named else "cannot be told"

    @property
    def fails(self) -> bool:
        """Is it wrong, or not named where it could be?"""
        return self.outcome in ("WRONG", "MISSED")


def _chain(cell: str, solver: str = "gauss_seidel", iterations: int = 3) -> Case:
    from gradcheck.engines.spring_chain import CELLS, SpringChain

    def make() -> AbstractEngine:
        return SpringChain(cell, solver=solver, iterations=iterations)

    name = f"{cell}, {solver} {iterations}"
    return Case(name, "spring_chain", CELLS[cell].referent, make)


def _registered(
    name: str,
    testbed: str,
    truth: Referent | None = Referent.EXECUTED,
    iterations: int | None = None,
) -> Case:
    said = name if iterations is None else f"{name}, {iterations} iterations"
    return Case(said, testbed, truth, lambda: registry.engine(name), iterations)


def cases() -> tuple[Case, ...]:
    """The nine cells; cells whose solver converges; real engines; engines without a solver."""
    from gradcheck.engines.fixed_point import FixedPointEngine
    from gradcheck.engines.spring_chain import CELLS

    return (
        *(_chain(cell) for cell in CELLS),
        _chain("executed-custom", "newton", 2),
        _chain("converged-adjoint", "newton", 2),
        _chain("converged-custom", "newton", 8),
        _registered("fixed_point:unrolled", "pendulum"),
        _registered("fixed_point:implicit", "pendulum", Referent.CONVERGED),
        Case("fixed_point:last", "pendulum", None, lambda: FixedPointEngine("last")),
        _registered("equations", "pendulum"),
        _registered("equations", "free_fall"),
        _registered("particles:ideal", "bounce"),
        _registered("particles:penalty", "wall"),
        _registered("particles:toi", "bounce"),
        _registered("mujoco", "drop"),
        # Its differences of a step hold the warm start, which matters to a solver cut short.
        _registered("mujoco", "drop", None, iterations=1),
        # GC201 finds it 27 % off the program there: it is no gradient of anything.
        _registered("mujoco", "slide", None),
        _registered("mjx", "drop"),
        _registered("mjx", "drop", iterations=1),
        _registered("mjx:reverse", "drop"),
        _registered("g1", "drop", Referent.CONVERGED),
    )


def ask(case: Case) -> Answer:
    """Measure one case with its card hidden."""
    begin = time.perf_counter()
    engine = Hidden(case.make(), case.iterations)
    artifact = measure(Bounded("hidden", engine, registry.testbed(case.testbed)))
    return Answer(case, observed(artifact, FLOAT64.value), time.perf_counter() - begin)


def table(answers: Sequence[Answer]) -> Table:
    """One row for each case."""
    out = Table(title="The referent, observed with the card hidden")
    for head in ("engine", "true referent", "observed", "times nearer", "settings", "outcome", "s"):
        out.add_column(head, overflow="fold")
    for one in answers:
        seen = one.seen
        out.add_row(
            str(one.case),
            one.case.truth or "none",
            " or ".join(seen.possible) or "none",
            f"{seen.nearer:.1e}" if seen.referent else "",
            ", ".join(f"{pair.telling}" for pair in seen.pairs),
            one.outcome,
            f"{one.seconds:.0f}",
        )
    return out


def main(names: Sequence[str]) -> int:
    """All cases, or those whose name holds one of `names`."""
    console = Console(width=160 if not sys.stdout.isatty() else None)
    answers = []
    for case in cases():
        if not names or any(name in str(case) for name in names):
            answers.append(ask(case))
            console.print(f"{case}: {answers[-1].outcome}; {answers[-1].seen.told}")
    console.print(table(answers))
    return int(not answers or any(one.fails for one in answers))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
