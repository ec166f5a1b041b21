"""The step under JAX's transformations, in both precisions, with and without a batch."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gradcheck.engines import g1
from gradcheck.engines.jax_remedies import remedied
from gradcheck.remedies import Truncation
from tests.engines.g1.hopper import BALL, HOPPER
from tests.engines.g1.states import States, states

BATCH, STEPS = 4, 5


@pytest.fixture(scope="module")
def model() -> g1.Model:
    return g1.load(BALL, dtype="float64")


@pytest.fixture(scope="module")
def some(model: g1.Model) -> States:
    return states(model.structure.mj_model, BATCH, seed=5)


@pytest.fixture(scope="module")
def after(model: g1.Model, some: States) -> g1.State:
    return g1.step(model, g1.state(model, some.qpos, some.qvel), jnp.asarray(some.ctrl))


def close(one: Any, other: Any, tolerance: float = 1e-12) -> None:
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        scale = max(1.0, float(np.abs(b).max(initial=0)))
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale)


def moved(state: g1.State) -> tuple[jax.Array, jax.Array]:
    return state.qpos, state.qvel


def test_without_a_batch(model: g1.Model, some: States, after: g1.State) -> None:
    one = g1.step(model, g1.state(model, some.qpos[2], some.qvel[2]), jnp.asarray(some.ctrl[2]))
    assert one.qpos.shape == (model.nq,)
    close(moved(one), jax.tree.map(lambda x: x[2], moved(after)))


def test_vmap(model: g1.Model, some: States, after: g1.State) -> None:
    start = g1.state(model, some.qpos, some.qvel)
    mapped = jax.vmap(lambda s, u: g1.step(model, s, u))(start, jnp.asarray(some.ctrl))
    close(moved(mapped), moved(after))


def test_float32(model: g1.Model, some: States, after: g1.State) -> None:
    single = g1.load(BALL, dtype="float32")
    start = g1.state(single, some.qpos, some.qvel)
    found = g1.step(single, start, jnp.asarray(some.ctrl, "float32"))
    assert found.qpos.dtype == found.qvel.dtype == jnp.float32
    assert (np.asarray(found.status) == g1.Status.OK).all()
    close(moved(found), moved(after), 1e-4)


def test_scan_is_steps_one_after_another(model: g1.Model, some: States, after: g1.State) -> None:
    start = g1.state(model, some.qpos, some.qvel)
    ctrl = jnp.asarray(some.ctrl)
    current, each = start, []
    for _ in range(STEPS):
        current = g1.step(model, current, ctrl)
        each.append(current.qpos)
    controls = jnp.broadcast_to(ctrl, (STEPS, *ctrl.shape))
    for keep in ("steps", "sqrt"):
        last, path = g1.rollout(model, start, controls, keep=keep)
        close(moved(last), moved(current))
        close(path.qpos, jnp.stack(each))


def test_gradients_of_every_form_agree(model: g1.Model, some: States) -> None:
    """`jax.grad` of the step, `value_and_grad`, and `jax.jvp`, along one direction of qvel."""
    start = g1.state(model, some.qpos, some.qvel)
    ctrl = jnp.asarray(some.ctrl)

    def value(qvel: jax.Array) -> jax.Array:
        moved_ = g1.step(model, dataclasses.replace(start, qvel=qvel), ctrl)
        return jnp.sum(moved_.qvel**2, -1)

    def every(qvel: jax.Array, along: jax.Array) -> Any:
        result = g1.value_and_grad(model, lambda last, _: jnp.sum(last.qvel**2, -1))(
            dataclasses.replace(start, qvel=qvel), ctrl[None]
        )
        plain = jax.grad(lambda v: value(v).sum())(qvel)
        return result.gradient.qvel, plain, jax.jvp(value, (qvel,), (along,))[1]

    along = jnp.asarray(np.random.default_rng(0).standard_normal(start.qvel.shape))
    whole, plain, pushed = jax.jit(every, compiler_options=g1.COMPILER_OPTIONS)(start.qvel, along)
    assert float(jnp.abs(plain).max()) > 0.1
    close(whole, plain)
    close((plain * along).sum(-1), pushed)


def test_the_solver_runs_once_a_gradient(model: g1.Model, some: States) -> None:
    """Its answer is kept for the backward pass, which computes the rest of the step again."""
    start = g1.state(model, some.qpos, some.qvel)
    controls = jnp.asarray(some.ctrl)[None]

    def loss(qvel: jax.Array) -> jax.Array:
        last, _ = g1.rollout(model, dataclasses.replace(start, qvel=qvel), controls)
        return (last.qpos**2).sum()

    def loops(function: Any) -> int:
        return str(jax.make_jaxpr(function)(start.qvel)).count("while[")

    assert loops(loss) > 0
    assert loops(jax.grad(loss)) == loops(loss)


def test_a_control_at_the_end_of_its_range_has_its_gradient_and_beyond_it_none() -> None:
    hopper = g1.load(HOPPER, dtype="float64")
    start = g1.state(hopper, [0, 0, 5, 1, 0, 0, 0, 0], batch=4)

    def speed(ctrl: jax.Array) -> tuple[jax.Array, jax.Array]:
        after = g1.step(hopper, start, ctrl)
        return after.qvel[:, 6].sum(), after.status

    given = jnp.array([[0.5], [1.0], [1.0 + 1e-9], [-1.0]])
    slope, flags = jax.jit(jax.grad(speed, has_aux=True))(given)
    inner = slope[0, 0]
    assert inner > 0.1
    close(slope[:, 0], jnp.array([inner, inner, 0, inner]))
    assert flags.tolist() == [0, 0, g1.Status.CONTROL, 0]


ALONE = ("ctrl", "qvel", "body_mass", "dof_damping", "friction")


def test_one_input_alone_is_differentiated_as_with_all_others() -> None:
    """Most of the equations do not depend on a control or a parameter."""
    model = g1.load(HOPPER, dtype="float64")
    some = states(model.structure.mj_model, BATCH, seed=5)
    some.qpos[0, 2] = 5.0
    start = g1.state(model, some.qpos, some.qvel)
    inputs = {
        "qpos": start.qpos,
        "qvel": start.qvel,
        "ctrl": jnp.asarray(some.ctrl),
        **{name: getattr(model.parameters, name) for name in ALONE[2:]},
    }

    def value(changed: dict[str, jax.Array]) -> jax.Array:
        given = inputs | changed
        here = dataclasses.replace(start, qpos=given.pop("qpos"), qvel=given.pop("qvel"))
        ctrl = given.pop("ctrl")
        after = g1.step(model.with_parameters(**given), here, ctrl)
        return jnp.sum(after.qpos**2) + jnp.sum(after.qvel**2)

    def every() -> Any:
        return jax.grad(value)(inputs), {
            name: jax.grad(lambda x, name=name: value({name: x}))(inputs[name]) for name in ALONE
        }

    whole, alone = jax.jit(every, compiler_options=g1.COMPILER_OPTIONS)()
    for name in ALONE:
        assert bool(jnp.any(whole[name] != 0)), name
        close(alone[name], whole[name])


def test_remedies_act_on_the_state_that_enters_a_step() -> None:
    model = g1.load(HOPPER, dtype="float64")
    some = states(model.structure.mj_model, BATCH, seed=5)
    start = g1.state(model, some.qpos, some.qvel)
    controls = jnp.broadcast_to(jnp.asarray(some.ctrl), (3, BATCH, model.nu))

    def gradient(remedies: list[Truncation]) -> g1.Gradient:
        def entering(state: g1.State, index: jax.Array) -> g1.State:
            made: g1.State = remedied(state, remedies, index=index)
            return made

        def loss(last: g1.State, _: g1.State) -> jax.Array:
            return jnp.sum(last.qvel**2, -1)

        return g1.value_and_grad(model, loss, entering=entering)(start, controls).gradient

    plain, cut = gradient([]), gradient([Truncation(every=2)])
    close(cut.controls[2], plain.controls[2])
    for none in (cut.qpos, cut.qvel, cut.controls[:2]):
        assert not jnp.any(none)
    assert jnp.all(jnp.any(plain.controls != 0, (1, 2)))


def test_parameters_are_replaced_by_name(model: g1.Model, some: States) -> None:
    """As one number, an array, or one a world; the rows have the names of the MJCF."""
    assert model.labels("body_mass") == ("world", "ball")
    assert model.labels("friction") == ("ball on ground",)
    assert len(model.labels("dof_damping")) == model.nv
    heavy = model.with_parameters(body_mass=[0, 6.0], friction=0.5)
    assert heavy.parameters.friction.tolist() == [0.5]
    assert heavy.parameters.solref is model.parameters.solref
    each = model.with_parameters(body_mass=np.array([[0, 3.0], [0, 6.0]]))
    start = g1.state(model, some.qpos[:1], some.qvel[:1])
    pair = g1.state(model, np.repeat(some.qpos[:1], 2, 0), np.repeat(some.qvel[:1], 2, 0))
    ctrl = jnp.zeros((2, model.nu))
    found = g1.step(each, pair, ctrl)
    for row, of in enumerate((model, model.with_parameters(body_mass=[0, 6.0]))):
        close(found.qvel[row : row + 1], g1.step(of, start, ctrl[:1]).qvel)
    assert not np.allclose(found.qvel[0], found.qvel[1])


def test_names_of_a_robots_parameters() -> None:
    hopper = g1.load(HOPPER)
    assert hopper.labels("dof_damping")[-2:] == ("root.wz", "hip")
    assert hopper.labels("actuator_gainprm") == ("hip",)
    assert hopper.labels("solref") == ("trunk on ground", "shin on ground")
    assert hopper.ctrl_range.tolist() == [[-1, 1]]


def test_second_derivatives_are_those_of_the_gradient(model: g1.Model) -> None:
    """Of a ball that slides on the ground, by height, spin and friction."""
    start = g1.state(model, [0, 0, 0.095, 1, 0, 0, 0], [1.0, 0.3, -0.2, 0, 2.0, 0])

    def value(x: jax.Array) -> jax.Array:
        here = dataclasses.replace(
            start, qpos=start.qpos.at[2].add(x[0]), qvel=start.qvel.at[4].add(x[1])
        )
        slippery = model.with_parameters(friction=0.3 + x[2:])
        return jnp.sum(g1.step(slippery, here, jnp.zeros(0)).qvel[:5] ** 2)

    def both(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jax.grad(value)(x), jax.hessian(value)(x)

    compiled = jax.jit(both, compiler_options=g1.COMPILER_OPTIONS)
    found = np.asarray(compiled(jnp.zeros(3))[1])
    h = 1e-6
    moves = h * np.eye(3)
    expected = [(compiled(one)[0] - compiled(-one)[0]) / (2 * h) for one in moves]
    assert (np.abs(np.diag(found)[[0, 2]]) > 1e-3).all()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * np.abs(found).max())
