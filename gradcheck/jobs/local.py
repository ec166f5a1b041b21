"""Jobs in child processes of this one, a few at a time, none able to stop another.

A child serves one job after the other of the engines that may share a process, since importing
their library takes seconds.
"""

import itertools
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from gradcheck import registry
from gradcheck.artifact import AnyArtifact
from gradcheck.engine import BadInput
from gradcheck.jobs import interpreter, software
from gradcheck.jobs.child import Child, Lost
from gradcheck.jobs.executor import Executor
from gradcheck.jobs.order import Done, Finished, Order, Ready, Refused, Started
from gradcheck.jobs.outcome import Limits, Outcome
from gradcheck.jobs.software import Software
from gradcheck.jobs.watcher import Watcher

# A job whose child is lost so often is given up.
DEATHS = 2
# What an engine says of itself when it is ready.
_PARTS = {
    "card": "another card",
    "testbed": "another testbed",
    "versions": "other versions of libraries",
    "device": "another device",
    "python": "another Python",
}
# The interpreter, and which engines may share a process of it.
Kind = tuple[str | None, str]


class Local(Executor):
    """Performs jobs on this machine. What engines print goes to files in `logs`, whose names
    begin with `name`."""

    def __init__(self, slots: int, limits: Limits, logs: Path, name: str = "worker") -> None:
        super().__init__()
        self.slots = slots
        self.limits = limits
        self.logs = logs
        self.name = name
        self.lock = threading.Lock()
        self.children: set[Child] = set()
        self.idle: dict[Child, Kind] = {}
        self.busy: dict[int, Kind] = {}
        self.reserved: dict[int, Child] = {}
        self.serial = itertools.count(1)

    def software(self, orders: Sequence[Order]) -> dict[str, Software]:
        asking = {one.python: one.engine for one in orders if one.python is not None}
        others = {python: interpreter.probe(python, engine) for python, engine in asking.items()}
        return {"": software.here(), **others}

    def choose(self, waiting: Sequence[Outcome]) -> Outcome:
        """A job for an idle child; else one whose kind of child is not busy; else the first."""
        with self.lock:
            free, busy = set(self.idle.values()), set(self.busy.values())
            kinds = [_kind(outcome.order) for outcome in waiting]
            best = min(range(len(kinds)), key=lambda n: (kinds[n] not in free, kinds[n] in busy, n))
            chosen, kind = waiting[best], kinds[best]
            self.busy[id(chosen)] = kind
            for child, other in self.idle.items():
                if other == kind:
                    self.reserved[id(chosen)] = child
                    del self.idle[child]
                    break
        return chosen

    def perform(self, outcome: Outcome, watcher: Watcher) -> None:
        child = self.reserved.pop(id(outcome), None)
        try:
            child = _Performance(self, outcome, watcher).run(child)
        finally:
            with self.lock:
                kind = self.busy.pop(id(outcome), _kind(outcome.order))
                if child is not None:
                    self.idle[child] = kind

    def stop(self) -> None:
        super().stop()
        for child in tuple(self.children):
            child.strike()

    def close(self) -> None:
        for child in tuple(self.children):
            self.end(child)

    def open(self, order: Order) -> Child:
        """A new child, in place of an idle one where there are as many as slots."""
        surplus = None
        with self.lock:
            if self.idle and len(self.children) >= self.slots:
                surplus = next(iter(self.idle))
                del self.idle[surplus]
        if surplus is not None:
            self.end(surplus)
        log = self.logs / f"{self.name}-{next(self.serial)}.log"
        try:
            child = Child(log, self.limits.memory, order.python)
        except OSError as error:
            raise BadInput(f"{order.python} does not start: {error.strerror}") from None
        self.children.add(child)
        if self.stopped.is_set():
            child.strike()
        return child

    def end(self, child: Child) -> None:
        """Let a child end, and wait for that."""
        self.children.discard(child)
        self.idle.pop(child, None)
        child.close()


class _Performance:
    """One job, worked off by one child after the other."""

    def __init__(self, local: Local, outcome: Outcome, watcher: Watcher) -> None:
        self.local = local
        self.limits = local.limits
        self.outcome = outcome
        self.watcher = watcher
        self.current = ""
        # What an audit that was interrupted knew of the engine.
        self.before = outcome.ready

    def run(self, child: Child | None) -> Child | None:
        """Do what is left; a child that is lost is replaced. Returns the child still alive."""
        outcome = self.outcome
        while not outcome.ended:
            self.current = ""
            child = child or self.local.open(outcome.order)
            try:
                self._listen(child)
            except Lost as lost:
                self.local.end(child)
                child = None
                if self.local.stopped.is_set():
                    outcome.interrupted = True
                    return None
                self._mourn(lost)
            except BaseException:
                self.local.end(child)
                raise
        return child

    def _listen(self, child: Child) -> None:
        """Follow what the child says of the job, until it has done or refused all of it."""
        outcome, begin = self.outcome, time.perf_counter()
        child.send(outcome.order.model_copy(update={"measurements": outcome.left}))
        seconds = self.limits.setup
        while not isinstance(answer := child.receive(seconds), Finished):
            seconds = self.limits.seconds
            if isinstance(answer, Ready):
                if self.before is not None:
                    require_same(self.before, answer, outcome.order)
                    self.before = None
                outcome.ready = answer
                outcome.setup += time.perf_counter() - begin
                self.watcher.changed(outcome)
            elif isinstance(answer, Refused):
                outcome.refused, outcome.reason = answer.refusal, answer.reason
                break
            elif isinstance(answer, Started):
                self.current = answer.measurement
                self.watcher.started(outcome.order, self.current)
            elif isinstance(answer, Done):
                self.current = ""
                self._keep(answer.artifact)
        outcome.ended = True

    def _mourn(self, lost: Lost) -> None:
        """Record what the death of the child says, and whether to go on."""
        outcome, current = self.outcome, self.current
        if outcome.ready is not None and not outcome.left:  # all was measured before it died
            outcome.ended = True
            return
        outcome.deaths += 1
        outcome.lost, outcome.reason = lost.cause, f"{current or 'set-up'}: {lost}"
        if current:
            self._keep(*outcome.missing([current], f"{lost.cause}: {lost}"))
        if outcome.ready is not None and outcome.deaths >= DEATHS:
            reason = (
                f"given up after {outcome.deaths} lost processes (the last in {outcome.reason})"
            )
            self._keep(*outcome.missing(outcome.left, reason))
        self.watcher.changed(outcome)
        outcome.ended = outcome.ready is None or not outcome.left

    def _keep(self, *artifacts: AnyArtifact) -> None:
        for artifact in artifacts:
            self.outcome.artifacts.append(artifact)
            self.watcher.measured(self.outcome.order, artifact)


def require_same(before: Ready, now: Ready, order: Order) -> None:
    """Raise `BadInput` where an engine is no longer what measured the first part of its job."""
    for field, text in _PARTS.items():
        if getattr(before, field) != getattr(now, field):
            raise BadInput(
                f"{order.engine} on {order.testbed} was begun with {text}: "
                "start anew without --resume"
            )


def _kind(order: Order) -> Kind:
    return order.python, registry.group(order.target)
