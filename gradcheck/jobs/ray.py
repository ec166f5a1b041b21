"""Jobs on a Ray cluster: one child process for each of its CPUs."""

import contextlib
import logging
from pathlib import Path
from typing import Any

from gradcheck.engine import BadInput
from gradcheck.jobs import remote
from gradcheck.jobs.cluster import Cluster, Ticket
from gradcheck.jobs.outcome import Limits
from gradcheck.jobs.remote import Greeting
from gradcheck.reason import reason

GREET_SECONDS = 60.0


class Ray(Cluster):
    """The cluster at an address; at none, the one that runs on this machine or that RAY_ADDRESS
    names."""

    name = "Ray"

    def __init__(self, address: str, limits: Limits, logs: Path, files: dict[str, str]) -> None:
        super().__init__(limits, logs, files)
        try:
            import ray
        except ImportError:
            raise BadInput(
                "--executor ray needs a library that is not installed: "
                "run pip install 'gradcheck[ray]'"
            ) from None
        self.ray: Any = ray
        try:
            ray.init(address=address or "auto", logging_level=logging.ERROR, log_to_driver=False)
        except Exception as error:  # of many kinds, for wrong addresses
            where = f"at {address}" if address else "on this machine"
            raise BadInput(
                f"there is no Ray cluster {where} ({reason(error)}): start one by ray start --head"
            ) from None

    def greetings(self) -> list[Greeting]:
        greet = self.ray.remote(num_cpus=0)(remote.greet)
        try:
            text = self.ray.get(greet.remote(self.files, self.source), timeout=GREET_SECONDS)
        except Exception as error:
            raise BadInput(
                f"the Ray workers cannot run gradcheck ({reason(error)}): install this version of "
                "it there"
            ) from None
        return [Greeting.model_validate_json(text)]

    def submit(self, task: str) -> Ticket:
        perform = self.ray.remote(num_cpus=1)(remote.perform)
        return _Reference(self.ray, perform.remote(task))

    def deserted(self) -> bool:
        return not self.ray.cluster_resources().get("CPU")

    def close(self) -> None:
        self.ray.shutdown()


class _Reference(Ticket):
    def __init__(self, ray: Any, reference: Any) -> None:
        self.ray = ray
        self.reference = reference

    def wait(self, seconds: float) -> str | None:
        ready, _ = self.ray.wait([self.reference], timeout=seconds)
        if not ready:
            return None
        text: str = self.ray.get(self.reference)
        return text

    def cancel(self) -> None:
        with contextlib.suppress(Exception):  # it may have ended meanwhile
            self.ray.cancel(self.reference, force=True)  # the child ends with its worker
