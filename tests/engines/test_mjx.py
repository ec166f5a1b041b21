"""MJX: its gradient against its own differences, its values against C MuJoCo, its refusals.

One program takes many seconds to compile, so the tests share few: forward mode on `drop`, reverse
mode on `slide`, the smallest scene with a contact.
"""

from dataclasses import replace

import numpy as np
import pytest

from gradcheck.engine import AbstractSimulation, Array, Settings, Unsupported
from gradcheck.engines.mjx import MjxEngine
from gradcheck.engines.mujoco_c import MujocoEngine
from gradcheck.scene import Field, Mjcf
from gradcheck.taxonomy import Retention
from gradcheck.testbed import Testbed
from gradcheck.testbeds import cartpole, drop, slide

STEP = 1e-6


@pytest.fixture(scope="module")
def forward() -> AbstractSimulation:
    return MjxEngine().simulate(drop.TESTBED, Settings())


@pytest.fixture(scope="module")
def backward() -> AbstractSimulation:
    return MjxEngine("reverse").simulate(slide.TESTBED, Settings())


def differences(simulation: AbstractSimulation, testbed: Testbed, name: str) -> Array:
    """Central differences along each tangent coordinate of one input, in one batch."""
    at, one = testbed.nominal(), testbed.input(name)
    moves = np.concatenate([s * STEP * np.eye(one.tangent_size) for s in (1, -1)])
    batch = {key: np.repeat(value[None], len(moves), axis=0) for key, value in at.items()}
    batch[name] = one.retract(at[name], moves)
    up, down = np.split(simulation.values(batch), 2)
    result: Array = (up - down) / (2 * STEP)
    return result


def check_gradient(simulation: AbstractSimulation, testbed: Testbed) -> None:
    at = testbed.nominal()
    value, gradient = simulation.value_and_grad(at)
    assert value == pytest.approx(simulation.value(at), rel=1e-12)
    assert gradient.keys() == {one.name for one in testbed.inputs}
    for one in testbed.inputs:
        found = one.pull(at[one.name], gradient[one.name])
        assert np.max(np.abs(found)) > 0.01
        assert found == pytest.approx(
            differences(simulation, testbed, one.name), rel=1e-5, abs=1e-6
        )


def test_forward_mode_agrees_with_differences(forward: AbstractSimulation) -> None:
    check_gradient(forward, drop.TESTBED)
    at = drop.TESTBED.nominal()
    gradient = forward.value_and_grad(at)[1]
    along = {name: np.ones_like(value) for name, value in at.items()}
    expected = sum(part.sum() for part in gradient.values())
    assert forward.jvp(at, along) == pytest.approx(expected, rel=1e-9)
    quaternion, raw = at["qpos"][3:7], gradient["qpos"][3:7]
    assert abs(quaternion @ raw) < 1e-9 * np.linalg.norm(raw)


def test_forward_values_are_those_of_c_mujoco(forward: AbstractSimulation) -> None:
    in_c = MujocoEngine().simulate(drop.TESTBED, Settings())
    rng = np.random.default_rng(0)
    batch = {
        one.name: one.retract(
            one.default, 0.1 * one.scale * rng.standard_normal((16, one.tangent_size))
        )
        for one in drop.TESTBED.inputs
    }
    assert forward.values(batch) == pytest.approx(in_c.values(batch), abs=1e-8)


def test_one_program_serves_horizons_and_time_steps(forward: AbstractSimulation) -> None:
    at = drop.TESTBED.nominal()
    for settings in (Settings(steps=40), Settings(dt=0.0025, steps=120)):
        other = MujocoEngine().simulate(drop.TESTBED, settings).value(at)
        engine = forward.engine  # type: ignore[attr-defined]
        found = engine.simulate(drop.TESTBED, settings)
        assert found.programs is forward.programs  # type: ignore[attr-defined]
        assert found.value(at) == pytest.approx(other, abs=1e-8)


def test_reverse_mode_agrees_with_differences(backward: AbstractSimulation) -> None:
    check_gradient(backward, slide.TESTBED)
    shorter = MjxEngine.simulate(
        backward.engine,  # type: ignore[attr-defined]
        slide.TESTBED,
        Settings(steps=7),
    )
    check_gradient(shorter, slide.TESTBED)


def test_cards_state_what_is_done() -> None:
    forward, reverse = MjxEngine().card, MjxEngine("reverse").card
    assert (forward.name, reverse.name) == ("mjx", "mjx:reverse")
    assert forward.retention is Retention.NOTHING
    assert reverse.retention is Retention.CHECKPOINT
    assert forward.frozen == reverse.frozen == ()


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("<option ", '<option integrator="implicit" ', "mjINT_IMPLICIT"),
        ("<option ", '<option solver="PGS" ', "mjSOL_PGS"),
        (
            "</worldbody>",
            '<geom type="cylinder" size=".1 .1"/><body><freejoint/>'
            '<geom type="box" size=".1 .1 .1"/></body></worldbody>',
            "mjGEOM_CYLINDER.*mjGEOM_BOX.*not implemented",
        ),
    ],
)
def test_what_mjx_cannot_do_is_told_in_its_words(old: str, new: str, text: str) -> None:
    scene = cartpole.TESTBED.scene(Mjcf)
    xml = scene.xml.replace('integrator="Euler"', "").replace(old, new, 1)
    body = "<body>" in new
    inputs = () if body else cartpole.TESTBED.inputs
    weights = (1.0,) * (4 + 13 * body)
    testbed = replace(
        cartpole.TESTBED, scenes=(Mjcf(xml, scene.fields),), inputs=inputs, weights=weights
    )
    if body:
        testbed = replace(testbed, scenes=(Mjcf(xml, {}),))
    with pytest.raises(Unsupported, match=f"MJX: .*{text}"):
        MjxEngine().simulate(testbed, Settings())


def test_a_model_field_that_mjx_holds_constant() -> None:
    fields = {"damping": (Field("jnt_type", (0,)),)}
    testbed = replace(cartpole.TESTBED, scenes=(Mjcf(cartpole.XML, fields),))
    with pytest.raises(Unsupported, match=r"'damping' enters MjModel.jnt_type, which mjx.Model"):
        MjxEngine().simulate(testbed, Settings())


def test_variants_and_knobs() -> None:
    with pytest.raises(Unsupported, match="no variant 'backward'"):
        MjxEngine("backward")
    with pytest.raises(Unsupported, match="no knob 'iterations'"):
        MjxEngine("reverse").simulate(drop.TESTBED, Settings(iterations=4))
