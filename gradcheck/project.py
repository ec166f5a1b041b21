"""The files with which a project begins to be audited."""

from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from gradcheck import config, whole_file
from gradcheck.engine import BadInput

ADAPTER = "my_simulator.py"


class Kind(StrEnum):
    """What a simulator is written in, as far as its adapter has to know."""

    JAX = "jax"
    PYTHON = "python"


# Testbeds that the skeleton can do as it is; each is measured within seconds.
TESTBEDS = {Kind.JAX: ("free_fall", "pendulum", "thruster"), Kind.PYTHON: ("pendulum",)}


def begin(folder: Path, kind: Kind) -> list[Path]:
    """Write a configuration and an adapter that runs; returns their paths.

    Raises `BadInput` where one of them is there already: nothing is overwritten.
    """
    skeletons = files("gradcheck.skeletons")
    testbeds = ", ".join(f'"{name}"' for name in TESTBEDS[kind])
    settings = (skeletons / config.FILE).read_text(encoding="utf-8")
    texts = {
        folder / config.FILE: settings.replace("@TESTBEDS@", testbeds),
        folder / ADAPTER: (skeletons / f"{kind}_simulator.py").read_text(encoding="utf-8"),
    }
    for path in texts:
        if path.exists():
            raise BadInput(f"{path} is there already: move it away, or begin in another folder")
    for path, text in texts.items():
        whole_file.write(path, text)
    return list(texts)
