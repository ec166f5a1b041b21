"""Step Jacobians against differences of each step."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradcheck.artifact import Steps
from gradcheck.budget import QUICK
from gradcheck.engine import Array, Unsupported
from gradcheck.measure import steps
from gradcheck.measure.steps import measure
from gradcheck.subject import Subject
from gradcheck.testbed import Input
from tests.measure.test_horizon import logistic, pendulum
from tests.measure.toys import Stepper, bed, subject

X = Input("x", np.array([0.4, 0.3]))
BED = bed(X, dt=0.01, steps=100)


def run(
    step: Any = pendulum, spoil: Callable[[int, Array], Array] | None = None, **options: Any
) -> Steps:
    return measure(subject(Stepper(step, spoil=spoil, **options), BED))


@pytest.mark.parametrize("step", [pendulum, logistic])
def test_right_jacobians_agree(step: Any) -> None:
    found = run(step)
    assert len(found.errors) == len(found.uncertainty) == 100
    assert found.indices == list(range(100))
    assert max(found.errors) < 1e-8
    assert all(e <= u for e, u in zip(found.errors, found.uncertainty, strict=True))


def test_one_wrong_step_is_found_with_its_entry() -> None:
    def spoil(k: int, jacobian: Array) -> Array:
        return jacobian * np.array([[1.0, 1.0], [1.5, 1.0]]) if k == 63 else jacobian

    found = run(spoil=spoil)
    bad = [k for k, e in enumerate(found.errors) if e > 1e-6]
    assert bad == [63]
    assert found.entries[63] == (1, 0)
    # The lower left entry is about -dt g cos(angle), the largest is about 1.
    assert 0.02 < found.errors[63] < 0.06


def test_a_transposed_jacobian_shows_as_such() -> None:
    found = run(spoil=lambda k, j: j.T)
    assert min(found.errors) > 1e-3
    assert max(found.transposed) < 1e-8
    assert min(run().transposed) > 1e-3


def test_nan_stays_nan_and_dead_steps_are_right() -> None:
    found = run(spoil=lambda k, j: j * np.nan if k == 2 else j)
    assert np.isnan(found.errors[2])
    assert found.errors[3] < 1e-8
    dead = run(lambda states, inputs, dt: 0 * states)
    assert (dead.errors[0], dead.transposed[0]) == (0.0, 0.0)
    wrong = run(lambda states, inputs, dt: 0 * states, lambda k, j: j + 1)
    assert wrong.errors[0] == np.inf


def test_too_many_steps_are_sampled_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    few = property(lambda self: replace(QUICK, step_rows=2 * 7 * 2 * 10))
    monkeypatch.setattr(Subject, "budget", few)
    found = run()
    assert found.indices == list(range(0, 100, 11))
    assert len(found.errors) == 10
    assert max(found.errors) < 1e-8


def test_calls_have_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = set()

    def watched(states: Any, inputs: Any, dt: float) -> Any:
        sizes.add(states.shape[0])
        return pendulum(states, inputs, dt)

    monkeypatch.setattr(steps, "CHUNK", 256)
    assert max(run(watched).errors) < 1e-8
    assert sizes == {1, 100, 256}  # the trajectory, its Jacobians, the differences


def test_reasons() -> None:
    with pytest.raises(Unsupported, match="300 entries"):
        measure(subject(Stepper(lambda x, *_: x), bed(Input("x", np.ones(300)), dt=0.1, steps=2)))
    with pytest.raises(Unsupported, match="does not show its single steps"):
        run(abilities=())
    engine = Stepper(pendulum)
    engine.slow_build = True
    with pytest.raises(Unsupported, match="quick profile"):
        measure(subject(engine, BED))
