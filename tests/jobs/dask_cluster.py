"""A real Dask cluster on loopback: a scheduler and workers, as processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

SECONDS = 60.0


class DaskCluster:
    """Started on entering, ended on leaving. `environment` is added to that of all processes."""

    def __init__(
        self, folder: Path, workers: int = 2, environment: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.wanted = workers
        self.environment = {**os.environ, **(environment or {})}
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        self.scheduler = self._start(
            "scheduler", "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"
        )
        self._until(self.file.exists)
        for _ in range(self.wanted):
            self.add_worker()
        self._until(lambda: self._listening() == self.wanted)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
        for process in (*self.workers, self.scheduler):
            process.wait()

    @property
    def address(self) -> str:
        """The scheduler's."""
        return str(json.loads(self.file.read_text())["address"])

    def add_worker(self) -> subprocess.Popen[bytes]:
        """One more, with one thread."""
        number = len(self.workers)
        words = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        place = ["--local-directory", str(self.folder / f"worker-{number}")]
        worker = self._start(f"worker-{number}", "dask_worker", *words, *place)
        self.workers.append(worker)
        return worker

    def _start(self, name: str, module: str, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [
                    *(sys.executable, "-m", f"distributed.cli.{module}"),
                    *("--scheduler-file", str(self.file)),
                    *words,
                ],
                env=self.environment,
                stdout=log,
                stderr=log,
            )

    def _listening(self) -> int:
        logs = [file.read_text() for file in self.folder.glob("worker-*.log")]
        return sum("Starting established connection" in one for one in logs)

    def _until(self, true: Callable[[], bool]) -> None:
        begin = time.monotonic()
        while not true():
            assert time.monotonic() - begin < SECONDS, "the cluster does not start"
            assert self.scheduler.poll() is None, "the scheduler has ended"
            time.sleep(0.05)
