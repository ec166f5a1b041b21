"""Functions of the user as engines: names, values and gradients against their closed forms."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gradcheck.engine import (
    Ability,
    AbstractSimulation,
    Array,
    BadInput,
    Inputs,
    Settings,
    Unsupported,
)
from gradcheck.engines.argument import Argument
from gradcheck.engines.function import FunctionEngine, function_engine

TREE: dict[str, Any] = {
    "q": np.array([0.3, -0.7]),
    "body": {"mass": 2.0, "count": 3},
    "pair": (1.5, np.ones((2, 1))),
}
NAMES = {"q", "body.mass", "pair.0", "pair.1"}


def simulation(engine: FunctionEngine, **settings: Any) -> AbstractSimulation:
    return engine.simulate(engine.testbed, Settings(**settings))


def energy(x: Any) -> Any:
    """mass * count * |q|² + pair[0] * sum(pair[1]), for JAX arrays and NumPy arrays."""
    xp = jnp if isinstance(x["q"], jax.Array) else np
    body = x["body"]
    return body["mass"] * body["count"] * xp.sum(x["q"] ** 2) + x["pair"][0] * xp.sum(x["pair"][1])


def energy_gradient(x: Any) -> Any:
    body = x["body"]
    return {
        "q": 2 * body["mass"] * body["count"] * x["q"],
        "body": {"mass": body["count"] * float(np.sum(x["q"] ** 2)), "count": None},
        "pair": (float(np.sum(x["pair"][1])), x["pair"][0] * np.ones((2, 1))),
    }


def test_names_and_shapes_of_a_tree() -> None:
    argument = Argument.of(TREE)
    arrays = argument.arrays()
    assert arrays.keys() == NAMES
    assert arrays["pair.1"].shape == (2, 1)
    built = argument.rebuild({name: array + 1 for name, array in arrays.items()})
    assert built["body"] == {"mass": 3.0, "count": 3}
    assert isinstance(built["body"]["mass"], float)
    np.testing.assert_array_equal(built["q"], TREE["q"] + 1)


@pytest.mark.parametrize("gradient", [None, energy_gradient], ids=["JAX", "by hand"])
def test_a_tree_of_inputs(gradient: Any) -> None:
    engine = function_engine(energy, TREE, gradient, None)
    inputs = engine.testbed.nominal()
    value, found = simulation(engine).value_and_grad(inputs)
    assert value == pytest.approx(2 * 3 * 0.58 + 1.5 * 2, rel=1e-15)
    assert found.keys() == NAMES
    np.testing.assert_allclose(found["q"], 12 * TREE["q"], rtol=1e-15)
    assert float(found["body.mass"]) == pytest.approx(3 * 0.58, rel=1e-15)
    np.testing.assert_allclose(found["pair.1"], [[1.5], [1.5]], rtol=1e-15)
    assert engine.testbed.name == "energy"


def curved(x: Any) -> Any:
    return jnp.sum(jnp.sin(x) ** 2) * x[0]


def test_batches_and_forward_mode_agree_with_single_calls() -> None:
    engine = function_engine(curved, np.array([0.4, 1.1]), None, None)
    assert set(engine.card.abilities) == {
        Ability.BATCH,
        Ability.FORWARD_MODE,
        Ability.STRUCTURE,
    }
    one = simulation(engine)
    batch = {"x": np.linspace(-1, 1, 140).reshape(70, 2)}  # more than one chunk
    values, gradients = one.values_and_grads(batch)
    singles = [one.value_and_grad({"x": row}) for row in batch["x"]]
    np.testing.assert_allclose(values, [value for value, _ in singles], rtol=1e-14)
    np.testing.assert_allclose(one.values(batch), values, rtol=1e-14)
    np.testing.assert_allclose(gradients["x"], [g["x"] for _, g in singles], rtol=1e-13, atol=1e-15)
    tangent = np.array([0.5, -2.0])
    slope = one.jvp({"x": batch["x"][0]}, {"x": tangent})
    assert slope == pytest.approx(float(tangent @ singles[0][1]["x"]), rel=1e-13)


def test_float64_inside_and_the_users_precision_outside() -> None:
    before = jax.config.jax_enable_x64  # type: ignore[attr-defined]
    engine = function_engine(lambda x: jnp.sum(x) / 3, np.array([0.1], np.float32), None, "third")
    x = engine.testbed.nominal()
    assert simulation(engine).value(x) == float(np.float32(0.1)) / 3
    narrow = simulation(engine, precision="float32").value(x)
    assert narrow != float(np.float32(0.1)) / 3
    assert narrow == pytest.approx(0.1 / 3, rel=1e-6)
    assert jax.config.jax_enable_x64 == before  # type: ignore[attr-defined]


def test_a_function_that_branches_on_values_runs_untraced() -> None:
    def branching(x: Any) -> Any:
        return x**2 if x > 0 else -x

    engine = function_engine(branching, 3.0, None, None)
    assert engine.card.abilities == ()
    _, gradient = simulation(engine).value_and_grad({"x": np.array(3.0)})
    assert gradient["x"] == 6.0
    values, gradients = simulation(engine).values_and_grads({"x": np.array([3.0, -1.0])})
    np.testing.assert_array_equal(values, [9.0, 1.0])
    np.testing.assert_array_equal(gradients["x"], [6.0, -1.0])


def test_a_custom_rule_without_forward_mode_does_not_claim_it() -> None:
    @jax.custom_vjp
    def square(x: Any) -> Any:
        return x**2

    square.defvjp(lambda x: (x**2, x), lambda x, w: (2 * x * w,))
    engine = function_engine(square, 3.0, None, "square")
    assert Ability.FORWARD_MODE not in engine.card.abilities
    assert Ability.BATCH in engine.card.abilities


def test_a_gradient_by_hand_in_any_library() -> None:
    engine = function_engine(lambda x: math.exp(x), 1.0, lambda x: math.exp(x), "exp")
    value, gradient = simulation(engine).value_and_grad({"x": np.array(0.0)})
    assert (value, float(gradient["x"])) == (1.0, 1.0)


def called(function: Any, x: Any, gradient: Any) -> None:
    engine = function_engine(function, x, gradient, None)
    simulation(engine).value_and_grad(engine.testbed.nominal())


@pytest.mark.parametrize(
    ("function", "x", "gradient", "text"),
    [
        (5, 1.0, None, "f is a int, which cannot be called"),
        (curved, 1, None, "x holds no real numbers"),
        (curved, "a", None, "x holds no real numbers"),
        (curved, np.array([1j]), None, "x is complex"),
        (lambda x: x, np.ones(2), None, r"f returns an array of shape \(2,\)"),
        (lambda x: float(np.sum(x)), np.ones(2), None, "give its gradient as grad="),
        (lambda x: x["a"], {"a": 1.0, "b": 2.0}, lambda x: {"a": 1.0}, "is not built like x"),
    ],
)
def test_what_cannot_be_used(function: Any, x: Any, gradient: Any, text: str) -> None:
    with pytest.raises(BadInput, match=text) as error:
        called(function, x, gradient)
    assert "\n" not in str(error.value)


def test_it_answers_for_no_other_testbed() -> None:
    engine = function_engine(curved, np.ones(2), None, None)
    other = function_engine(curved, np.ones(2), None, None)
    with pytest.raises(Unsupported, match="answers for its own argument"):
        engine.simulate(other.testbed, Settings())
    with pytest.raises(Unsupported, match="no knob 'steps'"):
        engine.simulate(engine.testbed, Settings(steps=2))


def central(one: AbstractSimulation, inputs: Inputs, name: str) -> Array:
    """Central differences at a step of 1e-5, entry by entry."""
    out = np.zeros(np.size(inputs[name]))
    for k in range(out.size):
        shift = np.zeros(out.size)
        shift[k] = 1e-5
        moved = [
            one.value({**inputs, name: inputs[name] + sign * shift.reshape(inputs[name].shape)})
            for sign in (1, -1)
        ]
        out[k] = (moved[0] - moved[1]) / 2e-5
    return out.reshape(np.shape(inputs[name]))


def test_pytorch_functions_and_modules() -> None:
    torch = pytest.importorskip("torch", reason="the extra 'torch' is not installed")
    layer = torch.nn.Linear(2, 1)
    for function, x in [
        (lambda x: torch.sum(torch.sin(x) ** 2), torch.tensor([0.3, 1.2])),
        (torch.nn.Sequential(layer, torch.nn.Tanh()), np.array([0.3, 1.2])),
    ]:
        engine = function_engine(function, x, None, "torch")
        one, inputs = simulation(engine), engine.testbed.nominal()
        _, gradient = one.value_and_grad(inputs)
        np.testing.assert_allclose(gradient["x"], central(one, inputs, "x"), rtol=1e-8)
    assert layer.weight.dtype == torch.float32  # the user's own module is left as it is
    constant = function_engine(lambda x: torch.tensor(1.0), torch.ones(2), None, "constant")
    np.testing.assert_array_equal(
        simulation(constant).value_and_grad(constant.testbed.nominal())[1]["x"], [0.0, 0.0]
    )
    with pytest.raises(BadInput, match=r"convert what it holds by .double\(\)"):
        function_engine(lambda x: (layer(x)).sum(), torch.ones(2), None, "narrow")
