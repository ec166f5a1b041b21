"""A check looks at nothing but what it says that it needs and uses, so that `--code` may spare
measuring the rest."""

import pytest

from gradcheck.checks import CHECKS, judge, needed
from gradcheck.checks.check import AbstractCheck
from gradcheck.evidence import Evidence
from gradcheck.jobs.outcome import measurement
from gradcheck.measure import KINDS
from tests.checks import made_up
from tests.checks.test_cases import CASES

EVIDENCE = [made_up.evidence(), *(case.make() for case in CASES)]


def only(evidence: Evidence, kinds: set[str]) -> Evidence:
    kept = [one for one in evidence.artifacts if measurement(one) in kinds]
    return evidence.model_copy(update={"artifacts": kept})


def told(evidence: Evidence, codes: set[str]) -> list[str]:
    return [one.model_dump_json() for one in judge(evidence, codes)]  # NaN equals NaN in JSON


@pytest.mark.parametrize("check", CHECKS)
def test_the_rest_changes_no_finding(check: type[AbstractCheck]) -> None:
    code = {check.code}
    for evidence in EVIDENCE:
        assert told(only(evidence, needed(code)), code) == told(evidence, code)


def test_what_is_needed_can_be_measured() -> None:
    for check in CHECKS:
        assert {*check.needs, *check.uses} <= {*KINDS}
        assert not {*check.needs} & {*check.uses}


def test_several_checks_need_what_each_needs() -> None:
    assert needed({"GC206", "GC601"}) == {"basics", "cost"}
    assert needed() >= {"basics", "horizon", "sweep"}
