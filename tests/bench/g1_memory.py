"""Memory of the G1 simulator's gradient against the horizon, as XLA tells of the compiled program.

    python -m tests.bench.g1_memory [--steps 4 16 64 256] [--batch 32]

Temporary bytes a world of `value_and_grad`, for both values of `keep`; and how much of it a step
adds, in floats beside those of one state (qpos, qvel, qacc).
"""

import argparse
import os

os.environ.setdefault("NPROC", "8")

import jax
import jax.numpy as jnp

from gradcheck.engines import g1
from tests.bench.g1_speed import squares


def temporary(model: g1.Model, steps: int, batch: int, keep: str) -> float:
    """Bytes a world."""
    qpos, ctrl = g1.keyframe(model, "stand")
    start = g1.state(model, qpos, batch=batch)
    controls = jnp.tile(ctrl, (steps, batch, 1))
    graded = g1.value_and_grad(model, squares, keep=keep)
    lowered = jax.jit(graded, compiler_options=g1.COMPILER_OPTIONS).lower(start, controls)
    analysis = lowered.compile().memory_analysis()
    assert analysis is not None
    return float(analysis.temp_size_in_bytes) / batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, nargs="+", default=[4, 16, 64, 256])
    parser.add_argument("--batch", type=int, default=32)
    arguments = parser.parse_args()
    model = g1.load(dtype="float32")
    state = model.nq + 2 * model.nv
    for keep in ("steps", "sqrt"):
        before: tuple[int, float] | None = None
        for steps in arguments.steps:
            used = temporary(model, steps, arguments.batch, keep)
            told = f"keep={keep}, {steps} steps: {used / 1024:.1f} KiB a world"
            if before:
                grown = (used - before[1]) / 4 / (steps - before[0])
                told += f"; a step more: {grown:.0f} floats, {grown / state:.1f} states"
            print(told, flush=True)
            before = steps, used


if __name__ == "__main__":
    main()
