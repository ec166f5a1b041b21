"""Least timings, and memory where an engine tells it."""

import time
from typing import Any

import numpy as np
import pytest

from gradcheck.engine import Ability, AbstractSimulation, Knob, Settings, Unsupported
from gradcheck.measure.cost import Timing, horizons, measure, spread, timed
from gradcheck.testbed import Input, Testbed
from tests.measure.toys import Toy, ToySimulation, bed, subject

X = Input("x", np.array([1.0, 2.0]))
BED = bed(X, dt=0.1, steps=40)


class Telling(ToySimulation):
    def memory(self) -> tuple[float, float]:
        assert self.settings.steps is not None
        return 100.0, 8.0 * self.settings.steps


class Slow(Toy):
    """Sleeps 0.2 ms a step for values, and twice that more for gradients."""

    def __init__(self, **options: Any) -> None:
        def loss(batch: Any, settings: Settings) -> Any:
            time.sleep(2e-4 * (settings.steps or 1))
            return batch["x"].sum(axis=1)

        def grad(batch: Any, settings: Settings) -> Any:
            time.sleep(4e-4 * (settings.steps or 1))
            return {"x": np.ones_like(batch["x"])}

        super().__init__(loss, grad, **options)

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        made = super().simulate(testbed, settings)
        assert isinstance(made, ToySimulation)
        return Telling(self, made.settings) if Ability.MEMORY in self.card.abilities else made


def test_times_over_the_horizon() -> None:
    cost = measure(subject(Slow(), BED))
    assert [row.steps for row in cost.rows] == [10, 20, 40]
    for row in cost.rows:
        assert row.forward >= 2e-4 * row.steps
        assert row.backward >= 6e-4 * row.steps
        assert row.backward > 1.5 * row.forward
        assert row.backward_bytes is None
        assert row.forward_spread is not None
        assert row.forward_spread >= 0
        assert row.backward_spread is not None
        assert row.backward_spread >= 0
    assert cost.input_count == 2
    assert cost.memory_reason == "toy does not tell its memory"


def test_memory_is_told_at_every_horizon() -> None:
    cost = measure(subject(Slow(abilities=(Ability.BATCH, Ability.MEMORY)), BED))
    assert [row.backward_bytes for row in cost.rows] == [80.0, 160.0, 320.0]
    assert cost.rows[0].forward_bytes == 100.0
    assert cost.memory_reason is None


def test_memory_is_left_out_where_another_program_is_dear() -> None:
    engine = Slow(abilities=(Ability.BATCH, Ability.MEMORY))
    engine.slow_build = True
    cost = measure(subject(engine, BED))
    assert cost.rows[0].backward_bytes is None
    assert "quick profile" in (cost.memory_reason or "")


def test_an_engine_that_cannot_after_all_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Telling) -> tuple[float, float]:
        raise Unsupported("not on this backend")

    monkeypatch.setattr(Telling, "memory", refuse)
    cost = measure(subject(Slow(abilities=(Ability.MEMORY,)), BED))
    assert cost.memory_reason == "not on this backend"


def test_one_horizon_where_steps_cannot_be_varied() -> None:
    assert horizons(subject(Slow(), bed(X))) == [1]
    assert horizons(subject(Slow(knobs=(Knob.DT,)), BED)) == [40]
    assert horizons(subject(Slow(), bed(X, dt=0.1, steps=2))) == [1, 2]
    dear = Slow()
    dear.slow_build = True
    assert horizons(subject(dear, BED)) == [40]


def test_the_spread_reaches_from_the_least_to_the_lower_quartile() -> None:
    timings = [Timing(seconds, 0.0) for seconds in (9.0, 1.0, 1.5, 1.25, 2.0)]
    assert spread(timings) == pytest.approx(0.25)


def test_what_other_work_took_of_the_least_time_is_part_of_its_spread() -> None:
    assert spread([Timing(2.0, 1.5), Timing(2.0, 0.0)]) == 0.0  # one ran undisturbed
    assert spread([Timing(2.0, 1.5), Timing(2.5, 1.9)]) == pytest.approx(0.125 + 1.5)


def test_waiting_for_a_device_is_no_disturbance() -> None:
    # Somebody may take the processor in the very moment, but not every time.
    assert min(timed(lambda: time.sleep(0.005)).disturbed for _ in range(5)) == 0.0
