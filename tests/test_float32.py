"""Functions that compute in float32, or are given float32 numbers: what `check` says of them."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import gradcheck
from gradcheck import Verdict


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
