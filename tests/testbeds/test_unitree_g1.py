"""The humanoid's testbeds: inputs enter where they say, soles touch when they say."""

from types import ModuleType

import mujoco
import numpy as np
import pytest

from gradcheck.engine import Array, Settings
from gradcheck.engines.g1.robot import load_mjmodel
from gradcheck.engines.mujoco_c import MujocoEngine, MujocoSimulation
from gradcheck.finding import Verdict
from gradcheck.scene import Mjcf
from gradcheck.testbed import Testbed
from gradcheck.testbeds import g1_drop, g1_stand, g1_step, unitree_g1
from tests.engines.test_mujoco_c import differences

ENGINE = MujocoEngine()
SCENES = (g1_stand, g1_drop, g1_step)
SIDES = ("left", "right")


def simulation(testbed: Testbed, steps: int | None = None) -> MujocoSimulation:
    return ENGINE.simulate(testbed, Settings(steps=steps))


def touched(testbed: Testbed, qpos: Array) -> dict[str, list[int]]:
    """At which of the steps 0, 1, ... each foot has how many contacts, from a start."""
    one = simulation(testbed)
    one.start({**testbed.nominal(), "qpos": qpos})
    counts: dict[str, list[int]] = {side: [] for side in SIDES}
    for _ in range(testbed.steps):
        mujoco.mj_step(one.model, one.data)
        names = [one.model.geom(pair[1]).name for pair in one.data.contact.geom]
        for side in SIDES:
            counts[side].append(sum(name.startswith(f"{side}_foot") for name in names))
    return counts


def first(counts: list[int]) -> int:
    return next((step for step, count in enumerate(counts) if count), len(counts))


def soles(qpos: Array) -> dict[str, tuple[float, float]]:
    """Heights (m) of the lowest and of the highest underside of each foot's capsules."""
    model = load_mjmodel()
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    found = {}
    for side in SIDES:
        feet = [model.geom(f"{side}_foot{index}_collision").id for index in range(1, 8)]
        drop = np.abs(model.geom_size[feet, 1] * data.geom_xmat[feet, 8]) + model.geom_size[feet, 0]
        under = data.geom_xpos[feet, 2] - drop
        found[side] = (float(under.min()), float(under.max()))
    return found


def test_parameters_enter_where_they_are_said() -> None:
    """And the numbers that they start from are those of the robot."""
    model = load_mjmodel()
    fields = unitree_g1.fields()
    feet = {model.geom(f"{side}_foot{k}_collision").id for side in SIDES for k in range(1, 8)}
    assert {field.index for field in fields["friction"]} == {(foot, 0) for foot in feet}
    assert [field.index for field in fields["mass"]] == [(model.body("torso_link").id,)]
    assert [field.index[0] for field in fields["damping"]] == list(range(6, 35))
    assert {field.name for entry in fields.values() for field in entry} == {
        "geom_friction",
        "body_mass",
        "dof_damping",
    }
    at = g1_stand.TESTBED.nominal()
    assert np.all(model.geom_friction[sorted(feet), 0] == at["friction"])
    assert model.body("torso_link").mass == at["mass"]
    assert not np.any(model.dof_damping[:6])
    assert [model.joint(index).name for index in range(1, 30)] == unitree_g1.hinges()
    for index, name in enumerate(("stand", "knees_bent")):
        qpos, ctrl = unitree_g1.keyframe(name)
        assert np.array_equal(qpos, model.key_qpos[index])
        assert np.array_equal(ctrl, model.key_ctrl[index])


@pytest.mark.parametrize("module", SCENES)
def test_all_weigh_something_of_their_own_and_every_input_moves_the_loss(
    module: ModuleType,
) -> None:
    testbed: Testbed = module.TESTBED
    assert len({abs(weight) for weight in testbed.weights}) == 71
    assert 0 not in testbed.weights
    one, at = simulation(testbed), testbed.nominal()
    value = one.value(at)
    for given in testbed.inputs:
        for move in 1e-3 * np.eye(given.tangent_size):
            moved = {**at, given.name: given.retract(at[given.name], move)}
            assert abs(one.value(moved) - value) > 1e-9
    low, high = one.model.actuator_ctrlrange.T
    assert np.all((low < at["ctrl"]) & (at["ctrl"] < high))


def test_it_stands_on_both_soles_throughout() -> None:
    counts = touched(g1_stand.TESTBED, g1_stand.QPOS)
    assert set(counts["left"]) == set(counts["right"]) == {14}
    # That is no matter of course: five times the noise lifts a sole.
    quiet = unitree_g1.keyframe("stand")[1]
    one = simulation(g1_stand.TESTBED)
    one.start({**g1_stand.TESTBED.nominal(), "ctrl": quiet + 5 * (g1_stand.CTRL - quiet)})
    fewest = 28
    for _ in range(20):
        mujoco.mj_step(one.model, one.data)
        fewest = min(fewest, one.data.ncon)
    assert fewest < 24


def test_both_feet_land_from_ten_centimetres_within_a_microsecond() -> None:
    start = g1_drop.START
    heights = [height for pair in soles(start).values() for height in pair]
    # 1e-8 m at 1.4 m/s are 7 ns.
    assert heights == pytest.approx([0.1] * 4, abs=1e-8)
    until = g1_drop.SPEED / unitree_g1.GRAVITY
    assert until == pytest.approx(0.1428, abs=1e-4)
    counts = touched(g1_drop.TESTBED, start)
    # The soles are below ground at the start of step 143, at 0.143 s.
    assert [first(counts[side]) for side in SIDES] == [143, 143]
    assert counts["left"][-1] == counts["right"][-1] == 14


def test_one_foot_lands_and_the_other_does_not() -> None:
    found = soles(g1_step.START)
    assert found["left"] == pytest.approx((0.03, 0.03), abs=1e-8)
    assert found["right"] == pytest.approx((0.1335, 0.1335), abs=1e-4)
    counts = touched(g1_step.TESTBED, g1_step.START)
    # After 0.0423 s; below ground at the start of step 43, at 0.043 s.
    assert first(counts["left"]) == 43
    assert counts["left"][-1] == 14
    assert not any(counts["right"])
    until = (g1_step.SPEED - g1_step.DOWN) / unitree_g1.GRAVITY
    assert until == pytest.approx(0.0423, abs=1e-4)


@pytest.mark.parametrize(("module", "side"), [(g1_drop, "right"), (g1_step, "left")])
def test_the_sweep_crosses_the_first_contact_once(module: ModuleType, side: str) -> None:
    testbed: Testbed = module.TESTBED
    sweep = testbed.sweep
    assert sweep is not None
    landed = []
    for height in np.linspace(sweep.low, sweep.high, 33):
        qpos = testbed.nominal()[sweep.input]
        qpos[sweep.index] = height
        counts = touched(testbed, qpos)
        landed.append(first(counts[side]))
        if module is g1_step:
            assert not any(counts["right"])
    assert landed[0] < testbed.steps / 2
    # Higher lands later; from above the height that is just reached, not at all.
    assert landed == sorted(landed)
    reached = (module.REACHED - sweep.low) / (sweep.high - sweep.low) * 32
    assert landed.index(testbed.steps) == pytest.approx(reached, abs=2)


@pytest.mark.parametrize("module", SCENES)
def test_the_gradient_of_c_mujoco_is_that_of_the_rollout(module: ModuleType) -> None:
    testbed: Testbed = module.TESTBED
    one, at = simulation(testbed), testbed.nominal()
    gradient = one.value_and_grad(at)[1]
    assert gradient.keys() == {"qpos", "qvel", "ctrl"}
    for name in gradient:
        found = testbed.input(name).pull(at[name], gradient[name])
        expected = differences(one, testbed, name)
        scale = np.max(np.abs(expected))
        assert found == pytest.approx(expected, abs=1e-5 * scale), name


def test_mjx_loses_the_derivative_of_a_turn_at_rest() -> None:
    """Why the table of expected verdicts has MJX fail: when this fails, correct the table."""
    import jax
    from mujoco.mjx._src import math

    upright = jax.numpy.array([1.0, 0.0, 0.0, 0.0])
    turn = jax.jacfwd(lambda rate: math.quat_integrate(upright, rate, g1_drop.DT))
    right = g1_drop.DT / 2 * np.eye(3)
    assert turn(jax.numpy.array([1e-3, 0.0, 0.0]))[1:] == pytest.approx(right, abs=1e-6)
    assert not np.any(turn(jax.numpy.zeros(3)))
    # MuJoCo turns by the velocity at the end of the step: in flight that is none, on the ground
    # the disturbed controls have given it one.
    for module, flies in ((g1_stand, False), (g1_drop, True), (g1_step, True)):
        rates = simulation(module.TESTBED).trajectory(module.TESTBED.nominal())[1, 39:42]
        assert bool(np.all(np.abs(rates) < 1e-8)) is flies
        assert (module.TESTBED.expected.get(("mjx", "GC201")) is Verdict.FAIL) is flies


def test_the_scene_is_the_robots_own_file() -> None:
    for module in SCENES:
        model = mujoco.MjModel.from_xml_string(module.TESTBED.scene(Mjcf).xml)
        assert (model.nq, model.nv, model.nu) == (36, 35, 29)
        assert model.geom("ground").contype[0] == 1
