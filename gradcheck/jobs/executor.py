"""Where jobs are performed."""

import abc
import threading
from collections.abc import Sequence

from gradcheck.jobs.order import Order
from gradcheck.jobs.outcome import Outcome
from gradcheck.jobs.software import Software
from gradcheck.jobs.watcher import Watcher


class Executor(abc.ABC):
    """A place that performs `slots` jobs at once, each driven by a thread of its own."""

    slots: int

    def __init__(self) -> None:
        self.stopped = threading.Event()

    @abc.abstractmethod
    def software(self, orders: Sequence[Order]) -> dict[str, Software]:
        """What measures, by interpreter; "" where an order names none. Raises `BadInput` where
        one cannot measure."""

    def choose(self, waiting: Sequence[Outcome]) -> Outcome:
        """Which of these to perform next. One call at a time."""
        return waiting[0]

    @abc.abstractmethod
    def perform(self, outcome: Outcome, watcher: Watcher) -> None:
        """Do what is left of a job. Marks it as ended, or as interrupted after `stop`.

        Raises `BadInput` where the whole audit cannot go on.
        """

    def stop(self) -> None:
        """End what is being performed, soon. Called from other threads and signal handlers, so
        it neither waits nor takes a lock."""
        self.stopped.set()

    @abc.abstractmethod
    def close(self) -> None:
        """Let go of everything: nothing more will be performed."""
