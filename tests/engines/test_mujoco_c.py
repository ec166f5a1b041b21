"""C MuJoCo: its chained differences, its coordinates, its knobs and its refusals."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gradcheck.engine import AbstractSimulation, Array, BadInput, Settings, Unsupported
from gradcheck.engines.mujoco_c import MujocoEngine
from gradcheck.quaternion import tangent_basis
from gradcheck.scene import Field, Mjcf
from gradcheck.testbed import Input, Testbed
from gradcheck.testbeds import cartpole, drop, drop_box, drop_capsule, slide
from gradcheck.testing import check_engine

ENGINE = MujocoEngine()
STEP = 1e-6


def differences(simulation: AbstractSimulation, testbed: Testbed, name: str) -> Array:
    """Central differences along each tangent coordinate of one input."""
    at, one = testbed.nominal(), testbed.input(name)
    moves = STEP * np.eye(one.tangent_size)
    up, down = (
        np.array([simulation.value({**at, name: one.retract(at[name], s * m)}) for m in moves])
        for s in (1, -1)
    )
    result: Array = (up - down) / (2 * STEP)
    return result


def altered(testbed: Testbed, old: str, new: str) -> Testbed:
    """The testbed with a piece of its MJCF replaced."""
    scene = testbed.scene(Mjcf)
    assert old in scene.xml
    return replace(testbed, scenes=(replace(scene, xml=scene.xml.replace(old, new)),))


@pytest.mark.parametrize("module", [drop, drop_capsule, drop_box, cartpole])
def test_gradient_is_that_of_the_rollout(module: object) -> None:
    testbed: Testbed = module.TESTBED  # type: ignore[attr-defined]
    simulation, at = ENGINE.simulate(testbed, Settings()), testbed.nominal()
    value, gradient = simulation.value_and_grad(at)
    assert value == simulation.value(at)
    names = {one.name for one in testbed.inputs} - set(simulation.undifferentiated)
    assert gradient.keys() == names
    for name in names:
        found = testbed.input(name).pull(at[name], gradient[name])
        assert np.max(np.abs(found)) > 0.1
        assert found == pytest.approx(differences(simulation, testbed, name), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("length", [1.0, 2.0])
def test_nothing_along_the_quaternion_whatever_its_length(length: float) -> None:
    testbed = drop.TESTBED
    at = testbed.nominal()
    at["qpos"][3:7] *= length
    simulation = ENGINE.simulate(testbed, Settings())
    raw = simulation.value_and_grad(at)[1]["qpos"][3:7]
    assert abs(raw @ at["qpos"][3:7]) < 1e-12 * np.linalg.norm(raw)
    moved = []
    for axis in np.eye(4):
        up, down = (
            simulation.value({**at, "qpos": at["qpos"] + s * STEP * np.r_[0, 0, 0, axis]})
            for s in (1, -1)
        )
        moved.append((up - down) / (2 * STEP))
    # The raw gradient is the true one: MuJoCo itself normalises.
    assert raw == pytest.approx(np.array(moved), abs=1e-6)


def test_single_steps_make_up_the_rollout_and_have_its_jacobians() -> None:
    testbed = drop.TESTBED
    simulation, at = ENGINE.simulate(testbed, Settings()), testbed.nominal()
    states, index = simulation.trajectory(at), np.arange(testbed.steps)
    assert states.shape == (61, 13)
    assert np.array_equal(simulation.step(states[:-1], index, at), states[1:])
    jacobians = simulation.step_jacobians(at)
    for column in range(13):
        move = 1e-7 * np.eye(13)[column]
        up, down = (simulation.step(states[:-1] + s * move, index, at) for s in (1, -1))
        expected = (up - down) / 2e-7
        assert jacobians[:, :, column] == pytest.approx(expected, abs=1e-5)
    quaternions = states[:, 3:7]
    assert np.allclose(np.linalg.norm(quaternions[1:], axis=1), 1)
    assert tangent_basis(quaternions).shape == (61, 4, 3)


def test_values_do_not_depend_on_what_ran_before() -> None:
    simulation, at = ENGINE.simulate(drop.TESTBED, Settings()), drop.TESTBED.nominal()
    first = simulation.value(at)
    gradient = simulation.value_and_grad(at)[1]["qvel"]
    other = {**at, "qvel": -at["qvel"], "friction": np.array([0.9])}
    assert simulation.value(other) != first
    assert simulation.value(at) == first
    assert np.array_equal(simulation.value_and_grad(at)[1]["qvel"], gradient)
    assert simulation.values({k: np.stack([v, v]) for k, v in at.items()}).tolist() == [first] * 2


def test_model_parameters_have_a_reason_in_place_of_a_gradient() -> None:
    simulation = ENGINE.simulate(drop.TESTBED, Settings())
    assert "mjd_transitionFD" in simulation.undifferentiated["friction"]
    at = drop.TESTBED.nominal()
    assert simulation.value({**at, "friction": np.array([0.5])}) != simulation.value(at)


def test_knobs_turn() -> None:
    at = drop.TESTBED.nominal()
    plain = ENGINE.simulate(drop.TESTBED, Settings()).value(at)
    for settings in (
        Settings(iterations=1),
        Settings(tolerance=1e3),
        Settings(cone="elliptic"),
        Settings(solver="CG", iterations=2),
        Settings(dt=0.0025, steps=120),
        Settings(steps=0),
    ):
        assert ENGINE.simulate(drop.TESTBED, settings).value(at) != plain
    same = ENGINE.simulate(drop.TESTBED, Settings(solver="CG", iterations=500)).value(at)
    assert same == pytest.approx(plain, abs=1e-6)


def test_diagnostics_tell_solver_and_contacts() -> None:
    at = drop.TESTBED.nominal()
    told = ENGINE.simulate(drop.TESTBED, Settings()).diagnostics(at)
    assert told["contacts"] == 1
    assert told["contacts at the end"] == 0
    assert 1 <= told["iterations"] <= 20
    assert told["residual"] < 1e-9
    cut = ENGINE.simulate(drop.TESTBED, Settings(solver="CG", iterations=1)).diagnostics(at)
    assert cut["residual"] > 1e-3


def test_an_integrator_that_mujoco_does_not_differentiate() -> None:
    testbed = altered(cartpole.TESTBED, 'integrator="Euler"', 'integrator="RK4"')
    with pytest.raises(Unsupported, match="RK4 integrator is not supported"):
        ENGINE.simulate(testbed, Settings())


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (Settings(solver="Gauss"), r"no solver 'Gauss' \(it has: PGS, CG, Newton\)"),
        (Settings(cone="square"), "no cone 'square'"),
        (Settings(precision="float32"), "no knob 'precision'"),
    ],
)
def test_settings_that_mujoco_does_not_have(settings: Settings, text: str) -> None:
    with pytest.raises(Unsupported, match=text):
        ENGINE.simulate(drop.TESTBED, settings)


def test_mjcf_that_does_not_compile_is_told_in_one_line() -> None:
    testbed = altered(drop.TESTBED, 'type="plane"', 'type="plain"')
    with pytest.raises(BadInput, match="does not compile: XML Error: invalid keyword") as caught:
        ENGINE.simulate(testbed, Settings())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("one", "fields", "text"),
    [
        (Input("qpos", np.zeros(3)), {}, "has 3 entries, the model takes 2"),
        (Input("mass", np.ones(1)), {}, "say in Mjcf.fields"),
        (Input("mass", np.ones(1)), {"mass": (Field("body_weight", (1,)),)}, "no array"),
        (Input("mass", np.ones(1)), {"mass": (Field("body_mass", (9,)),)}, "outside"),
        (Input("mass", np.ones(1)), {"mass": (Field("body_mass", (1,), entry=1),)}, "outside"),
        (Input("qvel", np.ones(2)), {}, "weighs 3 outputs, qpos and qvel of the model are 4"),
    ],
)
def test_inputs_that_do_not_fit_the_model(
    one: Input, fields: dict[str, tuple[Field, ...]], text: str
) -> None:
    scene = Mjcf(cartpole.XML, fields)
    weights = (1.0, 1.0, 1.0) if one.name == "qvel" else (1.0, 1.0, 1.0, 1.0)
    testbed = replace(cartpole.TESTBED, inputs=(one,), scenes=(scene,), weights=weights)
    with pytest.raises(BadInput, match=text):
        ENGINE.simulate(testbed, Settings())


def test_quaternions_must_be_named() -> None:
    bare = Input("qpos", drop.TESTBED.input("qpos").default)
    with pytest.raises(BadInput, match=r"says quaternions=\(\), the model has them at \(3,\)"):
        ENGINE.simulate(replace(drop.TESTBED, inputs=(bare,)), Settings())


def test_a_blow_up_shows_and_leaves_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    at = {**drop.TESTBED.nominal(), "qvel": np.full(6, np.nan)}
    assert np.isnan(ENGINE.simulate(drop.TESTBED, Settings()).value(at))
    assert not list(tmp_path.iterdir())


def test_contract() -> None:
    check_engine(ENGINE, [cartpole.TESTBED, drop.TESTBED, slide.TESTBED])
