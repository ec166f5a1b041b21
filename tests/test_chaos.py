"""A right gradient of a chaotic rollout is not called wrong, and a wrong one is, while it can be.

A double pendulum by Runge and Kutta's fourth-order method, whose gradient grows by 4e10 in 16 s:
differences at the smallest step already move it over its whole attractor.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gradcheck import description
from gradcheck.artifact import Agreement
from gradcheck.checks import judge
from gradcheck.engine import Ability, AbstractSimulation, Array, Inputs, Settings
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict
from gradcheck.match import Outcome, matches
from gradcheck.measure import agreement, horizon, physics
from gradcheck.measure import steps as single_steps
from gradcheck.provenance import provenance
from gradcheck.testbed import Input, Testbed
from gradcheck.testbeds.double_pendulum import SCENE
from tests.measure.toys import Stepper, StepperSimulation, bed, subject

Spoil = Callable[[int, Array], Array]
START = Input("x", np.array([2.8, 1.2, 0.0, 0.0]), scale=0.5)
DT = 0.04
USABLE, BEYOND = 250, 400
"""Steps at which differences are still known to some per cent, and at which they saturate."""


def runge_kutta(states: Any, inputs: Any, dt: float) -> Any:
    """One step of the double pendulum: [b, 4] -> [b, 4], angles before rates."""

    def rate(x: Any) -> Any:
        q, v = np.moveaxis(x[..., :2], -1, 0), np.moveaxis(x[..., 2:], -1, 0)
        change = np.moveaxis(SCENE.acceleration(q, v, {}, np.zeros(()), np), 0, -1)
        return np.concatenate([x[..., 2:], change], axis=-1)

    one = rate(states)
    two = rate(states + dt / 2 * one)
    three = rate(states + dt / 2 * two)
    four = rate(states + dt * three)
    return states + dt / 6 * (one + 2 * two + 2 * three + four)


class Pendulum(Stepper):
    """With a forward mode, which is right whatever `spoil` does to the backward pass."""

    def __init__(self, spoil: Spoil | None = None, *, forward: bool = False) -> None:
        abilities = (Ability.BATCH, Ability.STEPS, *([Ability.FORWARD_MODE] if forward else []))
        super().__init__(runge_kutta, spoil=spoil, abilities=abilities)

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        made = super().simulate(testbed, settings)
        assert isinstance(made, StepperSimulation)
        return Forward(made.engine, made.steps, made.dt)


class Forward(StepperSimulation):
    def jvp(self, inputs: Inputs, tangents: Inputs) -> float:
        right = StepperSimulation(Pendulum(), self.steps, self.dt)
        tangent = np.asarray(tangents["x"])
        for jacobian in right.step_jacobians(inputs):
            tangent = jacobian @ tangent
        return float(tangent[0])


def stale(k: int, jacobian: Array) -> Array:
    """From step 60 on the backward pass reads a rate of change that is 10 % off."""
    return np.asarray(jacobian * (1.1 if k == 60 else 1.0))


def dropped(k: int, jacobian: Array) -> Array:
    return np.asarray(jacobian * np.array([1.0, 0.0, 1.0, 1.0]) if k == 0 else jacobian)


FAULTS: dict[str, Spoil] = {
    "factor 2": lambda k, j: np.asarray(2 * j if k == 0 else j),
    "sign": lambda k, j: np.asarray(-j if k == 0 else j),
    "dropped input": dropped,
    "stale": stale,
    "doubled at every step": lambda k, j: np.asarray(2 * j),
}


@functools.cache
def found(
    steps: int, fault: str | None = None, *, forward: bool = False, ladder: bool = True
) -> tuple[Evidence, tuple[Finding, ...]]:
    """The pendulum over `steps` steps, measured and judged."""
    engine = Pendulum(FAULTS[fault] if fault else None, forward=forward)
    one = subject(engine, bed(START, dt=DT, steps=steps))
    kinds = [agreement.measure, *([horizon.measure] if ladder else [])]
    if fault is None and ladder:
        kinds += [physics.measure, single_steps.measure]
    evidence = Evidence(
        engine="stepper",
        card=engine.card,
        testbed=description.testbed_record(one.testbed),
        provenance=provenance(seed=0, profile="quick"),
        artifacts=[measure(one) for measure in kinds],
    )
    return evidence, tuple(judge(evidence))


def of(findings: tuple[Finding, ...], code: str) -> list[Finding]:
    return [one for one in findings if one.code == code]


def test_a_right_gradient_beyond_the_usable_horizon_is_not_called_wrong() -> None:
    _, findings = found(BEYOND)
    assert not [f for f in findings if f.verdict is Verdict.FAIL and f.code[:3] != "GC1"]
    told = of(findings, "GC201")
    assert {one.verdict for one in told} == {Verdict.WARN}
    for one in told:
        assert "beyond the usable horizon" in one.message
        assert "saturate" in one.message
        assert one.signature is None
    assert {one.verdict for one in of(findings, "GC202")} == {Verdict.NOT_APPLICABLE}
    assert "saturate" in of(findings, "GC202")[0].message
    (many,) = of(findings, "GC207")
    assert many.verdict is Verdict.PASS
    assert "saturate" in many.message  # it says to where it could look
    (growth,) = of(findings, "GC301")
    assert growth.verdict is Verdict.WARN
    assert "chaos" in growth.message


def test_a_right_gradient_within_the_usable_horizon_agrees() -> None:
    evidence, _ = found(USABLE, ladder=False)
    outcomes = {match.outcome for match in matches(evidence)}
    assert Outcome.DIFFERS not in outcomes
    assert Outcome.AGREES in outcomes


@pytest.mark.parametrize("steps", [USABLE, 310])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_gradient_within_the_usable_horizon_fails(fault: str, steps: int) -> None:
    _, findings = found(steps, fault, ladder=False)
    assert Verdict.FAIL in [one.verdict for one in of(findings, "GC201")]


def test_the_ladder_sees_a_stale_state_beyond_the_usable_horizon_too() -> None:
    _, findings = found(BEYOND, "stale")
    (many,) = of(findings, "GC207")
    assert many.verdict is Verdict.FAIL
    assert many.signature is Signature.STALE_STATE


@pytest.mark.parametrize("fault", ["factor 2", "sign", "stale"])
def test_forward_mode_tells_where_differences_cannot(fault: str) -> None:
    _, wrong = found(BEYOND, fault, forward=True, ladder=False)
    told = [one for one in of(wrong, "GC201") if one.verdict is Verdict.FAIL]
    assert told
    assert "forward mode" in told[0].message
    _, right = found(BEYOND, forward=True, ladder=False)
    told = of(right, "GC201")
    assert {one.verdict for one in told} == {Verdict.WARN}
    assert "forward mode agrees" in told[0].message


@pytest.mark.parametrize(("steps", "saturates"), [(USABLE, 1e-6), (BEYOND, 0.0)])
def test_saturation_is_read_off_the_curve(steps: int, saturates: float) -> None:
    artifact = found(steps, ladder=False)[0].get(Agreement)
    assert artifact is not None
    for curve in artifact.curves:
        begin = curve.saturation()
        assert saturates < begin < saturates + 1e-3
        # A wrong gradient does not hide behind the growth that it claims.
        assert curve.model_copy(update={"gradient": 1e300}).saturation() == begin
