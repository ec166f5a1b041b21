"""Coordinates, random and named directions."""

import numpy as np

from gradcheck import direction
from gradcheck.tangent import Tangent
from gradcheck.testbed import Input
from tests.measure.toys import bed

WIDE = Input("wide", np.zeros(100), scale=2.0)
ONE = Input("one", np.zeros(1), scale=0.5)
TANGENT = Tangent((WIDE, ONE))


def test_coordinates_are_spread_with_the_first_and_the_last() -> None:
    found = direction.coordinates(TANGENT, ["wide", "one"], 5)
    assert [one.index for one in found] == [0, 25, 50, 74, 99, 0]
    assert found[1].label == "wide[25]"
    assert found[1].vector[25] == 2.0
    assert np.count_nonzero(found[1].vector) == 1
    assert found[-1].vector[100] == 0.5


def test_random_directions_are_units_of_typical_changes() -> None:
    found = direction.random(TANGENT, ["wide", "one"], 2, np.random.default_rng(0))
    # Where there is one coordinate, it is the direction.
    assert [one.input for one in found] == ["wide", "wide", None]
    for one in found:
        assert np.linalg.norm(one.vector / TANGENT.scales) == 1.0 or np.isclose(
            np.linalg.norm(one.vector / TANGENT.scales), 1.0
        )
    assert found[-1].vector[100] != 0


def test_undifferentiated_inputs_are_left_alone() -> None:
    assert all(
        not one.vector[:100].any()
        for one in [
            *direction.coordinates(TANGENT, ["one"], 5),
            *direction.random(TANGENT, ["one"], 2, np.random.default_rng(0)),
        ]
    )


def test_named_directions_are_scaled_and_those_without_gradient_left_out() -> None:
    testbed = bed(
        WIDE, ONE, directions={"normal": {"one": np.array([3.0])}, "both": {"wide": np.ones(100)}}
    )
    (found,) = direction.named(testbed, TANGENT, ["one"])
    assert (found.label, found.role, found.input) == ("normal", "named", "one")
    assert found.vector[100] == 1.5
