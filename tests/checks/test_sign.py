"""What a ratio to the right gradient is called."""

import pytest

from gradcheck.checks.sign import power_of_two, signature_of
from gradcheck.finding import Signature


@pytest.mark.parametrize("ratio", [2.0, 0.5, 4.0, 0.25, 8.0, 0.125])
def test_small_powers_of_two_are_named(ratio: float) -> None:
    assert signature_of(ratio, 1e-5, 0.01) is Signature.POWER_OF_TWO


@pytest.mark.parametrize("ratio", [1.0, 16.0, 2.0**31, 2.0**-20, 3.0, -2.0, float("inf")])
def test_large_powers_are_near_every_ratio_and_name_nothing(ratio: float) -> None:
    assert not power_of_two(ratio, 1e-5)


@pytest.mark.parametrize("ratio", [2.0, -1.0, 0.01])
def test_a_ratio_that_is_not_known_names_nothing(ratio: float) -> None:
    assert signature_of(ratio, 0.5, 0.01) is Signature.PLATEAU
