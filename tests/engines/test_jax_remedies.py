"""Remedies inside rollouts of real engines under `jax.grad`."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gradcheck
from gradcheck import registry
from gradcheck.engine import Array, BadInput, Settings
from gradcheck.engines.equations import EquationsEngine
from gradcheck.engines.jax_remedies import new_tally, remedied, tallied
from gradcheck.remedies import MedianClip, StiffnessSchedule, Truncation, backward

Remedies = Sequence[MedianClip | Truncation]
Rollout = Callable[..., Any]
CLIP = MedianClip(factor=10)
PENDULUM = registry.testbed("double_pendulum")
PROGRAM = EquationsEngine().program(PENDULUM, Settings())


def starts(batch: int, spread: float = 0.5) -> Array:
    return PENDULUM.nominal()["qpos"] + np.random.default_rng(0).normal(0, spread, (batch, 2))


def loss(
    qpos: jax.Array,
    tally: jax.Array | None = None,
    *,
    remedies: Remedies = (),
    steps: int = 40,
    wrap: Callable[[Any], Any] = lambda body: body,
) -> jax.Array:
    """The sum over a batch of double pendulums [batch, 2] of what the testbed weighs."""
    dt = jnp.asarray(PENDULUM.dt, qpos.dtype)
    advance = jax.vmap(PROGRAM.step, (0, None, None, None))

    def body(state: Any, index: jax.Array) -> tuple[Any, None]:
        state = remedied(state, remedies, index=index, steps=steps, tally=tally)
        after = advance(state, {}, index, dt)
        return jax.tree.map(lambda leaf: leaf.astype(qpos.dtype), after), None

    (q, _), _ = jax.lax.scan(wrap(body), (qpos, jnp.zeros_like(qpos)), jnp.arange(steps))
    return jnp.sum(q @ jnp.asarray(PENDULUM.weights[:2], qpos.dtype))


def gradient(qpos: Array, **choices: Any) -> Array:
    return np.asarray(jax.jit(jax.grad(functools.partial(loss, **choices)))(jnp.asarray(qpos)))


def test_without_remedies_it_is_the_state_itself() -> None:
    state = (jnp.ones((3, 2)), jnp.ones(()))
    assert remedied(state, ()) is state


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_remedies_with_nothing_to_do_change_no_bit(dtype: Any) -> None:
    qpos = starts(6).astype(dtype)
    remedies = (MedianClip(factor=1e9), Truncation(every=40), Truncation(last=40))
    found, without = gradient(qpos, remedies=remedies), gradient(qpos)
    assert found.dtype == dtype
    assert np.array_equal(found, without)
    assert loss(jnp.asarray(qpos), remedies=[CLIP]) == loss(jnp.asarray(qpos))


@pytest.mark.parametrize(
    "remedies",
    [
        [MedianClip(factor=1.1)],
        [Truncation(every=15)],
        [Truncation(last=25)],
        [MedianClip(factor=1.1), Truncation(last=39)],
    ],
)
def test_it_is_what_the_backward_pass_over_steps_computes(remedies: Remedies) -> None:
    """The gradient by the state that enters the first step, and what was counted on the way."""
    steps, qpos = 40, starts(5)
    swing = gradcheck.simulate("equations", "double_pendulum", steps=steps)
    jacobians = np.stack(
        [swing.simulation.step_jacobians({**swing.inputs, "qpos": one}) for one in qpos], axis=1
    )
    expected = backward(jacobians, np.tile(PENDULUM.weights, (5, 1)), remedies)
    counted = jax.jit(jax.grad(functools.partial(loss, remedies=remedies), argnums=(0, 1)))
    found, counts = counted(jnp.asarray(qpos), new_tally(remedies))
    assert np.asarray(found) == pytest.approx(expected.cotangents[0][:, :2], rel=1e-10)
    assert tallied(remedies, counts, 5, steps) == expected.effects()
    assert expected.effects()[0].changed > 0


def test_checkpointed_is_the_same() -> None:
    qpos, remedies = starts(5), [MedianClip(factor=1.1)]
    found = gradient(qpos, remedies=remedies)
    again = gradient(qpos, remedies=remedies, wrap=jax.checkpoint)
    assert again == pytest.approx(found, rel=1e-12)
    assert not np.allclose(found, gradient(qpos))


@pytest.mark.parametrize("form", ["last", "every"])
def test_truncated_gradient_by_controls_is_that_of_the_shortened_horizon(form: str) -> None:
    """Of the last k steps (and here also the last segment), from a state that is held constant."""
    steps, k = 6, 2

    def roll(state: Any, controls: jax.Array, remedies: Remedies) -> jax.Array:
        for t in range(len(controls)):
            q, v = remedied(state, remedies, index=t, steps=len(controls))
            v = v + 0.1 * (controls[t] - jnp.sin(q))
            state = (q + 0.1 * v, v)
        return jnp.sum(state[0] ** 2)

    first = (jnp.linspace(0.1, 2, 3)[:, None], jnp.zeros((3, 1)))
    controls = jnp.asarray(np.random.default_rng(0).normal(size=(steps, 3, 1)))
    truncation = Truncation(**{form: k})
    found = jax.grad(roll, argnums=1)(first, controls, [truncation])
    state = first
    for t in range(steps - k):
        v = state[1] + 0.1 * (controls[t] - jnp.sin(state[0]))
        state = (state[0] + 0.1 * v, v)
    short = jax.grad(roll, argnums=1)(state, controls[steps - k :], [])
    assert np.asarray(found[steps - k :]) == pytest.approx(np.asarray(short), rel=1e-14)
    assert not np.asarray(found[: steps - k]).any()
    assert np.asarray(jax.grad(roll, argnums=1)(first, controls, [])[: steps - k]).all()


def test_a_sample_that_is_not_finite_is_zeroed_and_counted() -> None:
    """The derivative of the root at 0 is infinite."""

    def rooted(x: jax.Array, tally: jax.Array) -> jax.Array:
        return jnp.sum(jnp.sqrt(remedied(x, [CLIP], tally=tally)))

    x = jnp.asarray([[0.0], [1.0], [4.0]])
    by_x, counts = jax.grad(rooted, argnums=(0, 1))(x, new_tally([CLIP]))
    assert by_x[:, 0].tolist() == [0.0, 0.5, 0.25]
    (effect,) = tallied([CLIP], counts, 3, 1)
    assert (effect.changed, effect.non_finite, effect.total) == (0, 1, 3)


def test_leaves_without_a_gradient_pass() -> None:
    state = {"q": jnp.ones((3, 2)), "count": jnp.asarray(7), "key": jax.random.key(0), "n": 2}
    after = remedied(state, [CLIP])
    assert after["count"] is state["count"]
    assert after["key"] is state["key"]
    assert after["n"] == 2
    scale = jnp.asarray([[1.0], [1.0], [1e6]])
    by_q = jax.grad(lambda q: jnp.sum(scale * remedied({**state, "q": q}, [CLIP])["q"]))(state["q"])
    assert np.asarray(by_q) == pytest.approx(np.array([[1, 1], [1, 1], [10, 10]]))


def test_clipping_bounds_the_variance_of_an_explosive_rollout() -> None:
    """Chaotic double pendulums from spread starts: a few gradients are hundreds of times the
    median, and their mean over the batch is that of those few."""
    qpos, steps = starts(64), 500
    without = gradient(qpos, steps=steps)
    clipped = gradient(qpos, steps=steps, remedies=[CLIP])
    norms = np.linalg.norm(without, axis=1)
    middle = np.argsort(norms)[31]
    assert norms.max() > 200 * norms[middle]
    assert np.linalg.norm(clipped, axis=1).max() < 0.05 * norms.max()
    assert clipped.var(axis=0).sum() < 0.02 * without.var(axis=0).sum()
    same = np.all(clipped == without, axis=1)
    assert same[middle]
    assert same.sum() > 32


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ((jnp.ones((3, 2)), jnp.ones(())), "same leading batch"),
        ((jnp.ones((3, 2)), jnp.ones((2, 2))), "same leading batch"),
        ((jnp.ones((0, 2)),), "same leading batch"),
        ((jnp.asarray(3),), "no floating arrays"),
    ],
)
def test_a_state_without_a_batch_is_refused(state: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        remedied(state, [CLIP])


def test_what_cannot_act_here_is_refused() -> None:
    with pytest.raises(BadInput, match="needs `index`"):
        remedied(jnp.ones((3, 2)), [Truncation(every=2)])
    with pytest.raises(BadInput, match="needs `steps`"):
        jax.grad(lambda x: remedied(x, [Truncation(last=2)], index=1).sum())(jnp.ones((3, 2)))
    with pytest.raises(BadInput, match="does not act on a backward pass"):
        remedied(jnp.ones((3, 2)), [StiffnessSchedule(iterations=5)])  # type: ignore[list-item]
