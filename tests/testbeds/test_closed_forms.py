"""Every closed form: its Jacobian against its own outputs, and against the engines."""

import numpy as np
import pytest

from gradcheck import registry
from gradcheck.engine import Array, Settings, Unsupported
from gradcheck.engines.closed_form import ClosedForm
from gradcheck.testbed import Testbed, Truth

CLOSED = [
    "free_fall",
    "thruster",
    "bounce",
    "wall",
    "soft_wall",
    "two_balls",
    "oblique_impact",
    "gap_push",
    "step_push",
    "over_the_wall",
    "damped_chain",
    "bounce_chain",
]


def truth(testbed: Testbed) -> Truth:
    assert testbed.truth is not None
    return testbed.truth


def points(testbed: Testbed) -> list[dict[str, Array]]:
    """The nominal inputs, and one beyond the event that the sweep crosses."""
    found = [testbed.nominal()]
    if (sweep := testbed.sweep) is not None:
        for at in (sweep.low, sweep.high):
            moved = testbed.nominal()
            moved[sweep.input].flat[sweep.index] = at
            found.append(moved)
    return found


@pytest.mark.parametrize("name", CLOSED)
def test_jacobian_is_that_of_the_outputs(name: str) -> None:
    testbed = registry.testbed(name)
    for at in points(testbed):
        rows = truth(testbed).jacobian(at)
        assert list(rows) == [one.name for one in testbed.inputs]
        for one in testbed.inputs:
            assert rows[one.name].shape == (len(testbed.outputs), *one.default.shape)
            for index in range(one.default.size):
                unit = np.zeros(one.default.shape)
                unit.flat[index] = 1e-6 * one.scale
                plus = truth(testbed).outputs({**at, one.name: at[one.name] + unit})
                minus = truth(testbed).outputs({**at, one.name: at[one.name] - unit})
                slope = (plus - minus) / (2e-6 * one.scale)
                column = rows[one.name].reshape(len(testbed.outputs), -1)[:, index]
                assert column == pytest.approx(slope, rel=1e-6, abs=1e-8 / one.scale)


@pytest.mark.parametrize("name", CLOSED)
def test_complex_step_equals_the_jacobian(name: str) -> None:
    testbed = registry.testbed(name)
    simulation = ClosedForm().simulate(testbed, Settings())
    for at in points(testbed):
        value, gradient = simulation.value_and_grad(at)
        for one in testbed.inputs:
            for index in range(one.default.size):
                probe = {key: array.astype(np.complex128) for key, array in at.items()}
                probe[one.name].flat[index] += 1e-30j
                found = simulation.value_complex(probe)
                assert found.real == pytest.approx(value, rel=1e-14)
                assert found.imag / 1e-30 == pytest.approx(
                    gradient[one.name].flat[index], rel=1e-12, abs=1e-14
                )


@pytest.mark.parametrize("name", ["pendulum", "double_pendulum"])
def test_numerical_references_are_not_called_closed_forms(name: str) -> None:
    with pytest.raises(Unsupported, match="not a closed form"):
        ClosedForm().simulate(registry.testbed(name), Settings())


@pytest.mark.parametrize("name", ["wall", "bounce", "two_balls", "gap_push", "over_the_wall"])
def test_smoothed_slope_is_that_of_the_smoothed_closed_form(name: str) -> None:
    """E f(x + w) w / sigma² on a fine grid, in every noisy coordinate."""
    testbed = registry.testbed(name)
    smoothed = truth(testbed).smoothed
    assert smoothed is not None
    weights = np.array(testbed.weights)
    nodes = np.linspace(-6, 6, 601)
    density = np.exp(-(nodes**2) / 2) / np.sqrt(2 * np.pi) * (nodes[1] - nodes[0])
    for at in points(testbed):
        gradient = smoothed(at)
        for key, sigma in testbed.noise.items():
            for index in range(at[key].size):
                values = []
                for node in nodes:
                    moved = at[key].copy()
                    moved.flat[index] += sigma * node
                    values.append(float(weights @ truth(testbed).outputs({**at, key: moved})))
                total = float(np.sum(np.array(values) * density * nodes)) / sigma
                assert gradient[key].flat[index] == pytest.approx(total, abs=2e-3)
