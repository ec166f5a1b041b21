"""Simulations are made once, and the budget follows profile and engine."""

import numpy as np
import pytest

from gradcheck.budget import FULL, QUICK, QUICK_SLOW
from gradcheck.direction import coordinates
from gradcheck.engine import Knob, Settings, Unsupported
from gradcheck.subject import Profile
from gradcheck.testbed import Input
from tests.measure.toys import bed, scalar, subject

BED = bed(Input("x", np.array([0.5]), scale=0.1, reach=2.0), dt=0.01, steps=10, speed=4.0)


def test_a_simulation_is_made_once() -> None:
    engine = scalar(np.sin, np.cos, knobs=())
    one = subject(engine, BED)
    # The testbed's own values ask for no knob.
    assert one.simulation() is one.simulation(Settings(steps=10, dt=0.01))
    assert engine.calls["simulate"] == 1
    with pytest.raises(Unsupported, match="no knob 'steps'"):
        one.simulation(Settings(steps=5))


def test_the_budget_follows_profile_and_engine() -> None:
    engine = scalar(np.sin, np.cos)
    assert subject(engine, BED).budget is QUICK
    engine.slow_build = True
    assert subject(engine, BED).budget is QUICK_SLOW
    assert subject(engine, BED, profile=Profile("full")).budget is FULL
    with pytest.raises(Unsupported, match="--profile full"):
        subject(engine, BED).require_builds()


def test_the_boundary_is_one_time_step_of_motion() -> None:
    one = subject(scalar(np.sin, np.cos), BED)
    (along,) = coordinates(one.tangent, ["x"], 1)
    assert one.boundary(along) == pytest.approx(4.0 * 0.01 / (2.0 * 0.1))
    assert one.boundary(along, dt=0.005) == pytest.approx(4.0 * 0.005 / (2.0 * 0.1))
    still = bed(Input("x", np.array([0.5])), dt=0.01, steps=10)
    assert subject(scalar(np.sin, np.cos), still).boundary(along) is None


def test_random_numbers_depend_on_seed_and_purpose_only() -> None:
    def draw(seed: int, purpose: str) -> float:
        return float(subject(scalar(np.sin, np.cos), BED, seed).rng(purpose).random())

    assert draw(0, "a") == draw(0, "a")
    assert len({draw(0, "a"), draw(1, "a"), draw(0, "b")}) == 3


def test_knobs_and_time_steps_are_asked_for_by_name() -> None:
    engine = scalar(np.sin, np.cos, knobs=(Knob.DT,))
    with pytest.raises(Unsupported, match="no knob 'steps'"):
        subject(engine, BED).require_time_steps()
    with pytest.raises(Unsupported, match="without time steps"):
        subject(engine, bed(Input("x", np.array([0.5])))).require_time_steps()
