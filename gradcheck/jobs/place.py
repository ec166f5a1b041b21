"""The executor that a name stands for."""

from pathlib import Path

from gradcheck.engine import BadInput
from gradcheck.jobs.executor import Executor
from gradcheck.jobs.local import Local
from gradcheck.jobs.outcome import Limits

FORMS = "local, dask=ADDRESS, ray or ray=ADDRESS"


def kind(name: str) -> str:
    """`local`, `dask` or `ray`. Raises `BadInput` for any other name."""
    place, equals, address = name.partition("=")
    fits = {"local": not equals, "dask": bool(address), "ray": bool(address) or not equals}
    if not fits.get(place, False):
        raise BadInput(f"unknown executor '{name}'; there are {FORMS}")
    return place


def executor(name: str, slots: int, limits: Limits, logs: Path, files: dict[str, str]) -> Executor:
    """Where jobs are performed: `slots` at once here, as many as it takes on a cluster.

    files: the users' files that jobs need, with their digests. Raises `BadInput` where there is
    no such cluster, or it cannot measure.
    """
    address = name.partition("=")[2]
    match kind(name):
        case "dask":
            from gradcheck.jobs.dask import Dask

            return Dask(address, limits, logs, files)
        case "ray":
            from gradcheck.jobs.ray import Ray

            return Ray(address, limits, logs, files)
        case _:
            return Local(slots, limits, logs)
