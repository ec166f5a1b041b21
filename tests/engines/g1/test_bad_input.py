"""What the simulator does not compute, and what it cannot, is said and never passed over."""

import dataclasses
import functools
import importlib
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
import pytest

from gradcheck.engine import BadInput, Unsupported
from gradcheck.engines import g1
from gradcheck.engines.g1 import solver
from tests.engines.g1.hopper import HOPPER
from tests.engines.g1.states import states

# The package's `rollout` is the function.
ROLLOUT = importlib.import_module("gradcheck.engines.g1.rollout")
SHIN = '<geom name="shin" type="capsule" size="0.03 0.15" pos="0 0 -0.2" euler="0 20 0" mass="1"/>'
HIP = '<joint name="hip" axis="0 1 0" damping="0.2" armature="0.01" range="-40 40"/>'
BATCH, STEPS = 6, 2
# Worlds of the batch that are spoilt in the tests below.
BAD = [1, 4]
GOOD = [0, 2, 3, 5]


def edited(old: str, new: str) -> str:
    assert old in HOPPER
    return HOPPER.replace(old, new)


UNSUPPORTED = {
    "ball joint": (
        edited(HIP, '<joint name="hip" type="ball"/>'),
        "joint 'hip' is a ball joint",
    ),
    "box": (
        edited(SHIN, '<geom name="brick" type="box" size=".1 .1 .1"/>'),
        "'ground' and 'brick': a box against a plane",
    ),
    "ground that is not a plane": (
        edited('type="plane" size="5 5 1"', 'type="box" size="5 5 1" pos="0 0 -1"'),
        "'ground' and 'trunk': contact with the world is computed for planes only",
    ),
    "self-collision": (
        edited('<geom contype="0"/>', '<geom contype="1"/>').replace(
            SHIN,
            f'{SHIN}<body name="toe"><joint name="ankle"/>'
            '<geom name="toe" type="sphere" size=".02"/></body>',
        ),
        "'trunk' and 'toe' can collide with one another",
    ),
    "condim 6": (edited('mass="1"/>', 'mass="1" condim="6"/>'), "'ground' and 'shin': condim 6"),
    "condim 4": (edited('mass="1"/>', 'mass="1" condim="4"/>'), "'ground' and 'shin': condim 4"),
    "gap": (edited('mass="1"/>', 'mass="1" margin=".02" gap=".01"/>'), "'shin': a gap"),
    "tendon": (
        edited("<actuator>", '<tendon><fixed name="cord"><joint joint="hip" coef="1"/></fixed>'
               "</tendon><actuator>"),
        "tendons are not computed",
    ),
    "equality": (
        edited("<actuator>", '<equality><joint joint1="hip"/></equality><actuator>'),
        "equality constraints are not computed",
    ),
    "RK4": (edited('timestep="0.004"', 'timestep="0.004" integrator="RK4"'), "RK4"),
    "implicit": (edited('timestep="0.004"', 'timestep="0.004" integrator="implicit"'), "IMPLICIT"),
    "wind": (edited('timestep="0.004"', 'timestep="0.004" wind="1 0 0"'), "option wind"),
    "medium": (edited('timestep="0.004"', 'timestep="0.004" density="1"'), "option density 1"),
    "no contact": (
        edited('<option timestep="0.004"/>', '<option><flag contact="disable"/></option>'),
        "disable flag contact",
    ),
    "two free joints": (
        edited("</worldbody>", '<body name="ball" pos="2 0 1"><freejoint/><geom size=".1" '
               'type="sphere"/></body></worldbody>'),
        "exactly one free joint is needed, at the root: the model has 2",
    ),
    "no free joint": (
        edited('<joint name="root" type="free"/>', '<joint name="root" type="slide"/>'),
        "exactly one free joint is needed, at the root: the model has 0",
    ),
    "second robot": (
        edited("</worldbody>", '<body name="arm" pos="2 0 1"><joint name="elbow"/><geom size=".1" '
               'type="sphere"/></body></worldbody>'),
        "joint 'elbow' belongs to a second robot",
    ),
    "spring": (edited('damping="0.2"', 'stiffness="3"'), "joint 'hip' has jnt_stiffness"),
    "spring that is not linear": (
        edited('damping="0.2"', 'stiffness="0 5"'),
        "joint 'hip' has jnt_stiffnesspoly",
    ),
    "disabled actuator": (
        edited('timestep="0.004"', 'timestep="0.004" actuatorgroupdisable="2"').replace(
            '<position name="hip"', '<position group="2" name="hip"'
        ),
        "actuator 'hip' is disabled: option actuatorgroupdisable 2",
    ),
    "solref of mixed format": (
        edited('mass="1"/>', 'mass="1" solref="0.05 -0.5" priority="1"/>'),
        "'ground' and 'shin': their solref [ 0.05 -0.5 ] is of mixed format",
    ),
    "solreflimit of mixed format": (
        edited(HIP, HIP.replace("/>", ' solreflimit="-100 5"/>')),
        "solreflimit of joint 'hip' is of mixed format",
    ),
    "solreffriction of mixed format": (
        edited(HIP, HIP.replace("/>", ' frictionloss="1" solreffriction="0.02 0"/>')),
        "solreffriction of joint 'hip' is of mixed format",
    ),
    "muscle": (
        edited('<position name="hip" joint="hip" kp="20" ctrlrange="-1 1"/>',
               '<muscle name="hip" joint="hip"/>'),
        "actuators with an activation state",
    ),
    "friction loss of the root": (
        edited('<joint name="root" type="free"/>', '<joint name="root" type="free" '
               'frictionloss="1"/>'),
        "friction loss of a free joint is not computed: joint 'root'",
    ),
    "contact pair": (
        edited("<actuator>", '<contact><pair geom1="ground" geom2="shin"/></contact><actuator>'),
        "explicit contact pairs",
    ),
    "gravity compensation": (
        edited('<body name="leg"', '<body name="leg" gravcomp="1"'), "gravity compensation",
    ),
    "not XML": ("<mujoco><what/></mujoco>", "does not compile"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNSUPPORTED)
def test_unsupported_models_are_refused_by_name(what: str) -> None:
    text, reason = UNSUPPORTED[what]
    with pytest.raises(Unsupported, match=re.escape(reason)) as error:
        g1.load(text)
    assert "\n" not in str(error.value)


def test_time_step_of_zero_is_refused() -> None:
    model = mujoco.MjModel.from_xml_string(HOPPER)
    model.opt.timestep = 0
    with pytest.raises(Unsupported, match="the time step must be above zero, the model has 0"):
        g1.load(model)


def test_unknown_names() -> None:
    with pytest.raises(BadInput, match="no contact set 'hands'"):
        g1.load(contacts="hands")
    model = g1.load(HOPPER)
    for wrong in ("int32", "float16", "foo"):
        with pytest.raises(BadInput, match=f"dtype '{wrong}' is not computed in"):
            g1.load(HOPPER, dtype=wrong)
    with pytest.raises(BadInput, match="there is no file"):
        g1.load("robot.xml")
    with pytest.raises(BadInput, match="no keyframe 'kneel'"):
        g1.keyframe(model, "kneel")
    with pytest.raises(BadInput, match="no parameter 'mass'"):
        model.with_parameters(mass=1.0)
    with pytest.raises(BadInput, match="no parameter 'mass'"):
        model.labels("mass")
    with pytest.raises(BadInput, match="keep='all'"):
        g1.rollout(model, g1.state(model), jnp.zeros((2, 1)), keep="all")


# States


@pytest.fixture(scope="module")
def model() -> g1.Model:
    return g1.load(HOPPER, dtype="float64")


@pytest.fixture(scope="module")
def clean(model: g1.Model) -> tuple[g1.State, jax.Array]:
    some = states(model.structure.mj_model, BATCH, seed=3)
    controls = np.broadcast_to(some.ctrl, (STEPS, *some.ctrl.shape))
    return g1.state(model, some.qpos, some.qvel), jnp.asarray(controls)


def loss(last: g1.State, states: g1.State) -> jax.Array:
    return jnp.sum(last.qpos**2, -1) + jnp.sum(last.qvel**2, -1)


def own_parameters(model: g1.Model, batch: int) -> g1.Model:
    """With parameters of each world's own."""
    wide = jax.tree.map(lambda x: jnp.broadcast_to(x, (batch, *x.shape)), model.parameters)
    return dataclasses.replace(model, parameters=wide)


@functools.cache
def inside() -> Callable[[g1.Model, g1.State, jax.Array], g1.Result]:
    """The gradient within jit, compiled once for the tests here."""

    def graded(model: g1.Model, start: g1.State, controls: jax.Array) -> g1.Result:
        return g1.value_and_grad(model, loss)(start, controls)

    return jax.jit(graded, compiler_options=g1.COMPILER_OPTIONS)


def spoilt(start: g1.State, controls: jax.Array, what: str) -> tuple[g1.State, jax.Array]:
    rows = jnp.array(BAD)
    qpos, qvel = start.qpos, start.qvel
    if what == "nan qpos":
        qpos = qpos.at[rows, 7].set(jnp.nan)
    elif what == "inf qvel":
        qvel = qvel.at[rows, 2].set(jnp.inf)
    elif what == "nan ctrl":
        controls = controls.at[0, rows, 0].set(jnp.nan)
    elif what == "quaternion":
        qpos = qpos.at[rows, 3:7].multiply(1.1)
    elif what == "ctrl":
        controls = controls.at[0, rows, 0].set(5.0)
    return dataclasses.replace(start, qpos=qpos, qvel=qvel), controls


FLAGS = {
    "nan qpos": (g1.Status.NOT_FINITE, "a NaN, an infinity or"),
    "inf qvel": (g1.Status.NOT_FINITE, "a NaN, an infinity or"),
    "nan ctrl": (g1.Status.NOT_FINITE, "a NaN, an infinity or"),
    "quaternion": (g1.Status.QUATERNION, "a root quaternion that is not of unit length"),
    "ctrl": (g1.Status.CONTROL, "a control outside its range"),
}


@pytest.mark.parametrize("what", FLAGS)
def test_bad_values_raise_outside_jit(
    model: g1.Model, clean: tuple[g1.State, jax.Array], what: str
) -> None:
    start, controls = spoilt(*clean, what)
    with pytest.raises(BadInput, match=f"world 1 has {FLAGS[what][1]}"):
        g1.step(model, start, controls[0])
    with pytest.raises(BadInput, match=f"world 1 has {FLAGS[what][1]}"):
        g1.transition_jacobians(model, start, controls[0])


@pytest.mark.parametrize("what", FLAGS)
def test_bad_worlds_are_flagged_inside_jit_and_harm_no_other(
    model: g1.Model, clean: tuple[g1.State, jax.Array], what: str
) -> None:
    mine = own_parameters(model, BATCH)
    expected, found = inside()(mine, *clean), inside()(mine, *spoilt(*clean, what))
    flags = np.asarray(found.last.status)
    assert (flags[BAD] & FLAGS[what][0] != 0).all()
    assert (flags[GOOD] == 0).all()
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        axis = 1 if one.ndim == 3 and one.shape[0] == STEPS else 0
        np.testing.assert_array_equal(np.take(one, GOOD, axis), np.take(other, GOOD, axis))
    for gradient in jax.tree.leaves(found.gradient):
        assert np.isfinite(gradient).all()
    if what == "ctrl":
        return
    # Nothing passes through the step that could not be computed, the first one.
    assert not np.any(np.asarray(found.gradient.qpos)[BAD])
    assert not np.any(np.asarray(found.gradient.qvel)[BAD])
    assert not np.any(np.asarray(found.gradient.controls)[0, BAD])
    if what != "nan ctrl":
        # A state that cannot be computed stays; a control is of one step.
        for gradient in jax.tree.leaves(found.gradient.parameters):
            assert not np.any(np.asarray(gradient)[BAD])


def test_flagged_worlds_are_refused(model: g1.Model, clean: tuple[g1.State, jax.Array]) -> None:
    """What `value_and_grad` does with its last state outside jit."""
    found = inside()(own_parameters(model, BATCH), *spoilt(*clean, "nan qpos"))
    with pytest.raises(BadInput, match=r"no gradient: 2 of 6 worlds are flagged, the first is 1"):
        ROLLOUT.refuse(found.last)


def test_no_convergence(
    model: g1.Model, clean: tuple[g1.State, jax.Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one iteration, worlds in contact do not converge: flagged, without gradient, and
    refused; worlds in the air do converge, and are as they were."""
    mine = own_parameters(model, BATCH)
    expected = inside()(mine, *clean)
    jax.clear_caches()
    run = g1.value_and_grad(mine, loss)
    with monkeypatch.context() as patch:
        patch.setattr(solver, "ITERATIONS", 1)
        with pytest.raises(BadInput, match=r"no gradient: .* a contact solve that did not conv"):
            run(*clean)
        # What was refused, looked at.
        patch.setattr(ROLLOUT, "refuse", lambda last: None)
        found = run(*clean)
    jax.clear_caches()
    flags = np.asarray(found.last.status)
    failed = flags == g1.Status.NOT_CONVERGED
    assert 0 < failed.sum() < BATCH
    assert (flags[~failed] == 0).all()
    for one, other in zip(
        jax.tree.leaves(found.gradient), jax.tree.leaves(expected.gradient), strict=True
    ):
        assert np.isfinite(one).all()
        axis = 1 if one.ndim == 3 and one.shape[0] == STEPS else 0
        kept, same = (np.compress(~failed, x, axis) for x in (one, other))
        np.testing.assert_allclose(kept, same, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "shapes", [{"qpos": 9}, {"qvel": 8}, {"qacc": 8}, {"qvel": (3, 7)}], ids=str
)
def test_wrong_shapes_of_a_state(model: g1.Model, shapes: dict[str, Any]) -> None:
    arrays: dict[str, Any] = {name: np.zeros(shape) for name, shape in shapes.items()}
    with pytest.raises(BadInput, match=rf"{next(iter(shapes))} has shape"):
        g1.state(model, **arrays)


def test_wrong_shape_of_controls(model: g1.Model) -> None:
    with pytest.raises(BadInput, match=re.escape("ctrl has shape (3,), this state takes (1,)")):
        g1.step(model, g1.state(model), jnp.zeros(3))
    with pytest.raises(BadInput, match=re.escape("ctrl has shape (1,), this state takes (2, 1)")):
        g1.step(model, g1.state(model, batch=2), jnp.zeros(1))


def test_wrong_shape_of_controls_of_a_rollout(model: g1.Model) -> None:
    """The shape told is that of the whole, not of the step within."""
    start = g1.state(model, batch=2)
    for shape in [(2, 1), (3, 1, 1), (3, 2), (1,), ()]:
        told = re.escape(f"controls has shape {shape}, this state takes (steps, 2, 1)")
        with pytest.raises(BadInput, match=told):
            g1.rollout(model, start, jnp.zeros(shape))
        with pytest.raises(BadInput, match=told):
            g1.value_and_grad(model, loss)(start, jnp.zeros(shape))


@pytest.mark.parametrize("what", FLAGS)
def test_bad_values_of_a_rollout_raise_before_it(
    model: g1.Model, clean: tuple[g1.State, jax.Array], what: str
) -> None:
    start, controls = spoilt(*clean, what)
    with pytest.raises(BadInput, match=f"world 1 at step 0 has {FLAGS[what][1]}"):
        g1.rollout(model, start, controls)
    with pytest.raises(BadInput, match=f"world 1 at step 0 has {FLAGS[what][1]}"):
        g1.value_and_grad(model, loss)(start, controls)


def test_a_loss_is_a_number_a_world(model: g1.Model, clean: tuple[g1.State, jax.Array]) -> None:
    for wrong in (lambda last, _: jnp.sum(last.qpos), lambda last, _: last.qvel):
        with pytest.raises(BadInput, match="the loss has shape"):
            g1.value_and_grad(model, wrong)(*clean)


PARAMETERS: dict[str, tuple[dict[str, Any], str]] = {
    "shape": ({"body_mass": np.ones(2)}, "body_mass has shape (2,), the model takes (3,)"),
    "shape of a world": ({"solref": np.ones(2)}, "solref has shape (2,), the model takes"),
    "words": ({"friction": "low"}, "friction is no array of numbers"),
    "negative": ({"friction": [0.5, -0.1]}, "friction[1] is -0.1: it must not be negative"),
    "negative mass": ({"body_mass": -1.0}, "body_mass[0] is -1"),
    "NaN": ({"solref": np.full((2, 2), np.nan)}, "solref[0, 0] is nan: it must be finite"),
    "no friction": ({"friction": 0.0}, "friction[0] is 0: below 1e-05 MuJoCo computes another"),
    "complex": ({"friction": 1j}, "friction is an array of complex128; give real numbers"),
    "no mass": ({"body_mass": np.array([0, 3, 0])}, "body_mass[2] is 0: the body has a mass"),
    "loss of the root": ({"dof_frictionloss": 0.7}, "dof_frictionloss[0] is 0.7: friction loss of"),
    "mixed solref": ({"solref": [0.02, -1]}, "solref has shape (2,)"),
    "mixed solref of a world": (
        {"solref": np.broadcast_to(np.array([0.02, -1]), (5, 2, 2))},
        "solref[0, 0, 1] is -1: this row is of mixed format",
    ),
}


@pytest.mark.parametrize("what", PARAMETERS)
def test_bad_parameters(model: g1.Model, what: str) -> None:
    changes, told = PARAMETERS[what]
    with pytest.raises(BadInput, match=re.escape(told)):
        model.with_parameters(**changes)


STATES: dict[str, tuple[dict[str, Any], str]] = {
    "no worlds": ({"batch": 0}, "batch is 0: give a number of worlds"),
    "half a world": ({"batch": 1.5}, "batch is 1.5: give a number of worlds"),
    "two batches": ({"qpos": np.zeros((3, 8)), "batch": 4}, "batch is 4, but qpos has 3 rows"),
    "empty": ({"qpos": np.zeros((0, 8))}, "qpos has shape (0, 8): there must be a world"),
    "words": ({"qpos": "upright"}, "qpos is no array of numbers"),
    "ragged": ({"qvel": [[1.0], [1.0, 2.0]]}, "qvel is no array of numbers"),
    "complex": ({"qpos": 1j * np.ones(8)}, "qpos is an array of complex128"),
}


@pytest.mark.parametrize("what", STATES)
def test_bad_states(model: g1.Model, what: str) -> None:
    given, told = STATES[what]
    with pytest.raises(BadInput, match=re.escape(told)):
        g1.state(model, **given)


MADE: dict[str, tuple[dict[str, Any], str]] = {
    "integers": ({"qpos": np.array([[0, 0, 1, 1, 0, 0, 0, 0]] * 2)}, "qpos of the state is of int"),
    "list": ({"qvel": [[0.0] * 7] * 2}, "qvel of the state is a list"),
    "warm start": ({"qacc": jnp.zeros((2, 3))}, "qacc of the state has shape (2, 3)"),
    "flags": ({"status": jnp.zeros(3, int)}, "status of the state has shape (3,)"),
}


@pytest.mark.parametrize("what", MADE)
def test_states_put_together_wrongly(model: g1.Model, what: str) -> None:
    changed, told = MADE[what]
    start = dataclasses.replace(g1.state(model, batch=2), **changed)
    with pytest.raises(BadInput, match=re.escape(told)):
        g1.step(model, start, jnp.zeros((2, 1)))


def test_what_is_no_state_and_no_control(model: g1.Model) -> None:
    start = g1.state(model)
    with pytest.raises(BadInput, match="the state is a tuple"):
        g1.step(model, (1, 2), jnp.zeros(1))  # type: ignore[arg-type]
    for wrong in ("a", None, jnp.ones(1) * 1j):
        with pytest.raises(BadInput, match="ctrl is"):
            g1.step(model, start, wrong)  # type: ignore[arg-type]


def test_parameters_of_another_number_of_worlds(model: g1.Model) -> None:
    three = model.with_parameters(friction=np.ones((3, 2)))
    for start, there in ((g1.state(model, batch=2), "2"), (g1.state(model), "no batch")):
        ctrl = jnp.zeros((*start.qpos.shape[:-1], 1))
        told = f"friction has a row for each of 3 worlds, the state has {there}"
        with pytest.raises(BadInput, match=told):
            g1.step(three, start, ctrl)


@pytest.mark.parametrize("wrong", [0.0, -0.001, float("nan")])
def test_time_step_that_was_replaced(model: g1.Model, wrong: float) -> None:
    odd = dataclasses.replace(model, timestep=jnp.asarray(wrong))
    with pytest.raises(BadInput, match="the time step is"):
        g1.step(odd, g1.state(model), jnp.zeros(1))


# Finite, and too large for the solve in float32, or for MuJoCo to go on with.
HUGE = {"fast": ("qvel", 4, 1e9), "deep": ("qpos", 2, -1e9), "too fast": ("qvel", 4, 1e15)}


@pytest.mark.parametrize("what", HUGE)
def test_a_world_that_explodes_leaves_what_others_share_alone(what: str) -> None:
    """The gradient by the masses, which all worlds have in common, is that of the other world."""
    single = g1.load(HOPPER, dtype="float32")
    name, entry, size = HUGE[what]
    start = g1.state(single, [0, 0, 0.38, 1, 0, 0, 0, 0.1], batch=2)

    def of(mass: jax.Array, start: g1.State) -> tuple[jax.Array, jax.Array]:
        after = g1.step(single.with_parameters(body_mass=mass), start, jnp.zeros((2, 1)))
        return jnp.where(after.status == 0, after.qvel[:, 2], 0).sum(), after.status

    graded = jax.jit(jax.grad(of, has_aux=True), compiler_options=g1.COMPILER_OPTIONS)
    whole, fine = graded(single.parameters.body_mass, start)
    array = getattr(start, name).at[1, entry].set(size)
    half, flags = graded(single.parameters.body_mass, dataclasses.replace(start, **{name: array}))
    assert fine.tolist() == [0, 0]
    assert flags[0] == 0
    assert flags[1] != 0
    np.testing.assert_allclose(half, whole / 2, rtol=1e-5)
