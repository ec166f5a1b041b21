"""Jobs on a Dask cluster: one child process for each thread of its workers."""

import logging
import uuid
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from gradcheck.engine import BadInput
from gradcheck.jobs import remote
from gradcheck.jobs.cluster import Cluster, Ticket, Unreachable
from gradcheck.jobs.outcome import Limits
from gradcheck.jobs.remote import Greeting
from gradcheck.reason import reason

CONNECT_SECONDS = 10.0


class Dask(Cluster):
    """The cluster of the scheduler at an address such as tcp://host:8786."""

    name = "Dask"

    def __init__(self, address: str, limits: Limits, logs: Path, files: dict[str, str]) -> None:
        super().__init__(limits, logs, files)
        self.address = address
        try:
            from distributed import Client
        except ImportError:
            raise BadInput(
                "--executor dask needs a library that is not installed: "
                "run pip install 'gradcheck[dask]'"
            ) from None
        # Lost connections are told by us, in one line.
        for logger in ("distributed", "distributed.client"):
            logging.getLogger(logger).setLevel(logging.CRITICAL)
        try:
            connect: Any = Client
            self.client = connect(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except Exception as error:  # of many kinds, for wrong addresses
            raise BadInput(
                f"there is no Dask scheduler at {address} ({reason(error)}): start one by "
                "dask scheduler, and give the address that it prints"
            ) from None

    def greetings(self) -> list[Greeting]:
        try:
            found = self.client.run(remote.greet, self.files, self.source)
        except Exception as error:
            raise BadInput(
                f"the Dask workers at {self.address} cannot run gradcheck ({reason(error)}): "
                "install this version of it there"
            ) from None
        if not found:
            raise BadInput(
                f"the Dask cluster at {self.address} has no workers: start some by "
                f"dask worker {self.address}"
            )
        return [Greeting.model_validate_json(one) for one in found.values()]

    def submit(self, task: str) -> Ticket:
        # A key of its own: equal jobs of two audits must not share an outcome.
        key = f"gradcheck-{uuid.uuid4().hex}"
        return _Future(self.client, self.client.submit(_perform, task, key=key, pure=False))

    def deserted(self) -> bool:
        return not self.client.nthreads()

    def close(self) -> None:
        self.client.close(timeout=CONNECT_SECONDS)


class _Future(Ticket):
    def __init__(self, client: Any, future: Any) -> None:
        self.client = client
        self.future = future

    def wait(self, seconds: float) -> str | None:
        if self.client.status not in ("running", "connecting"):
            raise Unreachable("the connection to its scheduler is lost")
        try:
            text: str = self.future.result(timeout=seconds)
        except TimeoutError:
            return None
        except CancelledError:
            raise Unreachable("its scheduler was lost, or has dropped the job") from None
        return text

    def cancel(self) -> None:
        self.future.cancel()


def _perform(task: str) -> str:
    """Runs in a worker's thread."""
    return remote.perform(task, _abandoned())


def _abandoned() -> Any:
    """Whether this task was cancelled, or its client has gone."""
    from distributed import get_worker
    from distributed.worker import thread_state  # type: ignore[attr-defined]

    worker, key = get_worker(), thread_state.key

    def abandoned() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return abandoned
