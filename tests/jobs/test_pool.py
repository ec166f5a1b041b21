"""Misbehaving engines: each ends in a reason, and none stops another."""

import math
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.engine import BadInput
from gradcheck.jobs.child import Cause
from gradcheck.jobs.order import Order, Refusal
from gradcheck.jobs.pool import INTERRUPTED, Limits, Outcome, Pool, Watcher

ENGINES = Path(__file__).parents[1] / "engines" / "misbehaving.py"
LIMITS = Limits(seconds=5.0, memory=2**30)
KINDS = ("basics", "agreement")


def order(engine: str, testbed: str = "BOWL", measurements: tuple[str, ...] = KINDS) -> Order:
    return Order(
        engine=f"{ENGINES}:{engine}",
        testbed=f"{ENGINES}:{testbed}",
        measurements=measurements,
        seed=0,
        profile="quick",
    )


def run(logs: Path, *engines: str, kinds: tuple[str, ...] = KINDS) -> list[Outcome]:
    orders = [order(one, measurements=kinds) for one in engines]
    return Pool(orders, 2, LIMITS, logs, Watcher()).run()


def kinds(outcome: Outcome) -> list[str]:
    return [one.kind for one in outcome.artifacts]


def reasons(outcome: Outcome) -> list[str]:
    for one in outcome.artifacts:
        assert isinstance(one, Missing)
        assert one.error
    return [one.reason for one in outcome.artifacts if isinstance(one, Missing)]


# What each engine's first measurement ends with, and how its process is lost, if it is.
ENDINGS = {
    "Hangs": ("timed out: no result within its limit of 5 s", Cause.TIMED_OUT),
    "Segfaults": ("killed by SIGSEGV (segmentation fault)", Cause.CRASHED),
    "Aborts": ("killed by SIGABRT (aborted)", Cause.OUT_OF_MEMORY),
    "Leaves": ("the process left with exit status 3", Cause.CRASHED),
    "Allocates": ("out of memory: ", None),
    "WrongShape": ("a gradient of shape (3,) for input 'q' of shape (2,)", None),
    "MissingName": ("no gradient for input 'v'", None),
    "Raises": ("ValueError: no such joint: left_knee (misbehaving.py, line ", None),
    "Exits": ("SystemExit: goodbye", None),
}


def test_each_misbehaviour_ends_in_its_reason_and_the_rest_is_intact(tmp_path: Path) -> None:
    engines = ["Good", *ENDINGS, "Prints"]
    outcomes = dict(zip(engines, run(tmp_path, *engines, kinds=("basics",)), strict=True))
    for name in ("Good", "Prints"):
        assert kinds(outcomes[name]) == ["basics"]
        assert outcomes[name].lost is None
    for name, (text, lost) in ENDINGS.items():
        (found,) = reasons(outcomes[name])
        assert text in found, name
        assert "\n" not in found
        assert outcomes[name].lost is lost, name


def test_the_line_of_a_segmentation_fault_is_told(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, "Segfaults")
    assert "value_and_grad (misbehaving.py, line" in reasons(outcome)[0]


def test_after_a_crash_the_other_measurements_are_made(tmp_path: Path) -> None:
    orders = [order("SegfaultsInBatches", measurements=("agreement", "basics"))]
    (outcome,) = Pool(orders, 1, LIMITS, tmp_path, Watcher()).run()
    assert kinds(outcome) == ["missing", "basics"]
    assert outcome.lost is Cause.CRASHED
    assert outcome.reason.startswith("agreement: ")


def test_after_two_lost_processes_a_job_is_given_up(tmp_path: Path) -> None:
    orders = [order("Segfaults", measurements=("basics", "basics", "basics"))]
    (outcome,) = Pool(orders, 1, LIMITS, tmp_path, Watcher()).run()
    first, second, third = reasons(outcome)
    assert "SIGSEGV" in first
    assert "SIGSEGV" in second
    assert third.startswith("given up after 2 lost processes")


def test_nan_is_measured_not_refused(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, "ReturnsNan")
    assert outcome.ready is not None
    basics = outcome.artifacts[0]
    assert basics.kind == "basics"
    assert math.isnan(basics.raw_gradient["q"][0])


@pytest.mark.parametrize(
    ("engine", "lost", "refused", "text"),
    [
        ("SegfaultsInSetUp", Cause.CRASHED, None, "set-up: killed by SIGSEGV"),
        ("RaisesInSetUp", None, Refusal.FAULT, "RuntimeError: no licence file (misbehaving.py"),
        ("Refuses", None, Refusal.UNSUPPORTED, "only odd numbers of dimensions"),
    ],
)
def test_set_up(
    tmp_path: Path, engine: str, lost: Cause | None, refused: Refusal | None, text: str
) -> None:
    failed, good = run(tmp_path, engine, "Good")
    assert (failed.lost, failed.refused, failed.artifacts) == (lost, refused, [])
    assert failed.reason.startswith(text)
    assert kinds(good) == list(KINDS)


def test_bad_input_alone_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be made without arguments"):
        run(tmp_path, "NeedsArguments")


def test_bad_input_beside_a_good_engine_costs_that_nothing(tmp_path: Path) -> None:
    bad, good = run(tmp_path, "NeedsArguments", "Good")
    assert bad.refused is Refusal.BAD_INPUT
    assert "cannot be made without arguments" in bad.reason
    assert kinds(good) == list(KINDS)


class Interrupter(Watcher):
    """Presses Ctrl-C once the second measurement of a job has begun."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def started(self, order: Order, measurement: str) -> None:
        if measurement == "agreement":
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    def measured(self, order: Order, artifact: AnyArtifact) -> None:
        self.kept.append(artifact.kind)


def test_an_interrupt_keeps_what_was_measured(tmp_path: Path) -> None:
    watcher = Interrupter()
    orders = [order("HangsInBatches"), order("Good")]
    begin = time.monotonic()
    hanging, never = Pool(orders, 1, Limits(seconds=30), tmp_path, watcher).run()
    assert time.monotonic() - begin < 20
    assert kinds(hanging) == ["basics", "missing"] == watcher.kept
    assert hanging.reason == never.reason == INTERRUPTED
    assert never.artifacts == []


def test_a_child_serves_the_jobs_of_its_engine(tmp_path: Path) -> None:
    orders = [order("Good"), order("Raises"), order("Good")]
    Pool(orders, 1, LIMITS, tmp_path, Watcher()).run()
    assert len(list(tmp_path.glob("worker-*.log"))) == 1
