"""Names of engines and testbeds, and what they stand for. Nothing is imported before it is used.

An engine's name is one of the table below, `faulty:<fault>`, `path/to/file.py:Name`, or an entry
point of the group `gradcheck.engines` (an engine class or an instance) of an installed package.
"""

import difflib
import importlib
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from gradcheck import target
from gradcheck.engine import AbstractEngine, BadInput, EngineCard, Unsupported
from gradcheck.reason import reason
from gradcheck.scene import Mjcf
from gradcheck.testbed import Testbed

GROUP = "gradcheck.engines"


@dataclass(frozen=True)
class Entry:
    """Where an engine is made: module, class and constructor arguments.

    `needs` is what pip has to install where the import fails. Engines of one `group` may share a
    child process one after the other; those that do without JAX share none with those that load
    it, so that a process tells the same device whatever ran in it before.
    """

    module: str
    attribute: str
    arguments: tuple[str, ...] = ()
    needs: str = "gradcheck"
    group: str = "jax"


ENGINES: dict[str, Entry] = {
    "closed_form": Entry("gradcheck.engines.closed_form", "ClosedForm", group="numpy"),
    "equations": Entry("gradcheck.engines.equations", "EquationsEngine"),
    **{
        f"particles:{variant}": Entry("gradcheck.engines.particles", "ParticlesEngine", (variant,))
        for variant in ("ideal", "toi", "penalty")
    },
    **{
        f"fixed_point:{gradient}": Entry(
            "gradcheck.engines.fixed_point", "FixedPointEngine", (gradient,)
        )
        for gradient in ("unrolled", "implicit")
    },
    **{
        f"spring_chain:{cell}": Entry(
            "gradcheck.engines.spring_chain",
            "SpringChain",
            (cell,),
            needs="'gradcheck[chain]'",
        )
        for cell in (
            f"{referent}-{realization}"
            for referent in ("executed", "converged", "continuous")
            for realization in ("generated", "adjoint", "custom")
        )
    },
    "mujoco": Entry(
        "gradcheck.engines.mujoco_c", "MujocoEngine", needs="'mujoco==3.17.*'", group="numpy"
    ),
    **{
        name: Entry(
            "gradcheck.engines.mjx",
            "MjxEngine",
            (variant,) if variant else (),
            needs="'mujoco-mjx==3.17.*'",
            group="mjx",
        )
        for name, variant in (("mjx", ""), ("mjx:reverse", "reverse"))
    },
    "g1": Entry("gradcheck.engines.g1_engine", "G1Engine", group="mjx"),
}


def engine_names() -> list[str]:
    """Every name that `engine` knows, without files: built-in ones, faults, installed ones."""
    return [*ENGINES, *_fault_names(), *_installed()]


def testbed_names() -> list[str]:
    """The names of the built-in testbeds."""
    from gradcheck.testbeds import NAMES

    return list(NAMES)


def expand(name: str) -> list[str]:
    """The engines that a name stands for: itself, or the variants of a family (`particles`).

    Raises `BadInput` for an unknown name, with those that come close, and for a file that is
    absent, does not parse or lacks the name. Runs no engine's code.
    """
    if target.is_target(name):
        target.inspect(name)
        return [name]
    names = engine_names()
    if name in names:
        return [name]
    variants = [one for one in names if one.startswith(f"{name}:")]
    if not variants:
        raise _unknown("engine", name, names)
    return variants


def group(name: str) -> str:
    """Which engines may share a process with this one."""
    if name in ENGINES:
        return ENGINES[name].group
    if name.startswith("faulty:"):
        return "jax"
    return name.rpartition(":")[0] if target.is_target(name) else name.partition(":")[0]


def engine(name: str) -> AbstractEngine:
    """The engine of that name, made anew. Raises `BadInput`, or `Unsupported` if its library is
    not installed."""
    if target.is_target(name):
        return _engine_from(target.load(name), name)
    if name in ENGINES:
        return _made(name, ENGINES[name])
    if name.startswith("faulty:"):
        if name not in _fault_names():
            raise _unknown("engine", name, engine_names())
        fault = name.removeprefix("faulty:")
        return _made(name, Entry("gradcheck.engines.faulty", "FaultyEngine", (fault,)))
    if (point := _installed().get(name)) is not None:
        return _engine_from(_loaded(point), name)
    if (configured := _configured(name)) is not None:
        return engine(configured)
    raise _unknown("engine", name, engine_names())


def testbed(name: str) -> Testbed:
    """The testbed of that name. Raises `BadInput`, also for MJCF of the user that does not
    compile."""
    if not target.is_target(name):
        if name not in testbed_names():
            raise _unknown("testbed", name, testbed_names())
        found = importlib.import_module(f"gradcheck.testbeds.{name}").TESTBED
        assert isinstance(found, Testbed)
        return found
    loaded = target.load(name)
    if not isinstance(loaded, Testbed):
        raise BadInput(
            f"{name} is {_kind(loaded)}, not a gradcheck.Testbed: name the variable that holds one"
        )
    for scene in loaded.scenes:
        if isinstance(scene, Mjcf):
            _compile(name, scene)
    return loaded


def _compile(name: str, scene: Mjcf) -> None:
    try:
        import mujoco
    except ImportError:  # an engine in an environment of its own may do without
        return

    try:
        mujoco.MjModel.from_xml_string(scene.xml)
    except ValueError as error:
        raise BadInput(f"the MJCF of {name} does not compile: {reason(error)}") from None


def _made(name: str, entry: Entry) -> AbstractEngine:
    try:
        made = getattr(importlib.import_module(entry.module), entry.attribute)
        built = made(*entry.arguments)
    except ImportError as error:
        if (error.name or "").startswith("gradcheck"):
            raise
        raise Unsupported(
            f"{name} needs a library that does not import ({reason(error)}): "
            f"run pip install {entry.needs}"
        ) from None
    assert isinstance(built, AbstractEngine)
    return built


def _engine_from(found: object, name: str) -> AbstractEngine:
    """An engine from what a user names: an instance, or a class that needs no arguments."""
    if isinstance(found, type) and issubclass(found, AbstractEngine):
        try:
            found = found()
        except Exception as error:
            raise BadInput(
                f"{name} cannot be made without arguments ({reason(error)}): "
                "give every argument a default, or name an instance"
            ) from None
    if not isinstance(found, AbstractEngine):
        hint = " (for a function use: gradcheck check)" if callable(found) else ""
        raise BadInput(
            f"{name} is {_kind(found)} that is not a gradcheck.AbstractEngine: "
            f"derive it from there{hint}"
        )
    if not isinstance(getattr(found, "card", None), EngineCard):
        raise BadInput(f"{name} has no card: set card = gradcheck.EngineCard(name=…, version=…)")
    return found


def _loaded(point: EntryPoint) -> object:
    package = point.dist.name if point.dist else "an installed package"
    try:
        loaded: object = point.load()
    except Exception as error:
        raise BadInput(
            f"the engine '{point.name}' of {package} does not import: {reason(error)}"
        ) from None
    return loaded


def _configured(name: str) -> str | None:
    """What the nearest gradcheck.toml makes an engine of that name of."""
    from gradcheck import config

    found = config.find()
    said = found.engines.get(name)
    if said is None or said.target is None or said.target in found.engines:
        return None
    if said.python is not None:
        raise Unsupported(f"{name} runs in another Python: call this from {said.python}")
    return str(found.folder / said.target) if target.is_target(said.target) else said.target


def _installed() -> dict[str, EntryPoint]:
    """Entry points by name; a built-in engine keeps its name."""
    return {p.name: p for p in entry_points(group=GROUP) if p.name not in ENGINES}


def _fault_names() -> list[str]:
    from gradcheck.engines.faulty_table import FAULTS

    return [f"faulty:{fault}" for fault in FAULTS]


def _unknown(kind: str, name: str, known: list[str]) -> BadInput:
    """The error for a name nobody knows: what comes close, and how to see all."""
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    guess = f"; did you mean {' or '.join(close)}?" if close else ";"
    everything = f"gradcheck list {kind}s shows all {len(known)}"
    return BadInput(f"unknown {kind} '{name}'{guess} {everything}")


def _kind(found: object) -> str:
    return "a class" if isinstance(found, type) else f"a {type(found).__name__}"
