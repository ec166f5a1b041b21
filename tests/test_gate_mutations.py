"""Every way of breaking a report is judged rightly: see tests/mutations."""

from pathlib import Path

import pytest

from tests.mutations.audit import MUTATIONS, audited
from tests.mutations.mutation import Audit, Mutation, wrong


@pytest.fixture(scope="session")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """The audit, one for all processes of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    return audited((base.parent if base.name.startswith("popen") else base) / "mutated-audit")


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_a_mutation_is_judged_rightly(mutation: Mutation, audit: Audit, tmp_path: Path) -> None:
    assert wrong(mutation, audit, tmp_path) is None


def test_there_are_many_and_each_has_its_name() -> None:
    assert len(MUTATIONS) >= 100
    assert len({one.name for one in MUTATIONS}) == len(MUTATIONS)
