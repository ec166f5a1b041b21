"""What JAX and PyTorch show of how a computation is differentiated."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gradcheck.engine import Ability, Settings
from gradcheck.engines.function import function_engine
from gradcheck.engines.jax_structure import structure
from gradcheck.engines.retained import Keep
from gradcheck.engines.spring_chain import CELLS, SpringChain
from gradcheck.structure import Structure
from gradcheck.subject import Subject
from gradcheck.testbeds.spring_chain import TESTBED


@jax.custom_vjp
def halved(x: jax.Array) -> jax.Array:
    return x / 2 + jnp.sin(x)


halved.defvjp(lambda x: (halved(x), x), lambda x, c: (c * (0.5 + jnp.cos(x)),))


def of(function: Any, x: Any = 1.0) -> Structure:
    return structure(jax.make_jaxpr(function)(x), "JAX jaxpr of a test")


def test_a_rule_of_ones_own_is_named_with_what_it_stands_for() -> None:
    found = of(lambda x: halved(x) * 3 - 1)
    assert found.rules == {"halved (test_structure.py:20)": 3}
    assert found.operations == 5
    assert found.share == pytest.approx(3 / 5)


def test_rules_of_the_framework_are_not_ones_own() -> None:
    assert of(lambda x: jax.nn.relu(x) + jax.nn.softplus(x)).rules == {}


def test_inside_loops_and_jitted_parts() -> None:
    def looped(x: jax.Array) -> jax.Array:
        found: jax.Array = jax.lax.fori_loop(0, 3, lambda _, y: jax.jit(halved)(y), x)
        return found

    assert sum(of(looped).rules.values()) == 3


def test_linear_solves_and_what_is_computed_again() -> None:
    found = of(jax.checkpoint(lambda a: jnp.linalg.solve(a, jnp.ones(2)).sum()), np.eye(2))
    assert found.solves == {"custom_linear_solve": 1}
    assert found.recomputed == 1
    assert found.rules == {}


@pytest.mark.parametrize("cell", CELLS)
def test_the_cells_of_the_chain(cell: str) -> None:
    simulation = SpringChain(cell, iterations=2).simulate(TESTBED, Settings(steps=4))
    found = simulation.structure(TESTBED.nominal())
    ruled = cell in ("executed-custom", "converged-adjoint", "converged-custom")
    if ruled or cell.startswith("continuous"):
        assert found.share is not None
        assert found.share > 0.9
    elif cell == "executed-adjoint":
        assert [rule.split()[0] for rule in found.rules] == ["by_equation"]
        assert found.share is not None
        assert 0 < found.share < 0.1
    else:
        assert found.rules == {}
    assert bool(found.solves) == (cell != "executed-generated")


def test_how_states_are_kept_is_no_rule() -> None:
    simulation = SpringChain("executed-generated", keep=Keep.RECOMPUTE).simulate(
        TESTBED, Settings(steps=4)
    )
    assert simulation.structure(TESTBED.nominal()).rules == {}


def test_a_graph_of_torch() -> None:
    torch = pytest.importorskip("torch", reason="the extra 'torch' is not installed")
    from gradcheck.engines.torch_structure import structure as of_graph

    class Own(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, cotangent: Any) -> Any:
            return 2 * cotangent

    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    found = of_graph((Own.apply(x) ** 2).sum().grad_fn)
    assert found.rules == {"Own": 0}
    assert found.share is None
    assert found.operations == 3
    plain = of_graph(torch.linalg.solve(torch.diag(x), x).sum().grad_fn)
    assert plain.rules == {}
    assert sum(plain.solves.values()) == 1


def shown(function: Any, x: Any) -> Structure:
    engine = function_engine(function, x, None, "f")
    assert Ability.STRUCTURE in engine.card.abilities
    subject = Subject("f", engine, engine.testbed)
    return subject.simulation().structure(subject.nominal)


def test_functions_of_the_user_show_their_rules() -> None:
    assert len(shown(lambda x: halved(x).sum(), jnp.ones(3)).rules) == 1


def test_functions_of_torch_show_theirs() -> None:
    torch = pytest.importorskip("torch", reason="the extra 'torch' is not installed")
    found = shown(lambda x: x.sin().sum(), torch.ones(3, dtype=torch.float64))
    assert found.operations == 2
    assert found.rules == {}
