"""Where a truncation cuts; that its gradient is the shortened rollout's is in test_backward."""

import numpy as np
import pytest

from gradcheck.engine import BadInput
from gradcheck.remedies import Truncation


def cut_at(truncation: Truncation, steps: int) -> list[int]:
    return [t for t in range(steps) if truncation.cuts(t, steps)]


def test_every_makes_segments_from_the_start() -> None:
    assert cut_at(Truncation(every=3), 10) == [3, 6, 9]
    assert cut_at(Truncation(every=1), 4) == [1, 2, 3]
    assert np.flatnonzero(Truncation(every=3).cuts(np.arange(10))).tolist() == [3, 6, 9]


def test_last_cuts_once() -> None:
    assert cut_at(Truncation(last=3), 10) == [7]
    assert cut_at(Truncation(last=1), 4) == [3]


@pytest.mark.parametrize("truncation", [Truncation(every=10), Truncation(last=10)])
def test_a_horizon_no_longer_than_the_truncation_is_whole(truncation: Truncation) -> None:
    assert not cut_at(truncation, 10)
    assert not cut_at(truncation, 7)


@pytest.mark.parametrize(
    "given", [{}, {"every": 2, "last": 2}, {"every": 0}, {"last": 0}, {"last": -3}]
)
def test_just_one_of_the_two_is_given(given: dict[str, int]) -> None:
    with pytest.raises(BadInput, match="either `every` or `last`"):
        Truncation(**given)


def test_the_last_steps_need_to_know_how_many_there_are() -> None:
    with pytest.raises(BadInput, match="needs `steps`"):
        Truncation(last=3).cuts(2)


def test_descriptions() -> None:
    assert Truncation(every=8).describe() == "truncation: gradient cut every 8 steps"
    last = Truncation(last=1).describe()
    assert last == "truncation: gradient through the last 1 step only"
