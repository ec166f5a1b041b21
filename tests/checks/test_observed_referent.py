"""What is said of the referent that was observed."""

import math

import pytest

from gradcheck.checks.observed_referent import observed
from gradcheck.taxonomy import Referent
from tests.checks import made_up


def test_how_much_nearer_counts_against_the_named_one_only() -> None:
    """The gradient is as far from the other two as they are from each other, or farther: what
    these do between themselves says nothing of it."""
    seen = observed(made_up.referents(in_use=8, continuous=1.5), 1e-5)
    assert seen.referent is Referent.EXECUTED
    between = next(pair for pair in seen.pairs if pair.one is Referent.CONVERGED)
    assert between.nearer < 1e3
    assert seen.nearer > 1e6


def test_nothing_named_is_not_near() -> None:
    assert math.isnan(observed(made_up.referents(lambda k: 3.0), 1e-5).nearer)


@pytest.mark.parametrize(
    ("gradient", "possible"),
    [
        (lambda k: 1 - 0.5**k, (Referent.EXECUTED,)),
        (lambda k: 1.0, (Referent.CONVERGED,)),
        (lambda k: 1.5, (Referent.CONTINUOUS,)),
        (lambda k: -1.0, ()),
        # halfway between the program and the equation
        (lambda k: 1 - 0.5 ** (k + 1), ()),
    ],
)
def test_named_or_none(gradient: object, possible: tuple[Referent, ...]) -> None:
    assert callable(gradient)
    artifact = made_up.referents(gradient, in_use=3, continuous=1.5)
    assert observed(artifact, 1e-5).possible == possible
