"""Who is told how jobs go on."""

import threading

from gradcheck.artifact import AnyArtifact
from gradcheck.jobs.order import Order
from gradcheck.jobs.outcome import Outcome


class Watcher:
    """Is told what happens, from the threads that drive jobs. This one does nothing."""

    def started(self, order: Order, measurement: str) -> None:
        """A measurement began."""

    def measured(self, order: Order, artifact: AnyArtifact) -> None:
        """A measurement ended, or was found not to be possible."""

    def changed(self, outcome: Outcome) -> None:
        """What is known of the job itself changed: the engine is ready, or a process was lost."""

    def finished(self, outcome: Outcome) -> None:
        """A job ended."""


class OneAtATime(Watcher):
    """Passes everything on, one call at a time."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.lock = threading.RLock()

    def started(self, order: Order, measurement: str) -> None:
        with self.lock:
            self.watcher.started(order, measurement)

    def measured(self, order: Order, artifact: AnyArtifact) -> None:
        with self.lock:
            self.watcher.measured(order, artifact)

    def changed(self, outcome: Outcome) -> None:
        with self.lock:
            self.watcher.changed(outcome)

    def finished(self, outcome: Outcome) -> None:
        with self.lock:
            self.watcher.finished(outcome)
