"""The referent of engines whose cards are hidden. `python -m tests.bench.blind` asks all."""

import dataclasses

import pytest

from gradcheck.taxonomy import Referent
from tests.bench.blind import Answer, Case, ask, cases, table

CASES = {str(case): case for case in cases()}
QUICK = {
    "fixed_point:unrolled on pendulum": "right",
    "fixed_point:implicit on pendulum": "right",
    "fixed_point:last on pendulum": "right",
    "particles:ideal on bounce": "cannot be told",
    "mujoco on drop": "cannot be told",
    "mujoco, 1 iterations on drop": "right",
    "converged-custom, gauss_seidel 3 on spring_chain": "right",
}


@pytest.mark.parametrize("name", QUICK)
def test_a_hidden_card_is_no_loss(name: str) -> None:
    answer = ask(CASES[name])
    assert answer.outcome == QUICK[name], answer.seen.told
    assert not answer.fails


def test_another_name_is_wrong() -> None:
    """The benchmark itself can fail."""
    right = ask(CASES["particles:ideal on bounce"])

    def with_truth(truth: Referent | None) -> Answer:
        case: Case = dataclasses.replace(right.case, truth=truth)
        return dataclasses.replace(right, case=case)

    assert with_truth(Referent.CONTINUOUS).outcome == "WRONG"
    assert with_truth(None).outcome == "WRONG"
    assert table([right]).row_count == 1
