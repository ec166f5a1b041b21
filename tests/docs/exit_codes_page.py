"""A page of the exit codes, from the texts below the commands' help."""

import re

from gradcheck.commands import command, gate
from tests.docs.markdown import table

HEAD = """# Exit codes

Of `gradcheck audit` and `gradcheck check`:

"""
GATE = """
Of `gradcheck gate`, and of `gradcheck audit --baseline FILE`:

"""
TAIL = """
Other commands end with 0, or with 2 for wrong usage or bad input. What a warning says is under
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
    parts = (HEAD, codes(command.EXIT_CODES), GATE, codes(gate.EXIT_CODES), TAIL)
    return {"exit-codes.md": "".join(parts)}


def codes(text: str) -> str:
    """A table of the lines `  N  meaning` below a heading."""
    rows = re.findall(r"^ +(\d)  (.+)$", text, flags=re.MULTILINE)
    assert len(rows) == len(text.strip().splitlines()) - 1, text
    return table(("code", "meaning"), rows)
