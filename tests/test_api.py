"""What Python code calls."""

import io
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from rich.console import Console

import gradcheck
from gradcheck import BadInput, Signature, Verdict


def smooth(x: Any) -> Any:
    return jnp.sum(jnp.sin(x["q"]) ** 2) * x["mass"]


def test_a_right_gradient() -> None:
    result = gradcheck.check(smooth, {"q": np.array([0.3, 1.2]), "mass": 2.0})
    assert result.ok
    assert result.verdict is Verdict.PASS
    assert {finding.code for finding in result.findings} >= {"GC201", "GC204", "GC205", "GC206"}
    assert str(result).startswith("smooth: PASS")
    result.raise_if_wrong()


@pytest.mark.parametrize(
    ("factor", "signature"), [(-1.0, Signature.SIGN_FLIP), (2.0, Signature.POWER_OF_TWO)]
)
def test_a_wrong_gradient(factor: float, signature: Signature) -> None:
    result = gradcheck.check(
        lambda x: float(x @ x), np.array([1.0, 2.0]), grad=lambda x: factor * 2 * x, name="norm"
    )
    assert not result.ok
    first = result.findings[0]
    assert (first.code, first.verdict, first.signature) == ("GC201", Verdict.FAIL, signature)
    with pytest.raises(gradcheck.WrongGradient, match="norm: FAIL"):
        result.raise_if_wrong()
    console = Console(file=io.StringIO(), width=200)
    console.print(result)
    assert "GC201" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_wrong_custom_rule_in_jax() -> None:
    @jax.custom_vjp
    def square(x: Any) -> Any:
        return jnp.sum(x**2)

    square.defvjp(lambda x: (square(x), x), lambda x, w: (2.03 * x * w,))
    result = gradcheck.check(square, np.array([1.0, 2.0]), name="square")
    assert {one.code for one in result.findings if one.verdict is Verdict.FAIL} == {"GC201"}


def test_a_function_that_raises_is_an_error_not_a_pass() -> None:
    def failing(x: Any) -> float:
        if abs(float(x)) < 0.99:
            raise ValueError("out of range")
        return float(x)

    result = gradcheck.check(failing, 1.0, grad=lambda x: 1.0)
    assert result.verdict is Verdict.ERROR
    assert "ValueError: out of range" in str(result)


def test_simulate_and_compare() -> None:
    sim = gradcheck.simulate("particles:ideal", "bounce")
    assert sim.value() == sim.value_and_grad()[0]
    name = sim.testbed.inputs[0].name
    found = gradcheck.compare(sim, name, 1)
    assert found.gradient == pytest.approx(found.difference, rel=1e-6)
    assert found.physics == pytest.approx(-found.gradient, rel=0.1)  # no time of impact
    one = gradcheck.compare(sim, name, 1, step=1e-6)
    assert one.difference == pytest.approx(found.difference, rel=1e-6)
    assert one.step == 1e-6
    assert np.isnan(one.uncertainty)
    assert f"{name}[1]: engine " in str(found)


def test_compare_elsewhere() -> None:
    sim = gradcheck.simulate("closed_form", "free_fall")
    name = sim.testbed.inputs[0].name
    at = {name: (np.ravel(sim.inputs[name]) + 1).tolist()}
    found = gradcheck.compare(sim, name, 2, at=at)
    assert found.gradient == pytest.approx(1.0)
    assert found.difference == pytest.approx(1.0)


def test_what_cannot_be_compared() -> None:
    sim = gradcheck.simulate("closed_form", "free_fall")
    name = sim.testbed.inputs[0].name
    with pytest.raises(gradcheck.BadInput, match="free_fall has no input 'nothing'"):
        gradcheck.compare(sim, "nothing", 0)
    with pytest.raises(gradcheck.BadInput, match="has coordinates 0 to 2, not 3"):
        gradcheck.compare(sim, name, 3)
    with pytest.raises(gradcheck.BadInput, match="free_fall has no input 'nothing'"):
        gradcheck.compare(sim, name, 0, at={"nothing": [1.0]})
    with pytest.raises(gradcheck.BadInput, match="wrong setting stepps: the settings are steps, "):
        gradcheck.simulate("closed_form", "free_fall", stepps=3)


def test_a_kink_is_named_and_not_called_wrong() -> None:
    result = gradcheck.check(lambda x: jnp.sum(jnp.abs(x)), np.array([0.0, 1.0]), name="kinked")
    assert not [one for one in result.findings if one.verdict is Verdict.FAIL]
    assert any("left" in one.message for one in result.findings)


def test_a_domain_that_ends_nearby_is_no_defect() -> None:
    result = gradcheck.check(lambda x: jnp.sum(jnp.log(x)), np.array([0.5, 2.0, 3.0]))
    assert result.ok, str(result)


@pytest.mark.parametrize(
    ("function", "gradient", "x", "says"),
    [
        (np.sum, lambda x: 2 * x + 1j, [1.0, 2.0], "complex"),
        (lambda x: sys.exit(0), np.ones_like, [1.0, 2.0], r"calls sys.exit\(0\)"),
        (lambda x: sys.exit(0), None, [1.0, 2.0], r"calls sys.exit\(0\)"),
        (np.sum, lambda x: np.zeros(3), [1.0, 2.0], r"shape \(3,\)"),
        (np.sum, lambda x: None, [1.0, 2.0], "NoneType"),
        (lambda x: None, np.ones_like, [1.0, 2.0], "NoneType"),
        (np.sum, np.ones_like, [], "x is empty"),
        (np.sum, np.ones_like, [np.nan], "NaN or infinity"),
    ],
)
def test_answers_that_are_no_gradient_are_bad_input(
    function: Any, gradient: Any, x: list[float], says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        gradcheck.check(function, np.array(x), gradient)
