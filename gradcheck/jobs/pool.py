"""Jobs (engine x testbed) measured in child processes, a few at a time, none able to stop another.

A slot is a thread that drives one child. It prefers jobs whose engine may use the child that it
has, since importing an engine's library takes seconds.
"""

import itertools
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from gradcheck import registry
from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.engine import BadInput
from gradcheck.jobs.child import Cause, Child, Lost
from gradcheck.jobs.order import Done, Finished, Order, Ready, Refusal, Refused, Started

# Importing a library and building a model, before anything is measured.
SETUP_SECONDS = 120.0
# A job whose child is lost so often is given up.
DEATHS = 2
INTERRUPTED = "the audit was interrupted before this"


@dataclass(frozen=True)
class Limits:
    """What a job may take: seconds for one measurement, bytes of memory of its process."""

    seconds: float = 120.0
    memory: int = 8 * 2**30
    setup: float = SETUP_SECONDS


@dataclass
class Outcome:
    """What came of one job. `ready` is None where nothing could be measured, for `reason`."""

    order: Order
    ready: Ready | None = None
    refused: Refusal | None = None
    lost: Cause | None = None
    interrupted: bool = False
    reason: str = ""
    artifacts: list[AnyArtifact] = field(default_factory=list)

    def missing(self, measurements: Sequence[str], reason: str) -> list[Missing]:
        """Say of each that it was not made."""
        order = self.order
        return [
            Missing(
                engine=order.engine,
                testbed=order.testbed,
                seed=order.seed,
                measurement=one,
                reason=reason,
                error=True,
            )
            for one in measurements
        ]


class Watcher:
    """Is told what happens, from the threads of the slots, one call at a time."""

    def started(self, order: Order, measurement: str) -> None:
        """A measurement began."""

    def measured(self, order: Order, artifact: AnyArtifact) -> None:
        """A measurement ended, or was found not to be possible."""

    def finished(self, outcome: Outcome) -> None:
        """A job ended."""


class Pool:
    """Works off orders in `slots` children at once."""

    def __init__(
        self, orders: Sequence[Order], slots: int, limits: Limits, logs: Path, watcher: Watcher
    ) -> None:
        self.waiting = list(range(len(orders)))
        self.slots = max(1, min(slots, len(orders)))
        self.limits = limits
        self.logs = logs
        self.watcher = watcher
        self.outcomes = [Outcome(order) for order in orders]
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.children: set[Child] = set()
        self.groups: dict[int, str] = {}
        self.failure: BaseException | None = None
        self.serial = itertools.count(1)

    def run(self) -> list[Outcome]:
        """Outcomes in the order of the orders. Raises `BadInput` where that is all that came out.

        On KeyboardInterrupt the children are ended, and what was measured is returned.
        """
        with ThreadPoolExecutor(self.slots) as executor:
            running = [executor.submit(self._slot, number) for number in range(self.slots)]
            try:
                # Short waits, so that the main thread notices signals. (Not Thread.join: an
                # interrupt within it makes Python 3.11 take a running thread for an ended one.)
                while wait(running, timeout=0.05).not_done:
                    pass
            except KeyboardInterrupt:
                self.stop()
        if self.failure is not None:
            raise self.failure
        bad = [one.reason for one in self.outcomes if one.refused is Refusal.BAD_INPUT]
        if bad and all(one.ready is None for one in self.outcomes):
            raise BadInput(bad[0])
        for number in self.waiting:
            self._interrupt(self.outcomes[number], ())
        return self.outcomes

    def stop(self) -> None:
        """End all children now."""
        self.stopped.set()
        with self.lock:
            children = list(self.children)
        for child in children:
            child.kill()

    def _slot(self, number: int) -> None:
        child: Child | None = None
        group = ""
        try:
            while (outcome := self._next(number, group)) is not None:
                wanted = registry.group(outcome.order.engine)
                if child is not None and group != wanted:
                    self._close(child)
                    child = None
                group = wanted
                child = self._perform(outcome, child)
                if self.failure is not None:
                    return
                with self.lock:
                    self.watcher.finished(outcome)
        except BaseException as error:
            self.failure = self.failure or error
            self.stop()
        finally:
            if child is not None:
                self._close(child)

    def _next(self, number: int, group: str) -> Outcome | None:
        """A job for the child at hand; else one of a group that no other slot is busy with."""
        with self.lock:
            if self.stopped.is_set():
                return None
            others = {other for slot, other in self.groups.items() if slot != number}
            if not self.waiting:
                self.groups.pop(number, None)
                return None
            names = {n: registry.group(self.outcomes[n].order.engine) for n in self.waiting}
            chosen = min(names, key=lambda n: (names[n] != group, names[n] in others, n))
            self.waiting.remove(chosen)
            self.groups[number] = names[chosen]
            return self.outcomes[chosen]

    def _perform(self, outcome: Outcome, child: Child | None) -> Child | None:
        """Work through one job; a child that is lost is replaced. Returns the child still alive."""
        left = list(outcome.order.measurements)
        deaths = 0
        while left:
            current = ""
            child = child or self._open()
            child.send(outcome.order.model_copy(update={"measurements": tuple(left)}))
            seconds = self.limits.setup
            try:
                while not isinstance(answer := child.receive(seconds), Finished):
                    seconds = self.limits.seconds
                    if isinstance(answer, Ready):
                        outcome.ready = answer
                    elif isinstance(answer, Refused):
                        self._refuse(outcome, answer)
                        return child
                    elif isinstance(answer, Started):
                        current = answer.measurement
                        with self.lock:
                            self.watcher.started(outcome.order, current)
                    elif isinstance(answer, Done):
                        self._keep(outcome, answer.artifact)
                        left.remove(answer.measurement)
                        current = ""
                return child
            except Lost as lost:
                self._close(child)
                child = None
                if self.stopped.is_set():
                    self._interrupt(outcome, left)
                    return None
                if not left:  # everything was measured before it died
                    return None
                deaths += 1
                outcome.lost, outcome.reason = lost.cause, f"{current or 'set-up'}: {lost}"
                if outcome.ready is None:
                    return None
                if current:
                    self._keep(outcome, *outcome.missing([current], f"{lost.cause}: {lost}"))
                    left.remove(current)
                if deaths == DEATHS:
                    reason = (
                        f"given up after {deaths} lost processes (the last in {outcome.reason})"
                    )
                    self._keep(outcome, *outcome.missing(left, reason))
                    return None
            except BaseException:
                self._close(child)
                raise
        return child

    def _refuse(self, outcome: Outcome, refused: Refused) -> None:
        outcome.refused, outcome.reason = refused.refusal, refused.reason
        alone = len({one.order.engine for one in self.outcomes}) == 1
        unmeasured = all(one.ready is None for one in self.outcomes)
        if refused.refusal is Refusal.BAD_INPUT and alone and unmeasured:
            raise BadInput(refused.reason)

    def _interrupt(self, outcome: Outcome, left: Sequence[str]) -> None:
        outcome.interrupted, outcome.reason = True, INTERRUPTED
        if outcome.ready is not None:
            self._keep(outcome, *outcome.missing(left, INTERRUPTED))

    def _keep(self, outcome: Outcome, *artifacts: AnyArtifact) -> None:
        for artifact in artifacts:
            outcome.artifacts.append(artifact)
            with self.lock:
                self.watcher.measured(outcome.order, artifact)

    def _open(self) -> Child:
        with self.lock:
            log = self.logs / f"worker-{next(self.serial)}.log"
            child = Child(log, self.limits.memory)
            self.children.add(child)
        if self.stopped.is_set():
            child.kill()
        return child

    def _close(self, child: Child) -> None:
        with self.lock:
            self.children.discard(child)
        child.close()
