"""One Python process for the snippets of one page, which build on one another.

Run as a program it reads one JSON string a line, executes it, and answers with one line: what was
printed, and the traceback where it raised.
"""

import contextlib
import io
import json
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any


class Session:
    """The process, seen from the test."""

    def __init__(self, words: IO[str], answers: IO[str]) -> None:
        self.words, self.answers = words, answers

    def run(self, code: str, name: str) -> str:
        """What the code prints. Raises `AssertionError` with its traceback where it raises."""
        self.words.write(json.dumps([code, name]) + "\n")
        self.words.flush()
        printed, raised = json.loads(self.answers.readline() or '["", "the process died"]')
        assert not raised, f"{name}: {raised}"
        return str(printed)


@contextlib.contextmanager
def session(folder: Path, environment: Mapping[str, str]) -> Iterator[Session]:
    """A session in that folder, which is also where its imports are looked for."""
    with subprocess.Popen(
        [sys.executable, __file__],
        cwd=folder,
        env={**environment, "PYTHONPATH": f"{folder}:{environment.get('PYTHONPATH', '')}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Session(process.stdin, process.stdout)


def main() -> None:
    """Execute what comes in until nothing more comes."""
    answers = sys.stdout
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for line in sys.stdin:
        code, name = json.loads(line)
        raised = ""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            try:
                exec(compile(code, name, "exec"), namespace)
            except BaseException:
                raised = traceback.format_exc()
        answers.write(json.dumps([printed.getvalue(), raised]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
