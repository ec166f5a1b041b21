"""The conformance suite: quiet on engines that keep to the contract, clear on those that do not."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from gradcheck import target
from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Array,
    EngineCard,
    Gradient,
    Inputs,
    Knob,
    Settings,
)
from gradcheck.engines.jax_program import JaxEngine, Program
from gradcheck.scene import Equations
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Family, Input, Testbed
from gradcheck.testing import check_engine

FILE = __file__.replace("test_testing.py", "engines/misbehaving.py")


def loaded(name: str) -> Any:
    return target.load(f"{FILE}:{name}")


Good: Any = loaded("Good")
Bowl: Any = loaded("Bowl")
BOWL: Testbed = loaded("BOWL")

SPRING = Testbed(
    name="spring",
    question="",
    family=Family.SMOOTH,
    source="q'' = -k q",
    inputs=(Input("q", np.array([1.0, 0.5])), Input("k", np.array(4.0))),
    outputs=("q",),
    weights=(1.0,),
    scenes=(
        Equations(
            start=lambda x, xp: (x["q"], xp.zeros_like(x["q"])),
            acceleration=lambda q, v, x, t, xp: -x["k"] * q,
            outputs=lambda q, v, x, xp: xp.stack([xp.sum(q)]),
        ),
    ),
    dt=0.01,
    steps=20,
)


class Euler(JaxEngine):
    """Semi-implicit Euler, as an author of an adapter would write it."""

    card = EngineCard(
        name="euler",
        version="1",
        referent=Referent.EXECUTED,
        realization=Realization.GENERATED,
        retention=Retention.STORE_ALL,
        contact=ContactTreatment.NONE,
        frozen=(),
        abilities=(Ability.BATCH, Ability.FORWARD_MODE, Ability.STEPS, Ability.MEMORY),
        knobs=(Knob.STEPS, Knob.DT, Knob.PRECISION),
    )

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        scene = testbed.scene(Equations)

        def step(state: Any, inputs: Any, index: Any, dt: Any) -> Any:
            q, v = state
            v = v + dt * scene.acceleration(q, v, inputs, index * dt, jnp)
            return q + dt * v, v

        return Program(
            lambda x, dt: scene.start(x, jnp), step, lambda s, x: scene.outputs(s[0], s[1], x, jnp)
        )


def test_engines_that_keep_to_the_contract_pass() -> None:
    check_engine(Good(), [BOWL, SPRING])
    check_engine(Euler(), [SPRING, BOWL])


def problems(engine: AbstractEngine, *testbeds: Testbed) -> str:
    with pytest.raises(AssertionError) as error:
        check_engine(engine, testbeds or [BOWL])
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ReturnsNan", "bowl: value_and_grad, gradient of 'q', returned nan at the nominal inputs"),
        ("WrongShape", "bowl: value_and_grad returned a gradient of shape (3,) for input 'q'"),
        ("MissingName", "bowl: value_and_grad returned no gradient for input 'v'"),
        ("Raises", "bowl: raises ValueError: no such joint: left_knee"),
        ("RaisesInSetUp", "bowl: simulate raises RuntimeError: no licence file, not Unsupported"),
        ("Refuses", "the engine refuses all of bowl"),
    ],
)
def test_misbehaving_engines(name: str, text: str) -> None:
    found = problems(loaded(name)())
    assert any(line.startswith(text) for line in found.splitlines()[1:])


class Forgetful(Good):  # type: ignore[misc]
    card = EngineCard(name="", version="", abilities=(Ability.STEPS, Ability.COMPLEX), knobs=())


def test_an_empty_card_and_false_claims() -> None:
    found = problems(Forgetful()).splitlines()
    assert "the card has no name" in found
    assert "the card does not state retention" in found
    assert any("this engine does not evaluate complex inputs" in line for line in found)


def variant(**methods: Callable[..., Any]) -> AbstractEngine:
    """`Good` with a simulation whose methods are replaced."""
    made = type("Variant", (Bowl,), dict(methods))
    engine: AbstractEngine = type("Engine", (Good,), {"simulation": made})()
    return engine


def shifted(self: Any, inputs: Inputs) -> tuple[float, Gradient]:
    return self.value(inputs) + 1e-6, {"q": 2 * inputs["q"], "v": np.ones(1)}


def random(self: Any, inputs: Inputs) -> float:
    return float(np.random.default_rng().normal())


def lazy_batch(self: Any, batch: Inputs) -> Array:
    return np.full(len(batch["q"]), 0.58 + 0.5)


def narrow(self: Any, inputs: Inputs) -> tuple[float, Gradient]:
    return self.value(inputs), {"q": (2 * inputs["q"]).astype(np.float32), "v": np.ones(1)}


def overwriting(self: Any, inputs: Inputs) -> float:
    value = float(np.sum(inputs["q"] ** 2) + np.sum(inputs["v"]))
    inputs["q"][0] = 0.0
    return value


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        (variant(value_and_grad=shifted), "the forward pass changes"),
        (variant(value=random), "value is not repeatable"),
        (variant(values=lazy_batch), "values of a batch differ from value one by one"),
        (variant(value_and_grad=narrow), "the gradient by 'q' is float32"),
        (variant(value=overwriting), "the input 'q' is changed in place"),
    ],
)
def test_false_numbers(engine: AbstractEngine, text: str) -> None:
    assert text in problems(engine)


class Greedy(Good):  # type: ignore[misc]
    """Takes every scene and every setting."""

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        made: AbstractSimulation = Bowl()
        return made


def test_foreign_scenes_and_undeclared_knobs_must_be_refused() -> None:
    found = problems(Greedy())
    assert "a foreign scene is not refused: raise Unsupported" in found
    assert "the knob 'precision' is not declared, yet float32 is not refused" in found


class ShortSighted(Euler):
    """Declares a knob that it does not turn."""

    def simulate(self, testbed: Testbed, settings: Settings) -> Any:
        return super().simulate(testbed, settings.model_copy(update={"steps": None}))


def test_a_knob_must_turn() -> None:
    assert "with steps = 10, the trajectory has 20 steps" in problems(ShortSighted(), SPRING)
