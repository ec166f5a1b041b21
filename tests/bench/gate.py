"""The gate's mutation score: how many ways of breaking an audit it judges rightly.

    python -m tests.bench.gate [--audit DIR]

Each mutation edits a real audit or its baseline and states the exit code and the words that are
right. Exit 1 where one is misjudged.
"""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.mutations.audit import MUTATIONS, audited
from tests.mutations.mutation import wrong

WORDS = {0: "passes", 1: "fails", 2: "bad input", 3: "nothing judged"}


def main() -> int:
    """Print what is misjudged, and the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audit", type=Path, help="where the audit lies, or is to be made")
    given = parser.parse_args().audit
    with tempfile.TemporaryDirectory() as scratch:
        audit = audited(given or Path(scratch) / "audit")
        told = {one.name: wrong(one, audit, Path(scratch)) for one in MUTATIONS}
    for name, how in told.items():
        if how is not None:
            print(f"misjudged: {name}: {how}")
    right = Counter(one.code for one in MUTATIONS if told[one.name] is None)
    for code, count in sorted(Counter(one.code for one in MUTATIONS).items()):
        print(f"gate {WORDS[code]:14} {right[code]:3} of {count:3} judged rightly")
    score = right.total() / len(MUTATIONS)
    print(f"mutation score {score:.1%}: {right.total()} of {len(MUTATIONS)}")
    return 0 if score == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
