"""The real audit that is mutated: made once, shared by the processes of a test run."""

import json
from pathlib import Path

from filelock import FileLock

from gradcheck.api import audit
from tests.mutations.mutation import ENGINES, TESTBEDS, Audit
from tests.mutations.presence import ALL as PRESENCE
from tests.mutations.surroundings import ALL as SURROUNDINGS
from tests.mutations.values import ALL as VALUES

MUTATIONS = (*VALUES, *PRESENCE, *SURROUNDINGS)


def audited(folder: Path) -> Audit:
    """The audit, measured where the folder does not hold it yet."""
    file = folder / "report.json"
    with FileLock(f"{folder}.lock"):
        if not file.exists():
            audit(ENGINES, TESTBEDS, out=folder)
        return Audit.of(json.loads(file.read_text()))
