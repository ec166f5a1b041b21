"""A small part of `tests.bench.detection`: faults are caught, and where is told to the digit."""

import functools
from typing import Any

import pytest

from gradcheck.engines.faulty import FaultyEngine
from gradcheck.engines.faulty_table import FAULTS, Mechanism
from gradcheck.finding import Finding, Signature, Verdict
from tests.bench.pipeline import examine, kinds_for, public_testbed, right_engine

# These share the compiled program of the right engine under them.
WRAPPED = [
    name
    for name, fault in FAULTS.items()
    if fault.mechanism is Mechanism.GRADIENT and fault.testbeds.get("pendulum") == "equations"
]


@functools.cache
def planted(name: str) -> FaultyEngine:
    """The fault on its first testbed's engine, whose programs are compiled once."""
    return FaultyEngine(name, right_engine(next(iter(FAULTS[name].testbeds.values()))))


def failure(name: str, code: str, more: tuple[str, ...] = ()) -> Finding:
    """The worst finding of that code on the fault's first testbed; it must be a failure."""
    fault = FAULTS[name]
    testbed = public_testbed(next(iter(fault.testbeds)))
    kinds = [*kinds_for([code]), *more]
    _, findings = examine(f"faulty:{name}", planted(name), testbed, kinds, seed=0)
    found = next(finding for finding in findings if finding.code == code)
    assert found.verdict is Verdict.FAIL, found.message
    return found


@pytest.mark.parametrize("name", WRAPPED)
def test_a_spoilt_gradient_is_caught_under_its_own_code(name: str) -> None:
    found = failure(name, FAULTS[name].codes[0])
    assert FAULTS[name].signature in (None, found.signature)


LOCATED: list[tuple[str, str, dict[str, Any], Signature | None]] = [
    (
        "sign_flip",
        "GC201",
        {"input": "length", "coordinate": 0, "label": "length[0]", "shortest_horizon": 1},
        Signature.SIGN_FLIP,
    ),
    (
        "off_by_one_horizon",
        "GC201",
        {"shortest_horizon": 1},
        Signature.PLATEAU,
    ),
    (
        "detached_state",
        "GC207",
        {"first_bad_step": 3, "shortest_horizon": 4, "input": "qpos", "coordinate": 0},
        Signature.STALE_STATE,
    ),
    (
        "stale_buffer",
        "GC207",
        {"first_bad_step": 2, "shortest_horizon": 3},
        Signature.STALE_STATE,
    ),
    (
        "dropped_term",
        "GC201",
        {"first_bad_step": 0},
        Signature.PLATEAU,
    ),
    (
        "power_growth",
        "GC207",
        {"first_bad_step": 0, "shortest_horizon": 1},
        Signature.POWER_OF_TWO,
    ),
]


@pytest.mark.parametrize(("name", "code", "where", "signature"), LOCATED, ids=lambda v: str(v)[:20])
def test_the_minimum_is_located(
    name: str, code: str, where: dict[str, Any], signature: Signature | None
) -> None:
    found = failure(name, code, more=("agreement", "horizon", "steps"))
    assert found.where is not None
    assert found.where.model_dump(include=set(where)) == where
    assert found.signature is signature
    assert found.snippet is not None
    assert "gradcheck.simulate('faulty:" in found.snippet


def test_the_same_minimum_is_located_again() -> None:
    first, second = (failure("stale_buffer", "GC207", more=("agreement", "steps")) for _ in "ab")
    assert first == second
