"""Misbehaving engines: each ends in a reason, and none stops another."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.engine import BadInput
from gradcheck.jobs.interrupt import interruptible
from gradcheck.jobs.local import Local
from gradcheck.jobs.order import Order, Refusal
from gradcheck.jobs.outcome import Cause, Limits, Outcome
from gradcheck.jobs.watcher import Watcher
from gradcheck.jobs.work import Work
from tests.processes import ended, until

ENGINES = Path(__file__).parents[1] / "engines" / "misbehaving.py"
LIMITS = Limits(seconds=5.0, memory=2**30)
KINDS = ("basics", "agreement")


def order(engine: str, testbed: str = "BOWL", measurements: tuple[str, ...] = KINDS) -> Order:
    return Order(
        engine=engine,
        testbed=testbed,
        target=f"{ENGINES}:{engine}",
        scene=f"{ENGINES}:{testbed}",
        measurements=measurements,
        seed=0,
        profile="quick",
    )


def work(
    logs: Path,
    *orders: Order,
    slots: int = 2,
    limits: Limits = LIMITS,
    watcher: Watcher | None = None,
) -> list[Outcome]:
    outcomes = [Outcome(order=one) for one in orders]
    local = Local(slots, limits, logs)
    with interruptible(local.stop, [signal.SIGINT]):
        Work(outcomes, local, watcher or Watcher()).run()
    assert local.children == set()
    return outcomes


def run(logs: Path, *engines: str, kinds: tuple[str, ...] = KINDS) -> list[Outcome]:
    return work(logs, *(order(one, measurements=kinds) for one in engines))


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
    (outcome,) = work(
        tmp_path, order("SegfaultsInBatches", measurements=("agreement", "basics")), slots=1
    )
    assert kinds(outcome) == ["missing", "basics"]
    assert outcome.lost is Cause.CRASHED
    assert outcome.reason.startswith("agreement: ")


def test_after_two_lost_processes_a_job_is_given_up(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, "Segfaults", kinds=("basics", "agreement", "probes"))
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
    """Presses Ctrl-C, once, when the second measurement of a job has begun."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.pressed = False

    def started(self, order: Order, measurement: str) -> None:
        if measurement == "agreement" and not self.pressed:
            self.pressed = True
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    def measured(self, order: Order, artifact: AnyArtifact) -> None:
        self.kept.append(artifact.kind)


@pytest.mark.parametrize("slots", [1, 2])
def test_an_interrupt_keeps_what_was_measured(tmp_path: Path, slots: int) -> None:
    watcher = Interrupter()
    orders = [order("HangsInBatches"), order("HangsInBatches", "BOWL2"), order("Good")]
    begin = time.monotonic()
    outcomes = work(tmp_path, *orders, slots=slots, limits=Limits(seconds=30), watcher=watcher)
    assert time.monotonic() - begin < 20
    assert [one.interrupted for one in outcomes] == [True, True, True]
    assert [one.ended for one in outcomes] == [False, False, False]
    assert kinds(outcomes[0]) == ["basics"]
    assert outcomes[0].left == ("agreement",)
    assert outcomes[2].left == KINDS
    assert set(watcher.kept) == {"basics"}


def test_what_is_known_is_not_measured_again(tmp_path: Path) -> None:
    (first,) = run(tmp_path, "Good", kinds=("basics",))
    outcome = Outcome(order=order("Good"), ready=first.ready, artifacts=first.artifacts)
    Work([outcome], Local(1, LIMITS, tmp_path), Watcher()).run()
    assert outcome.artifacts[0] is first.artifacts[0]
    assert kinds(outcome) == list(KINDS)
    assert outcome.ended


def test_another_engine_does_not_go_on_with_a_job(tmp_path: Path) -> None:
    (first,) = run(tmp_path, "Good", kinds=("basics",))
    assert first.ready is not None
    other = first.ready.model_copy(update={"device": "quantum"})
    outcome = Outcome(order=order("Good"), ready=other, artifacts=first.artifacts)
    with pytest.raises(BadInput, match="was begun with another device: start anew"):
        Work([outcome], Local(1, LIMITS, tmp_path), Watcher()).run()


def test_a_child_serves_the_jobs_of_its_engine(tmp_path: Path) -> None:
    work(tmp_path, order("Good"), order("Raises"), order("Good", "BOWL2"), slots=1)
    assert len(list(tmp_path.glob("worker-*.log"))) == 1


def test_there_are_never_more_children_than_slots(tmp_path: Path) -> None:
    """Engines of other kinds take the place of idle children."""
    most = 0

    class Counter(Watcher):
        def started(self, order: Order, measurement: str) -> None:
            nonlocal most
            most = max(most, len(local.children))

    local = Local(2, LIMITS, tmp_path)
    named = [("closed_form", "free_fall"), ("closed_form", "pendulum")]
    orders = [
        Order(
            engine=engine,
            testbed=testbed,
            target=engine,
            scene=testbed,
            measurements=("basics",),
            seed=0,
            profile="quick",
        )
        for engine, testbed in named
    ]
    outcomes = [Outcome(order=one) for one in (*orders, order("Good"), order("Raises", "BOWL2"))]
    Work(outcomes, local, Counter()).run()
    assert most == 2
    assert all(one.ended for one in outcomes)


def test_a_child_ends_with_its_parent_even_if_it_does_not_listen(tmp_path: Path) -> None:
    """An engine that hangs with Python's lock held cannot see the end of its orders."""
    code = (
        "import pathlib, sys; from gradcheck.jobs.child import Child; "
        "from gradcheck.jobs.order import Order; "
        "child = Child(pathlib.Path(sys.argv[1]), 2**30); "
        "child.send(Order.model_validate_json(sys.argv[2])); "
        "child.receive(60); child.receive(60); "
        "print(child.process.pid, flush=True); sys.stdin.read()"
    )
    held = order("HoldsTheLock").model_dump_json()
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "log"), held],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as runner:
        assert runner.stdout is not None
        pid = int(runner.stdout.readline())
        time.sleep(0.5)
        runner.kill()
    try:
        until(lambda: ended(pid), 10)
    finally:
        if not ended(pid):
            os.kill(pid, signal.SIGKILL)
