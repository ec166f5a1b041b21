"""Has a number moved, and to how many figures is it known?"""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradcheck.move import Measured, Move, moved, rounded

NUMBERS = st.floats(-1e12, 1e12)
SIZES = st.floats(1e-12, 1e12)


@pytest.mark.parametrize(
    ("old", "new", "move"),
    [
        ((1.0, 0.1), (1.5, 0.1), Move.SAME),  # 4 times 0.14
        ((1.0, 0.1), (1.6, 0.1), Move.WORSE),
        ((1.6, 0.1), (1.0, 0.1), Move.BETTER),
        ((1.0, None), (1.0, None), Move.SAME),
        ((1.0, None), (1.0 + 1e-15, None), Move.WORSE),
        ((0.0, 0.0), (1.0, 0.0), Move.WORSE),
        ((1.0, 0.1), (math.nan, 9.0), Move.WORSE),
        ((math.nan, None), (1.0, 0.1), Move.BETTER),
        ((math.nan, None), (math.nan, None), Move.SAME),
        ((math.inf, None), (math.inf, None), Move.SAME),
        ((1.0, 0.1), (math.inf, 0.1), Move.WORSE),
        ((math.inf, None), (1.0, 0.1), Move.BETTER),
        ((1.0, math.inf), (9.0, 0.1), Move.WORSE),  # noise without bound explains nothing
        ((1.0, math.nan), (9.0, 0.1), Move.WORSE),
    ],
)
def test_moved(
    old: tuple[float, float | None], new: tuple[float, float | None], move: Move
) -> None:
    assert moved(Measured(*old), Measured(*new), 4.0) is move


@pytest.mark.parametrize(
    ("measured", "short"),
    [
        ((3.38924, 0.12345), (3.39, 0.13)),
        ((3.38924, 0.0), (3.38924, 0.0)),
        ((3.38924, None), (3.38924, None)),
        ((1234.5678, 56.0), (1235.0, 56.0)),
        ((6.2e-6, 5.71e-5), (6e-6, 5.8e-5)),
        ((math.inf, None), (math.inf, None)),
        ((5e-324, 5e-324), (5e-324, 5e-324)),
        ((1.23456, -0.1), (1.23456, -0.1)),
    ],
)
def test_rounded(measured: tuple[float, float | None], short: tuple[float, float | None]) -> None:
    assert tuple(rounded(Measured(*measured))) == short


@example(1.25, 0.9921875)
@given(NUMBERS, SIZES)
def test_rounding_loses_a_tenth_of_the_uncertainty_at_most_and_is_done_once(
    value: float, uncertainty: float
) -> None:
    first = rounded(Measured(value, uncertainty))
    assert first.uncertainty is not None
    assert uncertainty <= first.uncertainty <= 1.1 * uncertainty * (1 + 1e-9)
    assert abs(first.value - value) <= 0.1 * uncertainty + 1e-15 * abs(value)
    assert rounded(first) == first


@given(NUMBERS, SIZES, NUMBERS, SIZES)
def test_there_and_back(old: float, doubt: float, new: float, other: float) -> None:
    one, two = Measured(old, doubt), Measured(new, other)
    back = {Move.SAME: Move.SAME, Move.WORSE: Move.BETTER, Move.BETTER: Move.WORSE}
    assert moved(two, one, 4.0) is back[moved(one, two, 4.0)]
