"""The G1 simulator as an engine: scenes, parameters, refusals."""

import numpy as np
import pytest

from gradcheck import registry
from gradcheck.engine import Settings, Unsupported
from gradcheck.engines import g1
from gradcheck.engines.g1_engine import places
from gradcheck.engines.mjcf import compile_model
from gradcheck.scene import Field


@pytest.fixture(scope="module")
def robot() -> g1.Model:
    return g1.load(compile_model(registry.testbed("g1_drop"), Settings()), dtype="float64")


def test_values_are_those_of_mujoco_on_the_robot() -> None:
    testbed = registry.testbed("g1_stand")
    settings = Settings(steps=3)
    ours = registry.engine("g1").simulate(testbed, settings)
    theirs = registry.engine("mujoco").simulate(testbed, settings)
    inputs = {**testbed.nominal(), "friction": np.array([0.5]), "mass": np.array([9.0])}
    assert ours.value(inputs) == pytest.approx(theirs.value(inputs), rel=1e-9)


def test_a_body_without_joints() -> None:
    """The ball's fall and contact, and its gradient in a batch whose worlds differ."""
    testbed = registry.testbed("drop")
    settings = Settings(steps=testbed.steps // 2)
    ours = registry.engine("g1").simulate(testbed, settings)
    theirs = registry.engine("mujoco").simulate(testbed, settings)
    rows = [testbed.nominal(), {**testbed.nominal(), "friction": np.array([0.2])}]
    rows[1]["qpos"] = rows[1]["qpos"] + np.array([0.0, 0.0, -0.02, 0.0, 0.0, 0.0, 0.0])
    batch = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    expected = [theirs.value(row) for row in rows]
    np.testing.assert_allclose(ours.values(batch), expected, rtol=1e-9)
    _, gradients = ours.values_and_grads(batch)
    h = 1e-6
    for world, row in enumerate(rows):
        moved = [{**row, "qvel": row["qvel"] + sign * h * np.eye(6)[0]} for sign in (1, -1)]
        slope = (ours.value(moved[0]) - ours.value(moved[1])) / (2 * h)
        assert gradients["qvel"][world, 0] == pytest.approx(slope, rel=1e-6)


def test_diagnostics_are_of_the_worst_step() -> None:
    testbed = registry.testbed("drop")
    told = registry.engine("g1").simulate(testbed, Settings()).diagnostics(testbed.nominal())
    assert 0 < told["residual"] < 1e-11
    assert told["iterations"] >= 1


def test_fields_of_the_robot_are_parameters(robot: g1.Model) -> None:
    sole = robot.structure.pairs[3]
    assert places(robot, Field("geom_friction", (sole.geom, 0))) == ("friction", [(3,)])
    assert places(robot, Field("body_mass", (4,))) == ("body_mass", [(4,)])
    assert places(robot, Field("dof_damping", (9,))) == ("dof_damping", [(9,)])
    with pytest.raises(Unsupported, match="geom_size"):
        places(robot, Field("geom_size", (sole.geom, 0)))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("drop_box", "a box against a plane"),
        ("cartpole", "one free joint"),
    ],
)
def test_scenes_that_it_does_not_compute_are_refused_by_name(name: str, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        registry.engine("g1").simulate(registry.testbed(name), Settings())
