"""The guard lets right answers through unchanged and names each breach."""

from typing import Any

import numpy as np
import pytest

from gradcheck.engine import AbstractEngine, AbstractSimulation, EngineCard, Inputs, Settings
from gradcheck.guard import Breach, GuardedEngine
from gradcheck.testbed import Family, Input, Testbed

TESTBED = Testbed(
    name="line",
    question="",
    family=Family.SMOOTH,
    source="",
    inputs=(Input("a", np.array([1.0, 2.0])), Input("b", np.array(3.0))),
    outputs=("y",),
    weights=(1.0,),
    scenes=(),
)
RIGHT = (9.0, {"a": np.ones(2), "b": np.array(2.0)})


class Fixed(AbstractSimulation):
    """Answers with what it was given."""

    def __init__(self, answer: Any, value: Any = 9.0) -> None:
        self.answer = answer
        self.one = value

    def value(self, inputs: Inputs) -> Any:
        return self.one

    def value_and_grad(self, inputs: Inputs) -> Any:
        return self.answer


class Engine(AbstractEngine):
    card = EngineCard(name="fixed", version="1")
    probe_limit = 7

    def __init__(self, simulation: Any) -> None:
        self.simulation = simulation

    def simulate(self, testbed: Testbed, settings: Settings) -> Any:
        return self.simulation


def guarded(simulation: Any) -> tuple[GuardedEngine, AbstractSimulation]:
    engine = GuardedEngine(Engine(simulation))
    return engine, engine.simulate(TESTBED, Settings())


def test_right_answers_pass_unchanged() -> None:
    engine, simulation = guarded(Fixed(RIGHT))
    inputs = TESTBED.nominal()
    assert simulation.value(inputs) == 9.0
    value, gradient = simulation.value_and_grad(inputs)
    assert value == 9.0
    np.testing.assert_array_equal(gradient["a"], [1.0, 1.0])
    values, gradients = simulation.values_and_grads(
        {k: np.stack([v, v]) for k, v in inputs.items()}
    )
    assert values.shape == (2,)
    assert gradients["a"].shape == (2, 2)
    assert (engine.probe_limit, engine.card.name, engine.non_finite) == (7, "fixed", "")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (5.0, "returned a float, not (value, gradient)"),
        ((np.ones(1), RIGHT[1]), "returned an array of shape (1,), not a scalar"),
        ((9.0, [1.0, 1.0]), "a gradient of type list, not dict"),
        ((9.0, {"a": np.ones(2)}), "no gradient for input 'b', which `undifferentiated`"),
        ((9.0, {**RIGHT[1], "c": np.ones(1)}), "a gradient for 'c', but no input has that name"),
        ((9.0, {**RIGHT[1], "a": np.ones(3)}), "shape (3,) for input 'a' of shape (2,)"),
        ((9.0, {**RIGHT[1], "a": None}), "returned object (NoneType), not real numbers"),
        ((9.0, {**RIGHT[1], "b": 1j}), "returned complex128 (complex), not real numbers"),
    ],
)
def test_breaches_are_named(answer: Any, text: str) -> None:
    _, simulation = guarded(Fixed(answer))
    with pytest.raises(Breach) as breach:
        simulation.value_and_grad(TESTBED.nominal())
    assert text in str(breach.value)


def test_undifferentiated_inputs() -> None:
    fixed = Fixed((9.0, {"a": np.ones(2)}))
    fixed.undifferentiated = {"b": "a setting of the solver"}
    _, simulation = guarded(fixed)
    assert simulation.value_and_grad(TESTBED.nominal())[1].keys() == {"a"}
    fixed.answer = RIGHT
    with pytest.raises(Breach, match="'b', but it is named undifferentiated"):
        simulation.value_and_grad(TESTBED.nominal())
    fixed.undifferentiated = {"c": "why not"}
    with pytest.raises(Breach, match="undifferentiated names 'c', which is no input"):
        guarded(fixed)


def test_the_first_value_that_is_not_finite_is_remembered() -> None:
    engine, simulation = guarded(Fixed((9.0, {**RIGHT[1], "b": -np.inf}), value=np.nan))
    simulation.value_and_grad(TESTBED.nominal())
    simulation.value(TESTBED.nominal())
    assert engine.non_finite == "value_and_grad, gradient of 'b', returned -inf"


def test_an_engine_must_answer_with_a_simulation() -> None:
    with pytest.raises(Breach, match="simulate returned a NoneType"):
        guarded(None)


def test_a_batch_must_have_one_value_a_row() -> None:
    class Short(Fixed):
        def values(self, batch: Inputs) -> Any:
            return np.ones(1)

    _, simulation = guarded(Short(RIGHT))
    with pytest.raises(Breach, match=r"values returned shape \(1,\), not \(2\)"):
        simulation.values({k: np.stack([v, v]) for k, v in TESTBED.nominal().items()})
