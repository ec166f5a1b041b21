"""float32 beside float64, and float32 that hides in float64."""

from typing import Any

import numpy as np
import pytest

from gradcheck.engine import Knob, Settings, Unsupported
from gradcheck.measure.precision import measure
from gradcheck.testbed import Input
from tests.measure.toys import Toy, bed, scalar, subject

KNOBS = (Knob.PRECISION,)
BED = bed(Input("x", np.array([0.7, 1.3]), scale=0.2))


def wave(inside: str | None = None) -> Toy:
    """sin(x0) exp(x1), in the precision asked for, or with float32 in one place."""

    def loss(batch: Any, settings: Settings) -> Any:
        x = batch["x"].astype("float32" if inside == "loss" else settings.precision)
        return np.sin(x[:, 0]) * np.exp(x[:, 1])

    def grad(batch: Any, settings: Settings) -> Any:
        x = batch["x"].astype("float32" if inside == "gradient" else settings.precision)
        a, b = x[:, 0], x[:, 1]
        return {"x": np.stack([np.cos(a) * np.exp(b), np.sin(a) * np.exp(b)], axis=1)}

    return Toy(loss, grad, knobs=KNOBS)


def test_both_precisions_are_recorded() -> None:
    precision = measure(subject(wave(), BED))
    exact = np.array([np.cos(0.7), np.sin(0.7)]) * np.exp(1.3)
    assert precision.float64["x"] == pytest.approx(exact, rel=1e-15)
    single = np.abs(np.array(precision.float32["x"]) / exact - 1)
    assert 0 < single.max() < 3e-7
    assert precision.value64 == pytest.approx(np.sin(0.7) * np.exp(1.3), rel=1e-15)
    assert precision.value32 != precision.value64
    assert 0 < precision.value_resolution < 1e-14
    assert 0 < precision.gradient_resolution < 1e-14


def test_gradients_are_also_recorded_at_inputs_that_float32_cannot_hold() -> None:
    one = bed(Input("x", np.array([np.float32(0.3), np.float32(1.2)], np.float64), scale=0.2))
    product = Toy(
        lambda batch, settings: batch["x"].prod(axis=1),
        lambda batch, settings: {"x": batch["x"][:, ::-1]},
        knobs=KNOBS,
    )
    precision = measure(subject(product, one))
    assert all(x == float(np.float32(x)) for x in precision.float64["x"])
    assert [x == float(np.float32(x)) for row in precision.moved64 for x in row["x"]] == [False] * 4
    cast = measure(subject(wave("gradient"), one))
    assert [x == float(np.float32(x)) for row in cast.moved64 for x in row["x"]] == [True] * 4


@pytest.mark.parametrize("seed", range(5))
def test_hidden_float32_shows_in_the_resolution(seed: int) -> None:
    precision = measure(subject(wave("loss"), BED, seed))
    assert precision.value_resolution > 1e-9
    assert precision.gradient_resolution < 1e-14
    precision = measure(subject(wave("gradient"), BED, seed))
    assert precision.value_resolution < 1e-14
    assert precision.gradient_resolution > 1e-9


def test_the_noise_of_a_solver_is_told_from_rounding() -> None:
    one = bed(Input("x", np.array([0.7]), scale=0.2))

    def jittered(x: Any) -> Any:
        return np.sin(x) + 1e-9 * np.sin(1e18 * x)

    noisy = measure(subject(scalar(jittered, np.cos, knobs=KNOBS), one))
    assert noisy.value_resolution > 1e-10
    assert noisy.value_jitter > noisy.value_resolution / 10
    rounded = measure(subject(wave("loss"), BED))
    assert rounded.value_jitter == 0.0


def test_a_linear_loss_and_a_vanishing_one_are_as_fine_as_can_be() -> None:
    one = bed(Input("x", np.array([0.7]), scale=0.2))
    linear = measure(subject(scalar(lambda x: 3 * x, lambda x: 0 * x + 3, knobs=KNOBS), one))
    assert linear.gradient_resolution == 0.0
    assert linear.value_resolution < 1e-14
    # A loss that cancels to zero is held against its slope, not against itself.
    zero = measure(subject(scalar(lambda x: x - 0.7, np.ones_like, knobs=KNOBS), one))
    assert zero.value_resolution < 1e-13
    flat = measure(subject(scalar(np.zeros_like, np.zeros_like, knobs=KNOBS), one))
    assert (flat.value_resolution, flat.gradient_resolution) == (0.0, 0.0)


@pytest.mark.parametrize("amplified", [1e2, 1e5, 1e7])
def test_a_loss_that_changes_fast_is_not_taken_for_noise(amplified: float) -> None:
    one = bed(Input("x", np.array([0.7]), scale=0.2))
    engine = scalar(
        lambda x: np.sin(amplified * x), lambda x: amplified * np.cos(amplified * x), knobs=KNOBS
    )
    precision = measure(subject(engine, one))
    # Rounding of the input is amplified, and stays rounding.
    assert precision.value_resolution < 1e-15 * amplified
    assert precision.gradient_resolution < 1e-15 * amplified


def test_reasons_for_not_measuring() -> None:
    with pytest.raises(Unsupported, match="no knob 'precision'"):
        measure(subject(scalar(np.sin, np.cos), BED))
    engine = wave()
    engine.slow_build = True
    with pytest.raises(Unsupported, match="left out of the quick profile"):
        measure(subject(engine, BED))
