"""The numerical references against closed forms and against themselves at other tolerances."""

import numpy as np
import pytest

from gradcheck.scene import AnyArray, AnyInputs, Equations
from gradcheck.testbeds import double_pendulum, pendulum
from gradcheck.testbeds.reference import Rollout


def test_pendulum_at_a_small_angle_is_the_damped_oscillator() -> None:
    nominal = pendulum.TESTBED.nominal()
    angle, rate, horizon = 1e-4, -2e-4, pendulum.DT * pendulum.STEPS
    state, rows = Rollout(pendulum.SCENE, horizon).final(
        {**nominal, "qpos": np.array([angle]), "qvel": np.array([rate])}
    )
    length, damping = nominal["length"].item(), nominal["damping"].item()

    def oscillator(length: float, damping: float) -> tuple[float, float, float]:
        """q_T, dq_T/dq_0 and dq_T/dv_0 of (l² + I) q'' = -g l q - c q'."""
        inertia = length**2 + pendulum.INERTIA
        half = damping / (2 * inertia)
        frequency = np.sqrt(pendulum.GRAVITY * length / inertia - half**2)
        wave = np.sin(frequency * horizon) / frequency
        decay = np.exp(-half * horizon)
        of_angle = decay * (np.cos(frequency * horizon) + half * wave)
        return of_angle * angle + decay * wave * rate, of_angle, decay * wave

    final, of_angle, of_rate = oscillator(length, damping)
    assert state[0] == pytest.approx(final, rel=1e-6)
    assert rows["qpos"][0, 0] == pytest.approx(of_angle, rel=1e-6)
    assert rows["qvel"][0, 0] == pytest.approx(of_rate, rel=1e-6)
    probe = 1e-5
    longer = oscillator(length + probe, damping)[0] - oscillator(length - probe, damping)[0]
    slower = oscillator(length, damping + probe)[0] - oscillator(length, damping - probe)[0]
    assert rows["length"][0, 0] == pytest.approx(longer / (2 * probe), rel=1e-6)
    assert rows["damping"][0, 0] == pytest.approx(slower / (2 * probe), rel=1e-6)


def test_pendulum_holds_its_stated_accuracy() -> None:
    truth = pendulum.TESTBED.truth
    assert truth is not None
    nominal = pendulum.TESTBED.nominal()
    tight = Rollout(pendulum.SCENE, pendulum.DT * pendulum.STEPS, tolerance=3e-14).final(nominal)[1]
    for name, row in truth.jacobian(nominal).items():
        assert row == pytest.approx(tight[name], rel=truth.accuracy)


def test_double_pendulum_holds_its_stated_accuracy() -> None:
    truth = double_pendulum.TESTBED.truth
    assert truth is not None
    nominal = double_pendulum.TESTBED.nominal()
    horizon = double_pendulum.DT * double_pendulum.STEPS
    tight = Rollout(double_pendulum.SCENE, horizon, tolerance=1e-13).final(nominal)[1]
    for name, row in truth.jacobian(nominal).items():
        assert row == pytest.approx(tight[name], rel=truth.accuracy)


def test_double_pendulum_keeps_its_energy() -> None:
    """An error in the equations of motion would not."""
    nominal = double_pendulum.TESTBED.nominal()

    def energy(q: np.ndarray, v: np.ndarray) -> float:
        a, b, a_rate, b_rate = q[0], q[0] + q[1], v[0], v[0] + v[1]
        own = double_pendulum.INERTIA
        kinetic = (
            (2 + own) * a_rate**2 / 2 + (1 + own) * b_rate**2 / 2 + a_rate * b_rate * np.cos(a - b)
        )
        return float(kinetic - double_pendulum.GRAVITY * (2 * np.cos(a) + np.cos(b)))

    state, _ = Rollout(double_pendulum.SCENE, 3.0).final(nominal)
    assert energy(state[:2], state[2:]) == pytest.approx(
        energy(nominal["qpos"], nominal["qvel"]), rel=1e-9
    )


def test_a_reference_that_cannot_be_integrated_says_so() -> None:
    def blow_up(q: AnyArray, v: AnyArray, inputs: AnyInputs, t: AnyArray, xp: AnyArray) -> AnyArray:
        return q**3

    scene = Equations(lambda i, xp: (i["q"], i["v"]), blow_up, lambda q, v, i, xp: q)
    with (
        pytest.raises(RuntimeError, match="could not be integrated"),
        np.errstate(all="ignore"),
    ):
        Rollout(scene, 10.0).final({"q": np.array([3.0]), "v": np.array([3.0])})
