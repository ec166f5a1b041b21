"""Which engines are audited on which testbeds, and what these are made of."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gradcheck import registry, target
from gradcheck.config import Config, EngineSettings
from gradcheck.engine import BadInput

# What `gradcheck audit` measures when it is not told otherwise: on each question, the engines
# that answer it differently. The slowest come first, so that no slot is left with one at the end.
DEFAULT_PLAN: dict[str, tuple[str, ...]] = {
    "mjx": ("drop",),
    "particles:toi": ("oblique_impact", "bounce"),
    "particles:ideal": ("bounce", "wall"),
    "particles:penalty": ("bounce",),
    "equations": ("pendulum", "over_the_wall"),
    "mujoco": ("drop", "pendulum"),
    "closed_form": ("free_fall", "bounce", "wall", "oblique_impact", "over_the_wall"),
}


@dataclass(frozen=True)
class Source:
    """What a report calls `name` is made of `target`, by that Python (None: this one).

    A target is a registered name or FILE.py:NAME, the file's path absolute: it holds in any
    folder, and on other machines that have the file.
    """

    name: str
    target: str
    python: str | None = None


Pair = tuple[Source, Source]


def plan(
    engines: Sequence[str], testbeds: Sequence[str], config: Config | None = None
) -> list[Pair]:
    """Pairs (engine, testbed), each once. Raises `BadInput` for names that nobody knows.

    Engines without testbeds are put on every testbed, testbeds without engines get every engine
    of the default plan. A family of engines stands for its variants. Of what is not given, `config`
    says it; files that it names are relative to its own.
    """
    config = config or Config()
    engine_base = testbed_base = Path()
    if not engines:
        engines, engine_base = config.audit.engines, config.folder
    if not testbeds:
        testbeds, testbed_base = config.audit.testbeds, config.folder
    if not engines and not testbeds:
        return [
            (_own(engine, config), Source(one, one))
            for engine, names in DEFAULT_PLAN.items()
            for one in names
        ]
    scenes = [_testbed(name, testbed_base) for name in testbeds or registry.testbed_names()]
    chosen = sources(engines or list(DEFAULT_PLAN), engine_base, config)
    return list(dict.fromkeys((engine, scene) for engine in chosen for scene in scenes))


def sources(names: Sequence[str], base: Path, config: Config) -> list[Source]:
    """The engines that names stand for, files relative to `base`. Raises `BadInput`."""
    return [one for name in names for one in _engines(name, base, config)]


def _engines(name: str, base: Path, config: Config) -> list[Source]:
    """The engines that a name stands for."""
    if name in config.engines:
        return [_own(name, config)]
    if target.is_target(name):
        return [_file(name, base)]
    return [
        _own(one, config) if one in config.engines else Source(one, one)
        for one in registry.expand(name)
    ]


def _own(name: str, config: Config) -> Source:
    """An engine that the configuration may say something of."""
    said = config.engines.get(name, EngineSettings())
    made_of = said.target or name
    if said.target is not None:
        if name in registry.ENGINES or name in {one.partition(":")[0] for one in registry.ENGINES}:
            raise BadInput(f"[engines.{name}] has the name of a built-in engine: choose another")
        if said.target in config.engines and said.target not in registry.ENGINES:
            raise BadInput(
                f"the target of engine {name} is {said.target}, a name given here as well: "
                "write what that one is made of"
            )
    if target.is_target(made_of):
        made_of = _file(made_of, config.folder).target
    elif said.python is None:
        found = registry.expand(made_of)
        if len(found) > 1:
            raise BadInput(
                f"the target of engine {name} is the family {made_of}: name one of it, such as "
                f"{found[0]}"
            )
    # With another Python, the name may be known in that environment only.
    python = said.python
    if python is not None:
        on_path = None if os.sep in python else shutil.which(python)
        python = on_path or _path(python, config.folder)
    return Source(name, made_of, python)


def _testbed(name: str, base: Path) -> Source:
    if target.is_target(name):
        return _file(name, base)  # loaded where it is measured, which may be elsewhere
    registry.testbed(name)
    return Source(name, name)


def _file(name: str, base: Path) -> Source:
    """FILE.py:NAME that is there, parses and mentions the name. Raises `BadInput`."""
    here = base == Path()
    path, _, attribute = name.rpartition(":")
    whole = f"{_path(path, base)}:{attribute}" if path else name
    target.inspect(name if here else whole)
    return Source(name, whole)


def _path(name: str, base: Path) -> str:
    """The absolute path. Links are kept: the Python of an environment is one."""
    return os.path.abspath(base / Path(name).expanduser())
