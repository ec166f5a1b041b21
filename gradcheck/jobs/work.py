"""Jobs worked off in parallel by joblib: each of its threads drives one job, wherever that runs."""

import threading
from collections.abc import Sequence

from joblib import Parallel, delayed

from gradcheck.engine import BadInput
from gradcheck.jobs.executor import Executor
from gradcheck.jobs.order import Refusal
from gradcheck.jobs.outcome import Outcome
from gradcheck.jobs.watcher import OneAtATime, Watcher


class Work:
    """Jobs and the place where they are performed."""

    def __init__(self, outcomes: Sequence[Outcome], executor: Executor, watcher: Watcher) -> None:
        self.outcomes = outcomes
        self.executor = executor
        self.watcher = OneAtATime(watcher)
        self.waiting = [outcome for outcome in outcomes if not outcome.ended]
        self.lock = threading.Lock()
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Perform what is left of every job; jobs that have ended are only told of.

        After `stop` of the executor the outcomes are as far as they got. Raises `BadInput` where
        that is all that came of them.
        """
        for outcome in self.outcomes:
            if outcome.ended:
                self.watcher.finished(outcome)
        slots = min(self.executor.slots, len(self.waiting))
        if slots:
            parallel = Parallel(slots, backend="threading", return_as="generator_unordered")
            try:
                for _ in parallel(delayed(self._one)() for _ in range(len(self.waiting))):
                    pass
            finally:
                self.executor.close()
        if self.failure is not None:
            raise self.failure
        if bad := self._bad_input():
            raise BadInput(bad)
        for outcome in self.waiting:
            outcome.interrupted = True
            self.watcher.finished(outcome)

    def _one(self) -> None:
        """Perform the job that suits best. A failure here is of the audit, not of the job."""
        try:
            with self.lock:
                outcome = None if self.executor.stopped.is_set() else self._next()
            if outcome is None:
                return
            self.executor.perform(outcome, self.watcher)
            if self._bad_input() and len({one.order.engine for one in self.outcomes}) == 1:
                self.executor.stop()  # it will be bad input on the other testbeds, too
            else:
                self.watcher.finished(outcome)
        except BaseException as error:
            self.failure = self.failure or error
            self.executor.stop()

    def _next(self) -> Outcome:
        chosen = self.executor.choose(self.waiting)
        self.waiting.remove(chosen)
        return chosen

    def _bad_input(self) -> str:
        """The reason of the first bad input, where nothing could be measured."""
        bad = [one.reason for one in self.outcomes if one.refused is Refusal.BAD_INPUT]
        return bad[0] if bad and all(one.ready is None for one in self.outcomes) else ""
