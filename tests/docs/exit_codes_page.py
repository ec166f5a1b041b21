"""A page of the exit codes, from the text below every command's help."""

import re

from gradcheck.commands.command import EXIT_CODES
from tests.docs.markdown import table

HEAD = """# Exit codes

The same for every command that judges:

"""
TAIL = """
Warnings alone end with 0; what a warning says is under
[verdicts](reading-a-report.md#verdicts). An engine that crashed, hung or ran out of memory counts
as ERROR and ends with 1, since what it would have shown is unknown.

A cause of code 2 is told in one line on standard error, with its cure:

<!-- exit: 2 -->
```sh
gradcheck audit --engine mjxx
```

<!-- output -->
```text
gradcheck: unknown engine …mjxx…
```
"""


def pages() -> dict[str, str]:
    """The page by its path in docs/."""
    rows = re.findall(r"^ +(\d)  (.+)$", EXIT_CODES, flags=re.MULTILINE)
    assert len(rows) == len(EXIT_CODES.strip().splitlines()) - 1, EXIT_CODES
    return {"exit-codes.md": HEAD + table(("code", "meaning"), rows) + TAIL}
