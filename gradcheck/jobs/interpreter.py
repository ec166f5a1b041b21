"""The Python that runs a child: the runner's own, or that of another environment.

Another environment sees of ours only gradcheck's own package, and none of its libraries, so that
an engine may need versions that conflict with them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from gradcheck.engine import BadInput
from gradcheck.jobs.software import PACKAGE, Software
from gradcheck.reason import one_line

NEEDS = "numpy 'pydantic>=2.9' scipy"
PROBE_SECONDS = 120.0
_OLD, _ABSENT = 31, 32
# Old enough in its words for any Python 3 to say that it is too old.
_START = f"""
import sys
if sys.version_info < (3, 11):
    print("%d.%d" % sys.version_info[:2])
    sys.exit({_OLD})
import importlib.util, runpy
package = sys.argv.pop(1)
spec = importlib.util.spec_from_file_location(
    "gradcheck", package + "/__init__.py", submodule_search_locations=[package]
)
sys.modules["gradcheck"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["gradcheck"])
try:
    runpy.run_module("gradcheck.jobs.worker", run_name="__main__", alter_sys=True)
except ImportError as error:
    print(error.name or error)
    sys.exit({_ABSENT})
"""


def command(python: str | None) -> list[str]:
    """The command that starts a worker, to be followed by its options."""
    if python is None:
        return [sys.executable, "-m", "gradcheck.jobs.worker"]
    return [python, "-c", _START, str(PACKAGE)]


def environment(python: str | None = None) -> dict[str, str]:
    """The environment variables of a child.

    NPROC: XLA's thread pool deadlocks on few cores in large batches. Compiled programs are kept
    in the user's cache folder, also small ones, so that the next audit starts warm.
    """
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    ours = {
        "NPROC": "8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": str(Path(base) / "gradcheck" / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
        "PYTHONUNBUFFERED": "1",
        **os.environ,
    }
    if python is None:  # a child finds this gradcheck also where it is not installed
        path = [str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]
        ours["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    return ours


def probe(python: str, engine: str) -> Software:
    """The software of that interpreter, which `engine` asks for. Raises `BadInput` with the cure
    where it cannot run our worker."""
    who = f"the Python of engine {engine}, {python},"
    if not Path(python).is_file():
        raise BadInput(f"{who} is not there: correct `python` under [engines.{engine}]")
    try:
        found = subprocess.run(
            [*command(python), "--probe"],
            env=environment(python),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except OSError as error:
        raise BadInput(f"{who} does not start: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise BadInput(f"{who} says nothing for {PROBE_SECONDS:g} s") from None
    said = found.stdout.strip().rpartition("\n")[2]
    if found.returncode == _OLD:
        raise BadInput(f"{who} is Python {said}; gradcheck's worker needs 3.11 or newer")
    if found.returncode == _ABSENT:
        raise BadInput(f"{who} cannot import {said}: run {python} -m pip install {NEEDS}")
    try:
        return Software.model_validate(json.loads(said))
    except ValueError:
        last = one_line(found.stderr.strip().rpartition("\n")[2])
        raise BadInput(f"{who} does not run gradcheck's worker: {last}") from None
