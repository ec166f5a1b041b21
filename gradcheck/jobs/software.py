"""What measures: a Python, the libraries in it, and gradcheck's own code."""

import hashlib
import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

from gradcheck.record import Record

# Distributions that can change a number, or that engines are made of.
LIBRARIES = (
    "gradcheck",
    "numpy",
    "scipy",
    "jax",
    "jaxlib",
    "mujoco",
    "mujoco-mjx",
    "torch",
    "brax",
    "casadi",
    "diffrax",
    "equinox",
    "lineax",
    "newton",
    "warp-lang",
)
GROUP = "gradcheck.engines"
UNKNOWN = "unknown"
# What judges and draws may change: all measurements of an audit are judged together.
NOT_MEASURING = {"checks", "commands", "reports", "skeletons", "__pycache__"}
PACKAGE = Path(__file__).parents[1]


class Software(Record):
    """Of one interpreter. `versions` by distribution, as installed; `source` is a digest of
    gradcheck's code, which tells states of it apart whose version is the same."""

    python: str
    versions: dict[str, str]
    source: str

    def difference(self, now: "Software") -> str | None:
        """What is another now, in a few words; None where nothing is."""
        if self.python != now.python:
            return f"Python was {self.python} and is {now.python}"
        for name in sorted({*self.versions, *now.versions}):
            then, new = self.versions.get(name), now.versions.get(name)
            # Whether a path shows gradcheck's metadata depends on the folder; `source` tells more.
            if name == "gradcheck" and UNKNOWN in (then, new):
                continue
            if then is not None and then != new:
                return f"{name} was {then} and is {new or 'absent'}"
        return "gradcheck's own code has changed" if self.source != now.source else None


@cache
def here() -> Software:
    """That of this process."""
    return Software(python=platform.python_version(), versions=installed(), source=source())


@cache
def installed() -> dict[str, str]:
    """Versions of the libraries, and of the packages that bring engines, that are installed.
    gradcheck, which runs, is always told."""
    engines = [point.dist.name for point in entry_points(group=GROUP) if point.dist is not None]
    found = {"gradcheck": UNKNOWN}
    for name in (*LIBRARIES, *engines):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def source() -> str:
    """A digest of the Python files of gradcheck that measure, the linked folders included."""
    digest = hashlib.sha256()
    for folder, below, names in os.walk(PACKAGE, followlinks=True):
        below[:] = sorted({*below} - NOT_MEASURING)
        for name in sorted(names):
            if name.endswith(".py"):
                file = Path(folder, name)
                digest.update(f"{file.relative_to(PACKAGE)}\n".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def digest(file: str | Path) -> str | None:
    """A digest of that file; None where it cannot be read."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError:
        return None
