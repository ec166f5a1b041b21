"""A real audit, small and made once, for the tests that look at reports with other eyes."""

import os
from pathlib import Path

import pytest
from filelock import FileLock

from gradcheck.api import audit


@pytest.fixture(scope="session")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an audit of a right and a wrong engine on one testbed."""
    base = tmp_path_factory.getbasetemp()
    # Processes that share the tests have a folder each, side by side.
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    out = shared / "audit"
    with FileLock(shared / "audit.lock"):
        if not (out / "report.json").exists():
            audit(["closed_form", "particles:ideal"], ["bounce"], out=out)
    return out
