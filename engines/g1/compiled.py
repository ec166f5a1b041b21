"""How XLA compiles the simulator where the simulator is what is compiled."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import jax

F = TypeVar("F", bound=Callable[..., Any])
# Of little cost to the speed, and three times faster to compile. Not the user's where the
# simulator is part of a program of theirs; `jax.jit(f, compiler_options=COMPILER_OPTIONS)` is.
COMPILER_OPTIONS: dict[str, bool | int | str] = {
    "xla_cpu_use_fusion_emitters": False,
    "xla_backend_optimization_level": 1,
}


def compiled(function: F) -> F:
    """`jax.jit`, with these options on a CPU when it is called from outside all other programs;
    JAX takes options there only."""
    inside = jax.jit(function)

    @functools.cache
    def outside() -> Any:
        cpu = jax.default_backend() == "cpu"
        return jax.jit(function, compiler_options=COMPILER_OPTIONS if cpu else None)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(arguments)):
            return inside(*arguments)
        try:
            return outside()(*arguments)
        except ValueError as error:
            # Within another program, though no argument is of it.
            if "top-level" not in str(error):
                raise
            return inside(*arguments)

    return call  # type: ignore[return-value]
