"""What runs on a cluster's workers: one job, in a child process of the worker, and its outcome.

Texts go to and fro, so that a worker need not have the same pydantic.
"""

import platform
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from pydantic import Field

from gradcheck.engine import BadInput
from gradcheck.jobs import software
from gradcheck.jobs.local import Local
from gradcheck.jobs.order import Refusal
from gradcheck.jobs.outcome import Limits, Outcome
from gradcheck.jobs.software import Software
from gradcheck.jobs.watcher import Watcher
from gradcheck.record import Record

# How often a worker looks whether anybody still waits for the job.
LOOK_SECONDS = 1.0


class Greeting(Record):
    """What a worker says of itself. `trouble`: why jobs cannot run there, in one line."""

    host: str
    software: Software
    trouble: str = ""


class Task(Record):
    """A job with all that a worker needs to know. `files`: the users' files, with their digests;
    `source` is the digest of gradcheck's own code. `logs`: what names of logs begin with."""

    outcome: Outcome
    limits: Limits
    files: dict[str, str]
    source: str
    logs: str


class Returned(Record):
    """A job as it comes back, with the logs of its children by name. `stop`: why the audit cannot
    go on."""

    outcome: Outcome
    host: str
    logs: dict[str, str] = Field(default_factory=dict)
    stop: str = ""


def greet(files: dict[str, str], source: str) -> str:
    """A `Greeting` as JSON."""
    here = software.here()
    return Greeting(
        host=platform.node(), software=here, trouble=_trouble(files, source)
    ).model_dump_json()


def perform(task: str, abandoned: Callable[[], bool] = lambda: False) -> str:
    """Do what is left of the `Task`'s job here; a `Returned` as JSON.

    abandoned: does nobody wait for it any more? Then its child is ended.
    """
    given = Task.model_validate_json(task)
    outcome = given.outcome
    if trouble := _trouble(given.files, given.source):
        outcome.refused, outcome.reason, outcome.ended = Refusal.BAD_INPUT, trouble, True
        return Returned(outcome=outcome, host=platform.node()).model_dump_json()
    stop = ""
    with tempfile.TemporaryDirectory() as folder:
        local = Local(1, given.limits, Path(folder), given.logs)
        done = threading.Event()
        looking = threading.Thread(target=_look, args=(abandoned, local, done), daemon=True)
        looking.start()
        try:
            local.perform(outcome, Watcher())
        except BadInput as error:
            stop = str(error)
        finally:
            done.set()
            local.close()
            looking.join()
        logs = {one.name: one.read_text("utf-8", errors="replace") for one in _logs(Path(folder))}
    return Returned(outcome=outcome, host=platform.node(), logs=logs, stop=stop).model_dump_json()


def _logs(folder: Path) -> list[Path]:
    return sorted(one for one in folder.glob("*.log") if one.stat().st_size)


def _look(abandoned: Callable[[], bool], local: Local, done: threading.Event) -> None:
    while not done.wait(LOOK_SECONDS):
        if abandoned():
            local.stop()
            return


def _trouble(files: dict[str, str], source: str) -> str:
    """Why jobs cannot run here, in one line; empty where they can."""
    host = platform.node()
    if software.here().source != source:
        return f"the worker on {host} has another gradcheck: install the same version there"
    for file, wanted in files.items():
        found = software.digest(file)
        if found is None:
            return (
                f"there is no file {file} on {host}, where a worker runs: put it there, under the "
                "same path, or install the engine as a package on all workers"
            )
        if found != wanted:
            return f"{file} on {host}, where a worker runs, is another file: copy it there again"
    return ""
