"""The backward pass over the steps of real engines, with and without remedies."""

import functools

import numpy as np
import pytest
from pydantic import TypeAdapter

import gradcheck
from gradcheck.engine import Array, BadInput
from gradcheck.remedies import (
    Effect,
    MedianClip,
    Remedy,
    StiffnessSchedule,
    Truncation,
    backward,
    clip,
    described,
)

STEPS, BATCH, N = 40, 6, 4
CLIP = MedianClip(factor=10)
LOSS = np.array([1.0, 0.5, 0.0, 0.0])
ENGINES = ("equations", "mujoco")


@functools.cache
def jacobians(engine: str) -> Array:
    """[STEPS, n, n] along the nominal rollout of the double pendulum, whose inputs are its state
    and whose loss is linear in it."""
    swing = gradcheck.simulate(engine, "double_pendulum", steps=STEPS)
    return swing.simulation.step_jacobians(swing.inputs)


@functools.cache
def batch_of_jacobians() -> Array:
    """[STEPS, BATCH, n, n]: a rollout a sample, each from a start of its own."""
    swing = gradcheck.simulate("equations", "double_pendulum", steps=STEPS)
    starts = swing.inputs["qpos"] + np.random.default_rng(0).normal(0, 0.5, (BATCH, 2))
    found = [swing.simulation.step_jacobians({**swing.inputs, "qpos": q}) for q in starts]
    return np.stack(found, axis=1)


def losses(batch: int = BATCH) -> Array:
    return np.tile(LOSS, (batch, 1))


def product(jacobian: Array, rows: Array) -> Array:
    return np.asarray(rows @ jacobian)


def plain(steps: Array, cotangents: Array) -> Array:
    """The recursion as any engine writes it."""
    for step in steps[::-1]:
        cotangents = (cotangents[:, None, :] @ step)[:, 0, :]
    return cotangents


@pytest.mark.parametrize("engine", ENGINES)
def test_without_remedies_it_is_the_engines_own_gradient(engine: str) -> None:
    swing = gradcheck.simulate(engine, "double_pendulum", steps=STEPS)
    _, gradient = swing.value_and_grad()
    found = backward(jacobians(engine), losses(1)).cotangents
    assert len(found) == STEPS + 1
    assert found[0][0] == pytest.approx(
        np.concatenate([gradient["qpos"], gradient["qvel"]]), rel=1e-9
    )


def test_without_remedies_it_is_the_plain_recursion_bit_for_bit() -> None:
    found = backward(batch_of_jacobians(), losses())
    assert np.array_equal(found.cotangents[0], plain(batch_of_jacobians(), losses()))
    assert found.effects() == ()


def test_remedies_that_have_nothing_to_do_change_no_bit() -> None:
    remedies = (MedianClip(factor=1e9), Truncation(every=STEPS), Truncation(last=STEPS))
    found = backward(batch_of_jacobians(), losses(), remedies)
    assert np.array_equal(found.cotangents[0], plain(batch_of_jacobians(), losses()))
    assert [one.changed for one in found.effects()] == [0, 0, 0]


def test_one_trajectory_a_trajectory_a_sample_and_functions_are_the_same() -> None:
    shared = jacobians("equations")
    cotangents = (
        np.random.default_rng(1).normal(size=(BATCH, N)) * np.logspace(0, 4, BATCH)[:, None]
    )
    forms = [
        backward(shared, cotangents, [CLIP]),
        backward(np.repeat(shared[:, None], BATCH, axis=1), cotangents, [CLIP]),
        backward([functools.partial(product, a) for a in shared], cotangents, [CLIP]),
    ]
    for form in forms[1:]:
        assert form.cotangents[0] == pytest.approx(forms[0].cotangents[0], rel=1e-12)
        assert form.effects() == forms[0].effects()


def test_every_step_is_clipped() -> None:
    """What comes out of each step is clipped, before the next step gets it."""
    steps = batch_of_jacobians().copy()
    steps[20, 1] *= 1e8
    steps[10, 4] *= 1e8
    found = backward(steps, losses(), [CLIP]).cotangents
    for t in range(STEPS):
        out = (found[t + 1][:, None, :] @ steps[t])[:, 0, :]
        assert np.array_equal(found[t], clip(out, CLIP.factor).parts[0])


@pytest.mark.parametrize("factor", [1e6, 1e200, np.nan, np.inf])
def test_one_explosion_is_bounded_and_leaves_the_others_bit_for_bit(factor: float) -> None:
    steps = batch_of_jacobians().copy()
    steps[20, 1] *= factor
    with np.errstate(invalid="ignore"):
        without = backward(steps, losses())
        found = backward(steps, losses(), [CLIP])
    others = np.arange(BATCH) != 1
    assert np.array_equal(found.cotangents[0][others], without.cotangents[0][others])
    (effect,) = found.effects()
    assert effect.total == STEPS * BATCH
    if np.isfinite(factor):
        assert abs(without.cotangents[0][1]).max() > 1e5
        assert abs(found.cotangents[0][1]).max() < 1e3
        assert effect.changed >= 1
        assert effect.non_finite == 0
    else:
        assert not np.isfinite(without.cotangents[0][1]).any()
        assert not found.cotangents[0][1].any()
        assert (effect.changed, effect.non_finite) == (0, 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_last_steps_have_the_gradient_of_the_shortened_horizon(engine: str) -> None:
    """That of a rollout of k steps, which starts where the long one is k steps before its end."""
    k = 7
    swing = gradcheck.simulate(engine, "double_pendulum", steps=STEPS)
    state = swing.simulation.trajectory(swing.inputs)[STEPS - k]
    short = gradcheck.simulate(engine, "double_pendulum", steps=k)
    _, gradient = short.value_and_grad({"qpos": state[:2], "qvel": state[2:]})
    steps = jacobians(engine)
    found = backward(steps, losses(1), [Truncation(last=k)]).cotangents
    at_the_cut = found[STEPS - k + 1] @ steps[STEPS - k]
    expected = np.concatenate([gradient["qpos"], gradient["qvel"]])
    # MuJoCo's own differences of a step start from another warm start here.
    assert at_the_cut[0] == pytest.approx(expected, rel=1e-6 if engine == "mujoco" else 1e-12)
    whole = backward(steps, losses(1)).cotangents
    assert all(np.array_equal(a, b) for a, b in zip(found[-k:], whole[-k:], strict=True))
    assert not any(one.any() for one in found[: STEPS - k + 1])


def test_segments_have_the_gradients_of_rollouts_of_their_own() -> None:
    k, steps = 15, batch_of_jacobians()
    along = {t: losses() * (t + 1) for t in (3, 15, 20, 30)}
    found = backward(steps, losses(), [Truncation(every=k)], along).cotangents
    for begin in range(0, STEPS, k):
        end = min(begin + k, STEPS)
        last = along.get(end, np.zeros((BATCH, N))) if end < STEPS else losses()
        inner = {t - begin: loss for t, loss in along.items() if begin < t < end}
        alone = backward(steps[begin:end], last, (), inner).cotangents
        for t in range(begin + 1, end + 1):
            assert np.array_equal(found[t], alone[t - begin]), t
    assert np.array_equal(found[15], along[15])


def test_steps_before_a_cut_are_not_asked() -> None:
    asked = []

    def pull(t: int, rows: Array) -> Array:
        asked.append(t)
        return rows

    functions = [functools.partial(pull, t) for t in range(10)]
    found = backward(functions, losses(), [Truncation(last=3)])
    assert asked == [9, 8, 7]
    assert not found.cotangents[0].any()
    assert found.effects()[0].changed == BATCH
    asked.clear()
    backward(functions, losses(), [Truncation(last=3)], {2: losses()})
    assert asked == [9, 8, 7, 1, 0]


def test_losses_along_the_way_are_added_to_what_was_clipped() -> None:
    steps = np.tile(np.eye(1), (2, 1, 1))
    cotangent = np.array([[1.0], [1.0], [1000.0]])
    found = backward(steps, cotangent, [CLIP], {1: np.full((3, 1), 5.0)}).cotangents
    assert found[1][:, 0].tolist() == [6.0, 6.0, 15.0]


def test_effects_are_records_that_say_what_was_on() -> None:
    steps = batch_of_jacobians().copy()
    steps[20, 2] *= 1e9
    steps[20, 3] *= np.nan
    remedies: list[MedianClip | Truncation] = [CLIP, Truncation(last=20)]
    effects = backward(steps, losses(), remedies).effects()
    assert [Effect.model_validate_json(one.model_dump_json()) for one in effects] == list(effects)
    assert [one.describe() for one in effects] == [
        "per-sample clipping at 10 x the median norm of the batch, every backward step: "
        "1 of 240 cotangents changed, 1 not finite set to zero",
        "truncation: gradient through the last 20 steps only: 5 of 240 cotangents changed",
    ]


def test_every_remedy_is_told_by_its_kind() -> None:
    adapter: TypeAdapter[Remedy] = TypeAdapter(Remedy)
    every: list[Remedy] = [CLIP, Truncation(every=2), StiffnessSchedule(iterations=5)]
    assert [adapter.validate_json(adapter.dump_json(one)) for one in every] == every
    assert described(every[:2]) == f"{CLIP.describe()}; truncation: gradient cut every 2 steps"
    assert described([]) == "none"


def test_what_does_not_fit_is_refused() -> None:
    steps = batch_of_jacobians()
    with pytest.raises(BadInput, match=r"cotangent has shape \(4,\)"):
        backward(steps, LOSS)
    with pytest.raises(BadInput, match=r"Jacobians have shape .*give \[T, 4, 4\]"):
        backward(steps, losses(2))
    with pytest.raises(BadInput, match=r"pullbacks are no functions"):
        backward(list(steps), losses())
    with pytest.raises(BadInput, match=r"along\[40\].*the loss of the last state is `cotangent`"):
        backward(steps, losses(), along={STEPS: losses()})
    with pytest.raises(BadInput, match=r"stiffness schedule.*does not act on a backward pass"):
        backward(steps, losses(), [StiffnessSchedule(iterations=5)])  # type: ignore[list-item]
