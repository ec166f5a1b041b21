"""Jobs on the workers of a cluster that is already running.

Each is sent by a thread of its own, which waits for its outcome. The cluster's own client is used,
not joblib's backends for them: that for Dask waits for ever for a job whose worker was lost, and
that for Ray gives no result before the last.
"""

import abc
import re
import time
from collections.abc import Sequence
from pathlib import Path

from gradcheck.engine import BadInput
from gradcheck.jobs import software
from gradcheck.jobs.executor import Executor
from gradcheck.jobs.order import Order
from gradcheck.jobs.outcome import Cause, Limits, Outcome
from gradcheck.jobs.remote import Greeting, Returned, Task
from gradcheck.jobs.software import Software
from gradcheck.jobs.watcher import Watcher
from gradcheck.reason import reason

# Jobs that are handed over at once; the cluster performs as many of them as it has room for.
MOST_AT_ONCE = 256
POLL_SECONDS = 0.5
# How long a cluster may be without any worker before its jobs are given up.
DESERTED_SECONDS = 30.0


class Unreachable(Exception):
    """The cluster will not give this job back; the text says why, in one line."""


class Ticket(abc.ABC):
    """A job that was handed over."""

    @abc.abstractmethod
    def wait(self, seconds: float) -> str | None:
        """The text that came back, or None where there is none within so many seconds. Raises any
        exception where there will be none."""

    @abc.abstractmethod
    def cancel(self) -> None:
        """Nobody waits for it any more."""


class Cluster(Executor):
    """Performs jobs where the workers are."""

    name: str

    def __init__(self, limits: Limits, logs: Path, files: dict[str, str]) -> None:
        super().__init__()
        self.slots = MOST_AT_ONCE
        self.limits = limits
        self.logs = logs
        self.files = files
        self.source = software.here().source

    @abc.abstractmethod
    def greetings(self) -> list[Greeting]:
        """What workers say of themselves. Raises `BadInput` where none answers."""

    @abc.abstractmethod
    def submit(self, task: str) -> Ticket:
        """Hand a `Task` over."""

    @abc.abstractmethod
    def deserted(self) -> bool:
        """Is there no worker at the moment?"""

    def software(self, orders: Sequence[Order]) -> dict[str, Software]:
        greetings = self.greetings()
        first = greetings[0]
        for one in greetings:
            if one.trouble:
                raise BadInput(one.trouble)
            if difference := first.software.difference(one.software):
                raise BadInput(
                    f"{self.name} workers differ: on {first.host} {difference} on {one.host}; "
                    "install the same on all"
                )
        return {"": first.software}

    def perform(self, outcome: Outcome, watcher: Watcher) -> None:
        order = outcome.order
        watcher.started(order, f"on {self.name}")
        task = Task(
            outcome=outcome,
            limits=self.limits,
            files=self.files,
            source=self.source,
            logs=re.sub(r"[^A-Za-z0-9._-]+", "-", f"{order.engine}-on-{order.testbed}")[-120:],
        ).model_dump_json()
        ticket = self.submit(task)
        try:
            text = self._wait(ticket)
        except Exception as error:
            # It has not ended: that says nothing of the engine, and --resume measures it again.
            why = str(error) if isinstance(error, Unreachable) else reason(error)
            outcome.lost, outcome.reason = Cause.CRASHED, f"{self.name} gave no outcome: {why}"
            return
        if text is None:
            ticket.cancel()
            outcome.interrupted = True
            return
        self._take(outcome, Returned.model_validate_json(text), watcher)

    def _wait(self, ticket: Ticket) -> str | None:
        """What comes back; None after `stop`."""
        begin, looked = None, time.monotonic()
        while not self.stopped.is_set():
            text = ticket.wait(POLL_SECONDS)
            if text is not None:
                return text
            now = time.monotonic()
            if now - looked < 5:
                continue
            looked = now
            begin = (begin or now) if self.deserted() else None
            if begin is not None and now - begin > DESERTED_SECONDS:
                raise Unreachable("it has no worker any more")
        return None

    def _take(self, outcome: Outcome, back: Returned, watcher: Watcher) -> None:
        """Keep what came back."""
        for name, text in back.logs.items():
            with (self.logs / name).open("a", encoding="utf-8") as log:
                log.write(f"on {back.host}:\n{text}")
        if back.stop:
            raise BadInput(back.stop)
        known = len(outcome.artifacts)
        for field in type(outcome).model_fields:
            setattr(outcome, field, getattr(back.outcome, field))
        if outcome.ready is not None:
            watcher.changed(outcome)
        for artifact in outcome.artifacts[known:]:
            watcher.measured(outcome.order, artifact)
