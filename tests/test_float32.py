"""Functions that compute in float32, or are given float32 numbers: what `check` says of them."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import gradcheck
from gradcheck import Verdict, description
from gradcheck.checks import judge
from gradcheck.engine import AbstractEngine, AbstractSimulation, EngineCard, Settings
from gradcheck.engines.equations import EquationsEngine
from gradcheck.evidence import Evidence
from gradcheck.measure import MEASUREMENTS
from gradcheck.provenance import provenance
from gradcheck.subject import Subject
from gradcheck.testbed import Testbed
from gradcheck.testbeds.thruster import TESTBED as THRUSTER


def test_inputs_and_data_given_in_float32_are_no_float32_inside() -> None:
    x = jnp.array([0.3, 1.2], jnp.float32)
    for f in (lambda x: x[0] * x[1], lambda y: y @ x):
        findings = gradcheck.check(f, x).findings
        assert [one.verdict for one in findings if one.code == "GC208"] == [Verdict.PASS]
    cast = gradcheck.check(lambda x: jnp.sin(x.astype(jnp.float32)).sum(), x)
    assert any(one.verdict is Verdict.FAIL for one in cast.findings if one.code == "GC208")


def test_a_right_gradient_of_a_float32_function_is_not_called_wrong() -> None:
    def loss(x: Any) -> float:
        return float(np.sum(np.sin(x.astype(np.float32))))

    x = np.array([0.3, 1.2], np.float32)
    assert gradcheck.check(loss, x, grad=np.cos).verdict is Verdict.PASS
    assert gradcheck.check(loss, x, grad=lambda x: 1.05 * np.cos(x)).verdict is Verdict.FAIL


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_flat_float32_function_is_not_called_wrong(seed: int) -> None:
    def loss(x: Any) -> float:
        y = x.astype(np.float32)
        return float(np.exp(-np.sum(y * y)))

    x = np.random.default_rng(seed).normal(size=6)
    result = gradcheck.check(loss, x, grad=lambda x: -2 * x * np.exp(-np.sum(x * x)))
    assert result.verdict is Verdict.PASS
    assert "no derivative" not in str(result)


class Single(AbstractEngine):
    """An engine that knows no other precision than float32."""

    def __init__(self, precision: str, scale: float = 1.0) -> None:
        self.card = EngineCard.model_validate(
            {"name": "single", "version": "1", "precision": precision}
        )
        self.scale = scale

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        made = EquationsEngine().simulate(
            testbed, settings.model_copy(update={"precision": "float32"})
        )
        return Scaled(made, self.scale)


class Scaled(AbstractSimulation):
    """The same loss, its gradient times `scale`."""

    def __init__(self, made: AbstractSimulation, scale: float) -> None:
        self.made, self.scale = made, scale

    def value(self, inputs: Any) -> float:
        return self.made.value(inputs)

    def value_and_grad(self, inputs: Any) -> Any:
        value, gradient = self.made.value_and_grad(inputs)
        return value, {name: self.scale * part for name, part in gradient.items()}


def judged(engine: Single) -> set[Verdict]:
    """Verdicts of agreement with the program."""
    evidence = Evidence(
        engine="single",
        card=engine.card,
        testbed=description.testbed_record(THRUSTER),
        provenance=provenance(seed=0, profile="quick"),
        artifacts=[MEASUREMENTS["agreement"](Subject("single", engine, THRUSTER))],
    )
    return {one.verdict for one in judge(evidence, ["GC201"])}


def test_a_float32_engine_is_judged_by_what_float32_can_show() -> None:
    assert judged(Single("float32")) == {Verdict.PASS}
    assert Verdict.FAIL in judged(Single("float32", 1.05))


def test_a_card_that_states_float64_is_held_to_it() -> None:
    assert judged(Single("float64", 1.0005)) != {Verdict.PASS}
    assert judged(Single("float32", 1.0005)) == {Verdict.PASS}
