"""How a gradient is built: what is asked of an engine, and what is said where it cannot tell."""

import numpy as np

from gradcheck.checks.observed_retention import retention
from gradcheck.engine import Ability, Inputs, Knob, Settings
from gradcheck.engines.retained import Keep
from gradcheck.engines.spring_chain import SpringChain
from gradcheck.guard import GuardedEngine
from gradcheck.measure.construction import measure
from gradcheck.structure import Structure
from gradcheck.subject import Subject
from gradcheck.taxonomy import Retention
from gradcheck.testbed import Input, Testbed
from gradcheck.testbeds.spring_chain import TESTBED
from tests.checks import made_up
from tests.measure.toys import Toy, ToySimulation, bed, subject

BED = bed(Input("x", np.array([1.0]), scale=1.0), dt=0.1, steps=8)


class Telling(ToySimulation):
    def memory(self) -> tuple[float, float]:
        assert self.settings.steps is not None
        return 10.0, 10.0 + 4.0 * self.settings.steps * (self.settings.iterations or 1)

    def structure(self, inputs: Inputs) -> Structure:
        return Structure(source="a test", operations=7)


class Told(Toy):
    def simulate(self, testbed: Testbed, settings: Settings) -> Telling:
        made = super().simulate(testbed, settings)
        assert isinstance(made, ToySimulation)
        return Telling(self, made.settings)


def toy(*abilities: Ability) -> Told:
    return Told(
        lambda batch, s: batch["x"][:, 0],
        lambda batch, s: {"x": np.ones_like(batch["x"])},
        abilities=abilities,
        knobs=(Knob.STEPS, Knob.ITERATIONS),
    )


def test_memory_far_beyond_the_horizon_and_over_budgets() -> None:
    found = measure(subject(toy(Ability.MEMORY, Ability.STRUCTURE), BED))
    assert [(row.steps, row.backward_bytes) for row in found.horizons] == [
        (2, 18.0),
        (8, 42.0),
        (128, 522.0),
    ]
    assert [(row.iterations, row.backward_bytes) for row in found.budgets] == [
        (2, 74.0),
        (8, 266.0),
    ]
    assert found.structure is not None
    assert found.structure.operations == 7


def test_what_is_not_told_has_a_reason() -> None:
    found = measure(subject(toy(), BED))
    assert found.structure is None
    assert found.structure_reason == "toy does not show how it is differentiated"
    assert found.memory_reason == "toy does not tell its memory"
    slow = toy(Ability.MEMORY)
    slow.slow_build = True
    assert "quick profile" in str(measure(subject(slow, BED)).memory_reason)


def test_a_guarded_engine_shows_its_structure() -> None:
    guarded = GuardedEngine(toy(Ability.STRUCTURE))
    assert measure(subject(guarded, BED)).structure is not None


def test_retention_of_a_real_program() -> None:
    """The adjoint of the chain's equation, whose memory is that of the states it keeps."""
    engine = SpringChain("converged-custom", keep=Keep.SQRT, iterations=1)
    engine.chunk = 1
    found = retention(made_up.evidence(measure(Subject("chain", engine, TESTBED))))
    assert found is not None
    assert found.possible == (Retention.CHECKPOINT,)
