"""The output folder of an audit: where everything lies, and what an earlier run left there.

artifacts/<engine>/<testbed>/<measurement>.json   raw measurements, written as they come
jobs/<engine>/<testbed>.json                      the engine's card, and how the job goes on
run.json                                          what was begun here, for --resume
logs/worker-<n>.log                               what engines printed
report.json, and its drawings                      the report
.lock, .owner                                     held while an audit writes, and by which process
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import ValidationError

from gradcheck import whole_file
from gradcheck.artifact import ARTIFACT, AnyArtifact
from gradcheck.engine import BadInput
from gradcheck.jobs.order import Order, Refusal
from gradcheck.jobs.outcome import Outcome, measurement
from gradcheck.measure import KINDS
from gradcheck.report import FILE
from gradcheck.reports.formats import FORMATS


class Folder:
    """One output folder. Nothing is made before `locked`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.logs = path / "logs"
        self.run = path / "run.json"
        self.report = path / FILE

    def of(self, order: Order) -> Path:
        """Where the artifacts of a job lie."""
        return self.path / "artifacts" / _safe(order.engine) / _safe(order.testbed)

    def job(self, order: Order) -> Path:
        """The file that says how a job goes on."""
        return self.path / "jobs" / _safe(order.engine) / f"{_safe(order.testbed)}.json"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While inside, no other audit writes here. Raises `BadInput` where one does, or where
        nothing can be written. The system releases the lock of a process that is killed."""
        owner = self.path / ".owner"
        try:
            self._make(())
            lock = FileLock(self.path / ".lock", timeout=0)
            lock.acquire()
        except Timeout:
            who = ""
            with suppress(OSError, ValueError):
                who = f" (process {int(owner.read_text())})"
            raise BadInput(
                f"another audit{who} is writing to {self.path}: wait for its end, "
                "or choose another folder with --out (out= in Python)"
            ) from None
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            whole_file.write(owner, f"{os.getpid()}\n")
            yield
        finally:
            owner.unlink(missing_ok=True)
            lock.release()

    def prepare(self, orders: Sequence[Order], keep: bool) -> None:
        """Make the folders and prove that they can be written; unless `keep`, drop what an older
        audit left of the same jobs, and its report, so that nothing old is read as new, least of
        all after a kill. Raises `BadInput`."""
        files = [self.report, self.run, *(self.path / one.file for one in FORMATS.values())]
        for file in files:
            if file.is_dir():
                raise BadInput(
                    f"{file} is a folder: remove it, or choose another with --out (out= in Python)"
                )
        try:
            self._make(orders)
            for order in orders:
                if not keep:
                    for kind in KINDS:
                        (self.of(order) / f"{kind}.json").unlink(missing_ok=True)
                    self.job(order).unlink(missing_ok=True)
                for place in (self.of(order), self.job(order).parent):
                    for torn in place.glob(".*.json.*"):  # a kill left half a file
                        torn.unlink()
            if not keep:
                for old in (*files, *self.logs.glob("*.log")):
                    old.unlink(missing_ok=True)
            for place in (self.path, self.logs):
                proof = place / f".gradcheck-{os.getpid()}"
                proof.touch()
                proof.unlink()
        except OSError as error:
            raise self._unwritable(error) from None

    def save_artifact(self, order: Order, artifact: AnyArtifact) -> None:
        """Write what a measurement gave."""
        file = self.of(order) / f"{measurement(artifact)}.json"
        whole_file.write(file, artifact.model_dump_json() + "\n")

    def save_job(self, outcome: Outcome) -> None:
        """Write how a job goes on, but for its artifacts. Bad input is not kept: it is there to be
        corrected."""
        if outcome.refused is not Refusal.BAD_INPUT:
            text = outcome.model_dump_json(exclude={"artifacts", "interrupted"})
            whole_file.write(self.job(outcome.order), text + "\n")

    def load(self, order: Order, retry: bool) -> Outcome:
        """What an earlier run knows of that job. With `retry` faults are not kept: crashes,
        time-outs and whatever else prevented a measurement."""
        try:
            outcome = Outcome.model_validate_json(self.job(order).read_bytes())
        except (OSError, ValueError):
            return Outcome(order=order)
        if outcome.order != order:
            return Outcome(order=order)
        found = [self._artifact(order, name) for name in order.measurements]
        if outcome.ready is not None:
            outcome.artifacts = [one for one in found if one is not None]
        if retry:
            outcome.forget_faults()
        outcome.settle()
        return outcome

    def _artifact(self, order: Order, name: str) -> AnyArtifact | None:
        try:
            found = ARTIFACT.validate_json((self.of(order) / f"{name}.json").read_bytes())
        except (OSError, ValidationError):
            return None
        made = (found.engine, found.testbed, found.seed, measurement(found))
        return found if made == (order.engine, order.testbed, order.seed, name) else None

    def _make(self, orders: Sequence[Order]) -> None:
        jobs = [folder for one in orders for folder in (self.of(one), self.job(one).parent)]
        for folder in (self.path, self.logs, *jobs):
            folder.mkdir(parents=True, exist_ok=True)

    def _unwritable(self, error: OSError) -> BadInput:
        return BadInput(
            f"cannot write to the folder {self.path}: {error.strerror}; choose another with --out "
            "(out= in Python)"
        )


def _safe(name: str) -> str:
    """A name as a folder's: the same for the same name, another for another name."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[-60:] or "engine"
    if plain == name.replace(":", "-"):
        return plain
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
