"""One child process that measures, seen from the runner: orders in, answers or a death out."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sysconfig
import threading
from pathlib import Path
from typing import IO

from gradcheck.jobs.interpreter import command, environment
from gradcheck.jobs.order import ANSWER, Answer, Order
from gradcheck.jobs.outcome import Cause
from gradcheck.reason import one_line

IS_POSIX = os.name == "posix"
# How processes say that they are out of memory before they abort.
OUT_OF_MEMORY = ("bad_alloc", "out of memory", "MemoryError", "cannot allocate memory")


class Lost(Exception):
    """The child is gone; the text says why, in one line."""

    def __init__(self, cause: Cause, text: str) -> None:
        super().__init__(text)
        self.cause = cause


class Child:
    """A running `gradcheck.jobs.worker`. Its standard error is appended to `log`."""

    def __init__(self, log: Path, memory_limit: int, python: str | None = None) -> None:
        self.log = log
        self.answers: queue.Queue[str | None] = queue.Queue()
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [*command(python), "--memory-limit", str(memory_limit)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(python),
                text=True,
                encoding="utf-8",
                # Ctrl-C is for the runner, which ends its children itself.
                start_new_session=IS_POSIX,
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.orders: IO[str] = self.process.stdin
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()
        self.mark = 0

    def send(self, order: Order) -> None:
        """Give an order. A dead child is noticed by `receive`."""
        self.mark = self.log.stat().st_size
        with contextlib.suppress(OSError):
            self.orders.write(order.model_dump_json() + "\n")
            self.orders.flush()

    def receive(self, seconds: float) -> Answer:
        """The next answer. Raises `Lost` for a child that died or said nothing for so long."""
        try:
            line = self.answers.get(timeout=seconds)
        except queue.Empty:
            self.kill()
            raise Lost(Cause.TIMED_OUT, f"no result within its limit of {seconds:g} s") from None
        if line is None:
            raise self._death()
        return ANSWER.validate_json(line)

    def strike(self) -> None:
        """End the child and what it started, without waiting for it: safe in a signal handler."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
                if IS_POSIX:
                    os.killpg(self.process.pid, signal.SIGKILL)
                else:
                    self.process.kill()

    def kill(self) -> None:
        """End the child and what it started, and wait for its end."""
        self.strike()
        self.process.wait()

    def close(self) -> None:
        """Let an idle child end; one that does not is killed."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self.orders.close()
            self.process.wait(timeout=1)
        self.kill()
        self.reader.join()

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                self.answers.put(line)
        self.answers.put(None)

    def _death(self) -> Lost:
        """Why the child is dead, from its exit status and its last words."""
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:  # it closed its output and lives on
            self.kill()
            return Lost(Cause.CRASHED, f"the process closed its output; log: {self.log.name}")
        status = self.process.returncode
        words = self._last_words()
        starved = any(sign.lower() in words.lower() for sign in OUT_OF_MEMORY)
        if status < 0:
            name = signal.Signals(-status).name
            meaning = signal.strsignal(-status)
            text = f"killed by {name} ({meaning.lower() if meaning else 'unknown'})"
            starved = starved or name == "SIGKILL"
        else:
            text = f"the process left with exit status {status}"
        text += _innermost(words)
        cause = Cause.OUT_OF_MEMORY if starved else Cause.CRASHED
        return Lost(cause, one_line(f"{text}; log: {self.log.name}"))

    def _last_words(self) -> str:
        """What the child wrote to its log since the last order."""
        with self.log.open("rb") as file:
            file.seek(self.mark)
            return file.read().decode("utf-8", errors="replace")


def _innermost(words: str) -> str:
    """The innermost place of the stack that `faulthandler` wrote, libraries aside if it can be."""
    stack = words.rpartition("Current thread")[2].partition("\n\n")[0]
    frames: list[tuple[str, str, str]] = re.findall(r'File "([^"]+)", line (\d+) in (\w+)', stack)
    library = sysconfig.get_path("stdlib")
    own = [one for one in frames if not one[0].startswith(library) and "-packages" not in one[0]]
    if not frames:
        return ""
    file, line, name = (own or frames)[0]
    return f" in {name} ({Path(file).name}, line {line})"
