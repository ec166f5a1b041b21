"""The MJCF testbeds: every output matters, contact is where it should be, truths hold."""

import importlib
from dataclasses import replace

import numpy as np
import pytest

from gradcheck.engine import Settings
from gradcheck.engines.mujoco_c import MujocoEngine, MujocoSimulation
from gradcheck.scene import Equations, Mjcf
from gradcheck.testbed import Testbed
from gradcheck.testbeds import drop, slide
from gradcheck.testbeds.reference import reference

ENGINE = MujocoEngine()
FALLING = ("drop", "drop_capsule", "drop_box", "tossed_cube")


def named(name: str) -> Testbed:
    testbed = importlib.import_module(f"gradcheck.testbeds.{name}").TESTBED
    assert isinstance(testbed, Testbed)
    assert testbed.name == name
    return testbed


def simulation(testbed: Testbed, **settings: float) -> MujocoSimulation:
    return ENGINE.simulate(testbed, Settings.model_validate(settings))


@pytest.mark.parametrize("name", FALLING)
def test_bodies_touch_and_end_away_from_touch(name: str) -> None:
    testbed = named(name)
    told = simulation(testbed).diagnostics(testbed.nominal())
    assert told["contacts"] >= 1
    assert told["contacts at the end"] == 0
    # ... and not because the last step sits on the very moment of lift-off.
    shorter = simulation(testbed, steps=testbed.steps - 2).diagnostics(testbed.nominal())
    assert shorter["contacts at the end"] == 0


@pytest.mark.parametrize("name", [*FALLING, "cartpole"])
def test_every_weight_is_of_its_own_and_every_input_moves_the_loss(name: str) -> None:
    testbed = named(name)
    assert len(set(testbed.weights)) == len(testbed.weights)
    assert 0 not in testbed.weights
    at = testbed.nominal()
    one = simulation(testbed)
    for given in testbed.inputs:
        for move in 1e-3 * np.eye(given.tangent_size):
            moved = {**at, given.name: given.retract(at[given.name], move)}
            assert abs(one.value(moved) - one.value(at)) > 1e-5


@pytest.mark.parametrize("name", FALLING)
def test_the_sweep_crosses_the_first_contact(name: str) -> None:
    testbed = named(name)
    sweep = testbed.sweep
    assert sweep is not None
    contacts = []
    for height in (sweep.low, sweep.high):
        at = testbed.nominal()
        at[sweep.input][sweep.index] = height
        contacts.append(simulation(testbed).diagnostics(at)["contacts"])
    assert contacts[0] >= 1
    assert contacts[1] == 0


@pytest.mark.parametrize("name", FALLING[:3])
def test_the_speed_at_contact_is_as_stated(name: str) -> None:
    testbed = named(name)
    one = simulation(testbed)
    states = one.trajectory(testbed.nominal())
    free = testbed.inputs[1].default[2] - 9.81 * testbed.dt * np.arange(testbed.steps + 1)
    touched = int(np.argmax(np.abs(states[:, 9] - free) > 1e-9))
    assert testbed.speed == pytest.approx(-states[touched - 1, 9], rel=0.05)


def test_slide_has_its_closed_form() -> None:
    truth = slide.TESTBED.truth
    assert truth is not None
    at = slide.TESTBED.nominal()
    # (4 - 0.3 * 9.81) * 0.3^2 / 2 and that times 2 / 0.3
    assert truth.outputs(at) == pytest.approx([0.047565, 0, 0.3171, 0], abs=1e-12)
    for name in ("ctrl", "friction"):
        up, down = (truth.outputs({**at, name: at[name] + s * 1e-6}) for s in (1, -1))
        assert truth.jacobian(at)[name][:, 0] == pytest.approx((up - down) / 2e-6, abs=1e-8)
    stuck = {**at, "ctrl": np.array([2.0])}
    assert not np.any(truth.outputs(stuck))
    assert not any(np.any(part) for part in truth.jacobian(stuck).values())
    edge = {**at, "ctrl": np.array([0.3 * 9.81])}
    assert truth.jacobian(edge)["ctrl"][0, 0] == pytest.approx(0.045 / 2)


def test_slide_in_mujoco_sticks_and_slips_as_coulomb_says() -> None:
    testbed, at = slide.TESTBED, slide.TESTBED.nominal()
    assert testbed.truth is not None
    one = simulation(testbed)
    x, _, vx, _ = one.trajectory(at)[-1]
    expected = testbed.truth.outputs(at)
    assert (x, vx) == pytest.approx((expected[0], expected[2]), rel=0.02)
    # Regularised friction creeps where Coulomb's sticks.
    stuck = one.trajectory({**at, "ctrl": np.array([2.0])})[-1]
    assert 0 < stuck[0] < 1.5e-3
    rest = one.trajectory({**at, "ctrl": np.zeros(1)})[-1]
    assert rest == pytest.approx(np.zeros(4), abs=1e-12)


def test_cartpole_converges_to_one_trajectory() -> None:
    testbed, at = named("cartpole"), named("cartpole").nominal()
    values = [
        simulation(testbed, dt=testbed.dt / k, steps=testbed.steps * k).value(at) for k in (1, 2, 4)
    ]
    # First order: halving the time step halves the error.
    assert (values[1] - values[0]) / (values[2] - values[1]) == pytest.approx(2, rel=0.05)
    assert simulation(testbed).diagnostics(at)["contacts"] == 0


def test_friction_enters_where_it_is_said() -> None:
    testbed = named("drop")
    scene = testbed.scene(Mjcf)
    slippery = replace(scene, xml=scene.xml.replace('friction="0.3 0 0"', 'friction="0.1 0 0"'))
    other = replace(testbed, scenes=(slippery,))
    at = testbed.nominal()
    assert simulation(other).value(at) == simulation(testbed).value(at)


@pytest.mark.parametrize("name", ["free_fall", "pendulum", "double_pendulum"])
def test_mjcf_and_equations_state_the_same_physics(name: str) -> None:
    testbed = named(name)
    # One second is short enough for the chaotic one.
    horizon = min(1.0, testbed.dt * testbed.steps)
    exact = reference(testbed.scene(Equations), horizon, accuracy=1e-9).outputs(testbed.nominal())
    errors = []
    for dt in (testbed.dt / 8, testbed.dt / 16):
        one = simulation(testbed, dt=dt, steps=round(horizon / dt))
        errors.append(one.trajectory(testbed.nominal())[-1] - exact)
    # MuJoCo's Euler scheme is of first order, and what is left is its error alone.
    assert np.max(np.abs(errors[0])) < 0.1
    assert 2 * errors[1] == pytest.approx(errors[0], rel=0.05, abs=1e-6)


def test_drop_converges_to_its_truth_and_its_gradient_does_not() -> None:
    testbed, at = named("drop"), named("drop").nominal()
    truth = testbed.truth
    assert truth is not None
    expected = truth.outputs(at)
    fine = simulation(testbed, dt=testbed.dt / 64, steps=64 * testbed.steps)
    assert fine.trajectory(at)[-1] == pytest.approx(expected, abs=0.01)
    finer = simulation(testbed, dt=testbed.dt / 256, steps=256 * testbed.steps)
    assert finer.trajectory(at)[-1] == pytest.approx(expected, abs=5e-4)
    weights = np.array(testbed.weights)
    height = weights @ truth.jacobian(at)["qpos"][:, 2]
    assert height == pytest.approx(2.0021, abs=2e-3)
    # Differences far above what the ball moves in one time step see the same slope, ...
    moved = [{**at, "qpos": at["qpos"] + s * 0.02 * np.eye(7)[2]} for s in (1, -1)]
    assert (finer.value(moved[0]) - finer.value(moved[1])) / 0.04 == pytest.approx(height, rel=0.05)
    # ... the gradient of the program another one, at any time step.
    for one in (simulation(testbed), fine):
        assert one.value_and_grad(at)[1]["qpos"][2] == pytest.approx(-17, abs=1.5)


def test_the_ball_of_the_truth_flies_and_bounces() -> None:
    ball = replace(drop.BALL, horizon=0.5, steps=60)
    at = named("drop").nominal()
    first = ball.outputs(at)
    place, velocity = first[:3], first[7:10]
    # After contact only gravity acts: the state at another horizon is the same parabola.
    later = replace(ball, horizon=0.6).outputs(at)
    assert later[:3] == pytest.approx(place + 0.1 * velocity - [0, 0, 0.04905])
    assert later[9] == pytest.approx(velocity[2] - 0.981)
    with pytest.raises(RuntimeError, match="still in contact"):
        replace(ball, contact=0.02).outputs(at)
