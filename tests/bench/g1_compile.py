"""Seconds to the end of the first call of the G1 simulator, in a process without and then with what
JAX's persistent cache holds.

    python -m tests.bench.g1_compile [--batch 64]

Each program runs in processes of its own. Tracing is Python's share, which no cache saves; the rest
is XLA's, or reading from the cache.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

PROGRAMS = ("step", "value and gradient", "A and B")


def first(program: str, batch: int) -> dict[str, float]:
    """Seconds of import, of tracing and lowering, and of the first call as a whole."""
    begin = time.perf_counter()
    import jax
    import jax.numpy as jnp

    from gradcheck.engines import g1

    imported = time.perf_counter() - begin
    model = g1.load(dtype="float32")
    qpos, ctrl = g1.keyframe(model, "stand")
    current, ctrl = g1.state(model, qpos, batch=batch), jnp.tile(ctrl, (batch, 1))

    def loss(last: g1.State, _: g1.State) -> jax.Array:
        return (last.qpos**2).sum(-1) + (last.qvel**2).sum(-1)

    calls: dict[str, Callable[[g1.State, jax.Array], Any]] = {
        "step": lambda s, u: g1.step(model, s, u),
        "value and gradient": lambda s, u: g1.value_and_grad(model, loss)(s, u[None]),
        "A and B": lambda s, u: g1.transition_jacobians(model, s, u),
    }
    jax.block_until_ready((current, ctrl))
    begin = time.perf_counter()
    jax.block_until_ready(calls[program](current, ctrl))
    whole = time.perf_counter() - begin
    # Traced anew, under another function
    begin = time.perf_counter()
    jax.clear_caches()
    jax.jit(calls[program]).lower(current, ctrl)
    return {"import": imported, "first call": whole, "tracing": time.perf_counter() - begin}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--only", choices=PROGRAMS)
    arguments = parser.parse_args()
    if arguments.only:
        print(json.dumps(first(arguments.only, arguments.batch)))
        return
    for program in PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            environment = {
                "NPROC": "8",
                **os.environ,
                "JAX_COMPILATION_CACHE_DIR": folder,
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.5",
            }
            command = [sys.executable, "-m", "tests.bench.g1_compile", "--only", program]
            command += ["--batch", str(arguments.batch)]
            for cache in ("cold", "warm"):
                out = subprocess.run(
                    command, env=environment, check=True, capture_output=True, text=True
                )
                times = json.loads(out.stdout.splitlines()[-1])
                told = ", ".join(f"{name} {value:.1f} s" for name, value in times.items())
                print(f"{program}, {cache} cache: {told}", flush=True)


if __name__ == "__main__":
    main()
