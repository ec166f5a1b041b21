"""Many slopes at once, each off a run of steps."""

import numpy as np
import pytest

from gradcheck.measure.slopes import central

STEPS = 10.0 ** np.arange(-8.0, -3.0, 0.5)


def read(*functions: object) -> tuple[np.ndarray, np.ndarray]:
    plus = np.stack([[f(h) for f in functions] for h in STEPS])  # type: ignore[operator]
    minus = np.stack([[f(-h) for f in functions] for h in STEPS])  # type: ignore[operator]
    return central(plus, minus, STEPS, np.full(len(functions), 1e-16))


def test_slopes_lie_within_their_uncertainty() -> None:
    value, doubt = read(
        lambda h: np.sin(0.7 + h),
        lambda h: np.exp(3 * h),
        lambda h: 2 * h,
        lambda h: h + 0.1 * (h > 2e-6),  # a jump close by
    )
    exact = np.array([np.cos(0.7), 3.0, 2.0, 1.0])
    assert np.all(np.abs(value - exact) <= doubt)
    assert np.all(doubt < 1e-7 * exact)


def test_without_a_finite_run_there_is_no_slope() -> None:
    value, doubt = read(lambda h: np.nan, lambda h: h if h < 1e-6 else np.inf)
    assert np.isnan(value[0])
    assert np.isinf(doubt[0])
    assert value[1] == pytest.approx(1.0, abs=1e-7)
