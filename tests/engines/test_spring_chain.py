"""The nine cells of the chain: each gradient is exactly that of the object that its card names."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from gradcheck.engine import Array, BadInput, Settings, Unsupported
from gradcheck.engines.chain_force import Law, along, curved, force, pulled, slowed
from gradcheck.engines.chain_step import Implicit, Solver, State, solved
from gradcheck.engines.retained import Keep
from gradcheck.engines.spring_chain import CELLS, SpringChain, law
from gradcheck.taxonomy import Referent
from gradcheck.testbeds import spring_chain as scene

TESTBED = scene.TESTBED
AT = {name: jnp.asarray(value) for name, value in TESTBED.nominal().items()}
LAW = law(AT)
WEIGHTS = jnp.asarray(TESTBED.weights)
FEW = 6
# Of the whole gradient's largest entry in loss per typical change.
EXACT = 1e-9
BUDGETS = ((Solver.NEWTON, 1), (Solver.GAUSS_SEIDEL, 1), (Solver.GAUSS_SEIDEL, 3))


def flat(gradient: Any) -> Array:
    """Per typical change, so that a stiffness counts as a place does."""
    return np.concatenate([np.ravel(gradient[one.name]) * one.scale for one in TESTBED.inputs])


def error(found: Any, expected: Any) -> float:
    one, other = flat(found), flat(expected)
    return float(np.abs(one - other).max() / np.abs(other).max())


def gradient(cell: str, steps: int = FEW, **options: Any) -> dict[str, Array]:
    settings = Settings(steps=steps)
    return (
        SpringChain(cell, **options)
        .simulate(TESTBED, settings)
        .value_and_grad(TESTBED.nominal())[1]
    )


@functools.cache
def of_program(solver: Solver, iterations: int, steps: int = FEW, theta: float = 1.0) -> Any:
    """The derivative of the iterations that run, by forward mode: nothing of it is an adjoint."""
    own = Implicit(scene.CHAIN, solver, iterations, theta)

    def loss(inputs: dict[str, jax.Array]) -> jax.Array:
        dt = jnp.asarray(TESTBED.dt)

        def one(state: State, _: None) -> tuple[State, None]:
            return own.after(state, own.iterate(state, law(inputs), dt, solved), dt), None

        state, _ = jax.lax.scan(one, (inputs["q0"], inputs["v0"]), length=steps)
        return jnp.dot(WEIGHTS, scene.CHAIN.outputs(*state, inputs, jnp))

    return jax.jit(jax.jacfwd(loss))(AT)


# The force's derivatives by hand


@pytest.fixture(scope="module")
def vectors() -> tuple[jax.Array, ...]:
    """A place in contact, and two directions."""
    keys = jax.random.split(jax.random.PRNGKey(0), 2)
    w, x = (jax.random.normal(key, (scene.COUNT, 2)) for key in keys)
    return AT["q0"] - jnp.array([0, 0.28]), AT["v0"], w, x


def close(found: Any, expected: Any) -> None:
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        scale = float(jnp.abs(other).max())
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-13 * scale)


def test_derivatives_of_the_force_by_hand(vectors: tuple[jax.Array, ...]) -> None:
    q, v, w, x = vectors

    def of(q: jax.Array, v: jax.Array, law: Law) -> jax.Array:
        return force(scene.CHAIN, q, v, law)

    def bent(q: jax.Array, law: Law) -> jax.Array:
        return jnp.sum(w * jax.jvp(lambda q: of(q, v, law), (q,), (x,))[1])

    close(pulled(scene.CHAIN, q, v, LAW, w), jax.vjp(of, q, v, LAW)[1](w))
    close(along(scene.CHAIN, q, LAW, x), jax.jvp(lambda q: of(q, v, LAW), (q,), (x,))[1])
    close(slowed(LAW, x), jax.jvp(lambda v: of(q, v, LAW), (v,), (x,))[1])
    close(curved(scene.CHAIN, q, LAW, w, x), jax.grad(bent, (0, 1))(q, LAW))


# Each cell and its own reference


@pytest.mark.parametrize("cell", [name for name in CELLS if name.startswith("executed")])
@pytest.mark.parametrize(("solver", "iterations"), BUDGETS)
def test_executed_cells_at_any_budget(cell: str, solver: Solver, iterations: int) -> None:
    found = gradient(cell, solver=solver, iterations=iterations)
    assert error(found, of_program(solver, iterations)) < EXACT


def test_budgets_leave_the_equation_unsolved() -> None:
    """Else the test above and the next would be of the same number."""
    converged = of_program(Solver.NEWTON, 12)
    for solver, iterations in BUDGETS:
        assert error(of_program(solver, iterations), converged) > 1e-6


@pytest.mark.parametrize("cell", [name for name in CELLS if name.startswith("converged")])
def test_converged_cells_where_the_solve_converges(cell: str) -> None:
    converged = of_program(Solver.NEWTON, 12)
    assert error(gradient(cell, iterations=12), converged) < EXACT
    assert error(gradient(cell, iterations=40, solver=Solver.GAUSS_SEIDEL), converged) < EXACT


@pytest.mark.parametrize("cell", [name for name in CELLS if name.startswith("converged")])
def test_converged_cells_before_that(cell: str) -> None:
    """Neither the program's nor the equation's, but nearer to the equation's with every step."""
    converged = of_program(Solver.NEWTON, 12)
    apart = [
        error(gradient(cell, iterations=k, solver=Solver.GAUSS_SEIDEL), converged)
        for k in (1, 3, 9)
    ]
    assert apart[0] > 1e-3
    assert apart[0] > 3 * apart[1] > 9 * apart[2]


@pytest.mark.parametrize("cell", [name for name in CELLS if name.startswith("continuous")])
def test_continuous_cells(cell: str) -> None:
    """Whatever the step and the budget."""
    horizon = FEW * TESTBED.dt
    jacobian = scene.flow(TESTBED.nominal(), horizon)[1]
    whole = np.asarray(WEIGHTS) @ jacobian
    expected, at = {}, 0
    for one in TESTBED.inputs:
        expected[one.name] = whole[at : at + one.default.size].reshape(one.default.shape)
        at += one.default.size
    for keep in CELLS[cell].keeps:
        for iterations in (1, 8):
            assert error(gradient(cell, keep=keep, iterations=iterations), expected) < EXACT


def test_the_three_references_are_apart() -> None:
    program = of_program(Solver.GAUSS_SEIDEL, 1)
    equation = of_program(Solver.NEWTON, 12)
    motion = gradient("continuous-generated")
    for one, other in ((program, equation), (equation, motion), (motion, program)):
        assert error(one, other) > 1e-3


def test_truth_is_the_motion_by_another_library() -> None:
    nominal = TESTBED.nominal()
    state = np.concatenate([nominal["q0"].ravel(), nominal["v0"].ravel()])
    equations = scene.CHAIN.equations()

    def rate(t: float, y: Array) -> Array:
        q, v = np.split(y, 2)
        return np.concatenate([v, equations.acceleration(q, v, nominal, t, np)])

    found = solve_ivp(rate, (0, scene.HORIZON), state, "Radau", rtol=1e-10, atol=1e-10).y[:, -1]
    assert TESTBED.truth is not None
    np.testing.assert_allclose(TESTBED.truth.outputs(nominal), found, rtol=0, atol=1e-7)


# What is kept


@pytest.mark.parametrize("keep", [keep for keep in Keep if keep is not Keep.NOTHING])
@pytest.mark.parametrize("steps", [1, 7])
def test_retention_does_not_change_the_gradient(keep: Keep, steps: int) -> None:
    theta = 0.5 if keep is Keep.INVERT else 1.0
    options: dict[str, Any] = {"solver": Solver.NEWTON, "iterations": 8, "theta": theta}
    expected = of_program(Solver.NEWTON, 8, steps, theta)
    assert error(gradient("converged-adjoint", steps, keep=keep, **options), expected) < EXACT


def test_inversion_of_an_unsolved_step_is_another_gradient() -> None:
    options: dict[str, Any] = {"solver": Solver.GAUSS_SEIDEL, "iterations": 1, "theta": 0.5}
    stored = gradient("executed-custom", keep=Keep.ALL, **options)
    assert error(gradient("executed-custom", keep=Keep.INVERT, **options), stored) > 1e-4


def bytes_of(cell: str, steps: int, **options: Any) -> float:
    engine = SpringChain(cell, **options)
    engine.chunk = 1
    return engine.simulate(TESTBED, Settings(steps=steps)).memory()[1]


def test_memory_grows_as_what_is_kept() -> None:
    """Bytes a step of the equation's adjoint, from 64 to 256 steps; a state has 128."""

    def growth(keep: Keep) -> float:
        theta = 0.5 if keep is Keep.INVERT else 1.0
        few, many = (
            bytes_of("converged-adjoint", steps, keep=keep, theta=theta, iterations=2)
            for steps in (64, 256)
        )
        return (many - few) / (256 - 64)

    assert growth(Keep.ALL) > 128
    assert growth(Keep.STATES) >= 128
    assert 0 < growth(Keep.BINOMIAL) < growth(Keep.SQRT) < 32
    for keep in (Keep.RECOMPUTE, Keep.INVERT):
        assert growth(keep) == 0


def test_memory_of_the_iterations() -> None:
    two, eight = (bytes_of("executed-generated", 64, iterations=k) for k in (2, 8))
    assert eight > 2 * two
    two, eight = (bytes_of("executed-custom", 64, iterations=k) for k in (2, 8))
    assert eight < 1.3 * two


# Bad input


def test_what_there_is_not() -> None:
    with pytest.raises(BadInput, match="no cell 'executed'"):
        SpringChain("executed")
    with pytest.raises(Unsupported, match="cannot keep 'sqrt'"):
        SpringChain("continuous-adjoint", keep="sqrt")
    with pytest.raises(Unsupported, match="inversion needs theta = 1/2"):
        SpringChain("executed-custom", keep="invert")
    with pytest.raises(BadInput, match="no solver 'jacobi'"):
        SpringChain().simulate(TESTBED, Settings(solver="jacobi"))
    with pytest.raises(BadInput, match="0 iterations solve nothing"):
        SpringChain(iterations=0).simulate(TESTBED, Settings())


def test_cards_name_cell_and_retention() -> None:
    for name, cell in CELLS.items():
        card = SpringChain(name).card
        assert (card.referent, card.realization) == (cell.referent, cell.realization)
        assert card.name == f"spring_chain:{name}"
        assert name.startswith(cell.referent.name.lower())
    assert {cell.referent for cell in CELLS.values()} == set(Referent)
