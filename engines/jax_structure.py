"""Which derivative rules a JAX computation brings, read from its jaxpr."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from gradcheck.structure import Structure

# Rules of these are how JAX and its libraries work, not how an engine is differentiated.
FRAMEWORKS = ("jax", "equinox", "lineax", "jaxtyping")
# Ours, in which the rollout's states are kept or had again; the steps inside are as they are.
KEPT = "engines/retained.py"
CUSTOM = ("custom_jvp_call", "custom_vjp_call")
SOLVES = ("custom_linear_solve", "linear_solve", "custom_root")
RECOMPUTED = ("checkpoint", "remat", "remat2")


def structure(closed: Any, source: str) -> Structure:
    """Of a closed jaxpr. A rule inside another counts as part of the outer one."""
    rules: Counter[str] = Counter()
    solves: Counter[str] = Counter()
    counts = {"operations": 0, "recomputed": 0}

    def walk(jaxpr: Any, owner: str | None) -> None:
        for equation in jaxpr.eqns:
            name, inside = equation.primitive.name, owner
            if name in CUSTOM and owner is None:
                inside = _own(equation)
            if name in SOLVES:
                solves[name] += 1
            counts["recomputed"] += name in RECOMPUTED
            inner = list(_inner(equation.params))
            if not inner:
                counts["operations"] += 1
                if inside is not None:
                    rules[inside] += 1
            if name in SOLVES:
                continue  # what solves it is not differentiated
            for one in inner:
                walk(one, inside)

    walk(closed.jaxpr, None)
    return Structure(
        source=source,
        operations=counts["operations"],
        rules=dict(rules),
        solves=dict(solves),
        recomputed=counts["recomputed"],
    )


def _own(equation: Any) -> str | None:
    """Name and file of the engine's own rule; None for one of a framework."""
    told = equation.params["call_jaxpr"].jaxpr.debug_info.func_src_info or "unknown"
    name, _, place = told.partition(" at ")
    _, installed, inside = place.rpartition("site-packages/")
    file = place.rpartition(":")[0]
    if (installed and inside.split("/")[0] in FRAMEWORKS) or file.endswith(KEPT):
        return None
    return f"{name} ({place.rpartition('/')[2]})"


def _inner(params: dict[str, Any]) -> Iterator[Any]:
    for value in params.values():
        for one in value if isinstance(value, tuple | list) else (value,):
            if hasattr(one, "jaxpr"):
                yield one.jaxpr
            elif hasattr(one, "eqns"):
                yield one
