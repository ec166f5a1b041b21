"""Equations and formulas in JAX against closed forms, over growing horizons."""

import numpy as np
import pytest

from gradcheck import registry
from gradcheck.engine import Array, Settings, Unsupported
from gradcheck.engines.equations import EquationsEngine
from gradcheck.testbeds import damped_chain, double_pendulum, thruster

ENGINE = EquationsEngine()


def norm(gradient: dict[str, Array]) -> float:
    return float(np.linalg.norm(np.concatenate([one.ravel() for one in gradient.values()])))


@pytest.mark.parametrize(
    ("name", "allowed"), [("free_fall", 1e-12), ("thruster", 2e-3), ("pendulum", 0.02)]
)
def test_smooth_scenes_agree_with_the_physics(name: str, allowed: float) -> None:
    testbed = registry.testbed(name)
    assert testbed.truth is not None
    gradient = ENGINE.simulate(testbed, Settings()).value_and_grad(testbed.nominal())[1]
    for key, rows in testbed.truth.jacobian(testbed.nominal()).items():
        exact = np.tensordot(testbed.weights, rows, axes=1)
        assert gradient[key] == pytest.approx(exact, rel=allowed, abs=1e-12)


@pytest.mark.parametrize("name", ["gap_push", "step_push", "over_the_wall"])
def test_formulas_give_the_closed_form(name: str) -> None:
    testbed = registry.testbed(name)
    assert testbed.truth is not None
    assert testbed.sweep is not None
    for at in (testbed.sweep.low, testbed.sweep.high, testbed.nominal()[testbed.sweep.input][0]):
        inputs = {testbed.sweep.input: np.array([at])}
        value, gradient = ENGINE.simulate(testbed, Settings()).value_and_grad(inputs)
        assert value == pytest.approx(testbed.truth.outputs(inputs)[0], abs=1e-15)
        exact = testbed.truth.jacobian(inputs)[testbed.sweep.input][0]
        assert gradient[testbed.sweep.input] == pytest.approx(exact, abs=1e-14)


def test_spring_tie_sits_on_its_kinks() -> None:
    """JAX returns the left, the middle and the right slope; the differences stay apart."""
    testbed = registry.testbed("spring_tie")
    found = ENGINE.simulate(testbed, Settings())
    at = testbed.nominal()
    value, gradient = found.value_and_grad(at)
    assert {name: one.tolist() for name, one in gradient.items()} == {
        "length": [0.0],
        "loads": [0.5, 0.5],
        "push": [1.0],
    }
    for name, sides in {"length": (0.0, 3.0), "loads": (0.0, 1.0), "push": (0.0, 1.0)}.items():
        slopes = []
        for step in (-1e-6, 1e-6):
            moved = {**at, name: at[name].copy()}
            moved[name][0] += step
            slopes.append((found.value(moved) - value) / step)
        assert slopes == pytest.approx(sides, abs=1e-9)


def test_thruster_grows_with_known_orders() -> None:
    logs: dict[str, list[float]] = {}
    for steps in (250, 500, 1000):
        found = ENGINE.simulate(thruster.TESTBED, Settings(steps=steps))
        gradient = found.value_and_grad(thruster.TESTBED.nominal())[1]
        for name, one in gradient.items():
            logs.setdefault(name, []).append(np.log2(abs(one.item())))
    for name, order in {"x0": 0, "v0": 1, "force": 2, "mass": 2}.items():
        assert np.diff(logs[name]) == pytest.approx([order, order], abs=0.01)


def test_damped_chain_decays_at_its_rate_to_below_the_noise_floor() -> None:
    times = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    logs = []
    for time in times:
        steps = round(time / damped_chain.DT)
        found = ENGINE.simulate(damped_chain.TESTBED, Settings(steps=steps))
        gradient = found.value_and_grad(damped_chain.TESTBED.nominal())[1]
        logs.append(np.log(norm(gradient)))
        exact = damped_chain.jacobian_at(float(time))
        assert norm(gradient) == pytest.approx(norm(exact), rel=0.6)
    # Explicit damping decays by sqrt(1 - c dt) a step, 4.2 per second in place of 4.
    assert np.polyfit(times, logs, 1)[0] == pytest.approx(-4.2, abs=0.15)
    found = ENGINE.simulate(damped_chain.TESTBED, Settings())
    value, gradient = found.value_and_grad(damped_chain.TESTBED.nominal())
    assert 0 < norm(gradient) < np.finfo(np.float64).eps * abs(value)


def test_double_pendulum_grows_per_time_and_not_per_step() -> None:
    times = np.array([1.0, 2.0, 4.0, 6.0, 8.0, 10.0])
    rates = []
    for dt in (double_pendulum.DT, double_pendulum.DT / 2):
        logs = []
        for time in times:
            settings = Settings(dt=dt, steps=round(time / dt))
            found = ENGINE.simulate(double_pendulum.TESTBED, settings)
            gradient = found.value_and_grad(double_pendulum.TESTBED.nominal())[1]
            logs.append(np.log(norm(gradient)))
        rates.append(np.polyfit(times, logs, 1)[0])
    assert rates[0] == pytest.approx(1.4, abs=0.2)
    # Growth per step would halve the rate per step's time, and double it per second.
    assert rates[1] / rates[0] == pytest.approx(1.0, abs=0.25)


def test_a_scene_of_balls_is_refused() -> None:
    with pytest.raises(Unsupported, match="bounce is stated as Balls"):
        ENGINE.simulate(registry.testbed("bounce"), Settings())
