"""What a cluster's worker says and does, without a cluster."""

from pathlib import Path

import pytest

from gradcheck.jobs import remote, software
from gradcheck.jobs.order import Order, Refusal
from gradcheck.jobs.outcome import Limits, Outcome
from gradcheck.jobs.remote import Greeting, Returned, Task

ENGINES = Path(__file__).parents[1] / "engines" / "misbehaving.py"
SOURCE = software.here().source


def task(engine: str, files: dict[str, str], source: str = SOURCE) -> str:
    order = Order(
        engine=engine,
        testbed="bowl",
        target=f"{ENGINES}:{engine}",
        scene=f"{ENGINES}:BOWL",
        measurements=("basics",),
        seed=0,
        profile="quick",
    )
    limits = Limits(seconds=20, memory=2**30)
    return Task(
        outcome=Outcome(order=order), limits=limits, files=files, source=source, logs=engine
    ).model_dump_json()


def test_a_job_comes_back_with_what_was_printed() -> None:
    back = Returned.model_validate_json(remote.perform(task("Raises", {})))
    assert back.outcome.ended
    assert back.outcome.ready is not None
    assert "no such joint" in back.outcome.artifacts[0].model_dump_json()
    assert list(back.logs) == ["Raises-1.log"]
    assert "Traceback" in back.logs["Raises-1.log"]
    assert back.stop == ""


def test_a_job_that_nobody_waits_for_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "LOOK_SECONDS", 0.05)
    back = Returned.model_validate_json(remote.perform(task("Hangs", {}), lambda: True))
    assert back.outcome.interrupted
    assert not back.outcome.ended


@pytest.mark.parametrize(
    ("files", "source", "complaint"),
    [
        ({"/no/such/sim.py": "0"}, SOURCE, "there is no file /no/such/sim.py on "),
        ({str(ENGINES): "0"}, SOURCE, "misbehaving.py on "),
        ({}, "0", "has another gradcheck: install the same version there"),
    ],
)
def test_a_worker_that_lacks_something_says_so(
    files: dict[str, str], source: str, complaint: str
) -> None:
    greeting = Greeting.model_validate_json(remote.greet(files, source))
    assert complaint in greeting.trouble
    assert greeting.host in greeting.trouble
    back = Returned.model_validate_json(remote.perform(task("Good", files, source)))
    assert back.outcome.refused is Refusal.BAD_INPUT
    assert back.outcome.reason == greeting.trouble
