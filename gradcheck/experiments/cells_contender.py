"""Who takes part in the experiment of the cells."""

from importlib.util import find_spec
from typing import NamedTuple

from gradcheck.engine import AbstractEngine, BadInput, Knob, Unsupported
from gradcheck.guard import GuardedEngine
from gradcheck.scene import Chain
from gradcheck.testbed import Testbed

REVERSIBLE = 0.5
LIBRARIES = "diffrax", "equinox", "lineax"


class Contender(NamedTuple):
    """An engine, what it keeps, and an engine that runs the same program for the references."""

    name: str
    keep: str
    engine: AbstractEngine
    program: AbstractEngine


def of_chain(testbed: Testbed) -> list[Contender]:
    """The nine cells of `spring_chain`, each with everything that it can keep. Raises `Unsupported`
    for another scene, or where a library is absent."""
    testbed.scene(Chain)
    if absent := [name for name in LIBRARIES if find_spec(name) is None]:
        raise Unsupported(
            f"spring_chain needs {', '.join(absent)}: run pip install 'gradcheck[chain]'"
        )
    from gradcheck.engines.retained import Keep
    from gradcheck.engines.spring_chain import CELLS, SpringChain

    euler = SpringChain(solver="gauss_seidel")
    midpoint = SpringChain(solver="gauss_seidel", theta=REVERSIBLE)
    for one in (euler, midpoint):
        one.chunk = 64  # of differences
    out = []
    for name, cell in CELLS.items():
        for keep in cell.keeps:
            # Steps can be inverted where they are reversible, those of the midpoint rule: another
            # program, held against its own references.
            other = keep is Keep.INVERT and cell.step is not None
            engine = SpringChain(
                name, keep=keep, solver="gauss_seidel", theta=REVERSIBLE if other else 1.0
            )
            engine.chunk = 1  # its time and memory are those of one rollout
            out.append(
                Contender(
                    f"spring_chain:{name}",
                    f"{keep}, midpoint rule" if other else keep,
                    engine,
                    midpoint if other else euler,
                )
            )
    return out


def of_user(name: str) -> Contender:
    """A user's engine. Raises `BadInput` where it has no knob for its solver's budget."""
    from gradcheck import registry

    engine = registry.engine(name)
    if Knob.ITERATIONS not in engine.card.knobs:
        has = ", ".join(engine.card.knobs) or "none"
        raise BadInput(
            f"{name} has no knob 'iterations' (it has: {has}), so there is no budget to vary: "
            "name Knob.ITERATIONS on its card where it has a solver"
        )
    guarded = GuardedEngine(engine)
    return Contender(name, str(engine.card.retention or "not stated"), guarded, guarded)
