"""Speed of the G1 simulator beside MJX, C MuJoCo and `mjd_transitionFD`, in one run.

    python -m tests.bench.g1_speed [--batches 64 256 1024] [--float64] [--no-mjx]

All start from the same states: the robot standing, each world after `WARM` steps of its own
control noise, warm starts included. Times are of one step a world, the least of several repeats;
those of the batched engines use all cores, C MuJoCo one. MJX runs reverse mode as it can: with one
solver iteration, which does not converge. Prints both sides of every ratio, and what compiling
took; with JAX's persistent cache set, run it twice to see the second.
"""

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("NPROC", "8")

import jax
import jax.numpy as jnp
import mujoco
import numpy as np

from gradcheck.engines import g1

WARM = 40
NOISE = 0.02
REPEATS = 15
BARS = {"mjx": 14.0, "step": 0.8, "jacobians": 20.0}


def standing(model: g1.Model, batch: int) -> tuple[g1.State, jax.Array]:
    """States of standing worlds and the controls of their next step."""
    qpos, ctrl = g1.keyframe(model, "stand")
    rng = np.random.default_rng(0)
    noise = NOISE * rng.standard_normal((WARM + 1, batch, model.nu))
    controls = jnp.asarray(np.asarray(ctrl) + noise, model.dtype)
    current = g1.state(model, qpos, batch=batch)
    for index in range(WARM):
        current = g1.step(model, current, controls[index])
    return current, controls[WARM]


def squares(last: g1.State, _: g1.State) -> jax.Array:
    """A loss that every output enters."""
    return (last.qpos**2).sum(-1) + (last.qvel**2).sum(-1)


def least(call: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Seconds of the fastest repeat."""
    jax.block_until_ready(call())
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        jax.block_until_ready(call())
        times.append(time.perf_counter() - begin)
    return min(times)


def ours(batch: int, dtype: str) -> dict[str, float]:
    """Microseconds a world of a step, of its value and gradient, and of A and B; compile time."""
    model = g1.load(dtype=dtype)
    current, ctrl = standing(model, batch)
    graded = g1.value_and_grad(
        model, lambda last, _: (last.qpos**2).sum(-1) + (last.qvel**2).sum(-1)
    )
    begin = time.perf_counter()
    result = jax.block_until_ready(graded(current, ctrl[None]))
    compiling = time.perf_counter() - begin
    scale = 1e6 / batch
    return {
        "step": scale * least(lambda: g1.step(model, current, ctrl)),
        "gradient": scale * least(lambda: graded(current, ctrl[None])),
        "compile": compiling,
        "iterations": float(jnp.mean(result.last.iterations)),
        "most": float(jnp.max(result.last.iterations)),
        "residual": float(jnp.max(result.last.residual)),
    }


def jacobians(batch: int, dtype: str) -> float:
    """Microseconds a world of A and B."""
    model = g1.load(dtype=dtype)
    current, ctrl = standing(model, batch)
    return 1e6 / batch * least(lambda: g1.transition_jacobians(model, current, ctrl), 5)


def c_mujoco(worlds: int = 32) -> tuple[float, float]:
    """Microseconds of mj_step and of mjd_transitionFD (centred) on one core, medians over the
    worlds' states; each from its warm start."""
    model = g1.load(dtype="float64")
    current, ctrl = standing(model, worlds)
    mj = model.structure.mj_model
    data = mujoco.MjData(mj)
    n, m = 2 * model.nv, model.nu
    a, b = np.zeros((n, n)), np.zeros((n, m))
    steps, differences = [], []
    for world in range(worlds):
        begins = []
        for _ in range(20):
            _put(data, current, ctrl, world)
            begin = time.perf_counter()
            mujoco.mj_step(mj, data)
            begins.append(time.perf_counter() - begin)
        steps.append(min(begins))
        _put(data, current, ctrl, world)
        begin = time.perf_counter()
        mujoco.mjd_transitionFD(mj, data, 1e-6, True, a, b, None, None)
        differences.append(time.perf_counter() - begin)
    return 1e6 * float(np.median(steps)), 1e6 * float(np.median(differences))


def _put(data: mujoco.MjData, current: g1.State, ctrl: jax.Array, world: int) -> None:
    data.qpos[:] = current.qpos[world]
    data.qvel[:] = current.qvel[world]
    data.qacc_warmstart[:] = current.qacc[world]
    data.ctrl[:] = ctrl[world]


def mjx_reverse(batches: list[int]) -> tuple[float, int]:
    """Microseconds a world of MJX's value and gradient at its best batch, float32."""
    from mujoco import mjx

    ground = g1.load(dtype="float32")
    mj = g1.load_mjmodel()
    mj.opt.iterations, mj.opt.ls_iterations = 1, 4
    model = mjx.put_model(mj, impl="jax")
    template = mjx.make_data(model, impl="jax")
    found = []
    for batch in batches:
        current, ctrl = standing(ground, batch)

        def loss(qpos: jax.Array, qvel: jax.Array, u: jax.Array, warm: jax.Array) -> jax.Array:
            data = template.replace(qpos=qpos, qvel=qvel, ctrl=u, qacc_warmstart=warm)
            after = mjx.step(model, data)
            out: jax.Array = (after.qpos**2).sum() + (after.qvel**2).sum()
            return out

        graded = jax.jit(jax.vmap(jax.value_and_grad(loss, argnums=(0, 1, 2))))
        arguments = current.qpos, current.qvel, ctrl, current.qacc
        begin = time.perf_counter()
        jax.block_until_ready(graded(*arguments))
        compiling = time.perf_counter() - begin
        micro = 1e6 / batch * least(lambda: graded(*arguments), 5)  # noqa: B023
        print(
            f"  mjx reverse, batch {batch}: {micro:.0f} us a world ({compiling:.0f} s to compile)"
        )
        found.append((micro, batch))
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16, 64, 256, 1024])
    parser.add_argument("--float64", action="store_true")
    parser.add_argument("--no-mjx", action="store_true")
    parser.add_argument("--no-jacobians", action="store_true")
    arguments = parser.parse_args()
    print(f"NPROC={os.environ['NPROC']}: threads of XLA's pool; {os.cpu_count()} cores")
    dtype = "float64" if arguments.float64 else "float32"
    if arguments.float64:
        jax.config.update("jax_enable_x64", True)
    best = float("inf")
    for batch in arguments.batches:
        one = ours(batch, dtype)
        best = min(best, one["gradient"])
        print(
            f"  g1 {dtype}, batch {batch}: step {one['step']:.1f}, value and gradient "
            f"{one['gradient']:.1f} us a world; Newton iterations {one['iterations']:.1f}, at most "
            f"{one['most']:.0f}, residual {one['residual']:.1e}; compile {one['compile']:.1f} s",
            flush=True,
        )
    jax.config.update("jax_enable_x64", True)
    step, differences = c_mujoco()
    print(f"  C MuJoCo on one core: mj_step {step:.1f} us, mjd_transitionFD {differences:.0f} us")
    print(f"value and gradient / mj_step: {best / step:.2f} (bar {BARS['step']} at most)")
    if not arguments.no_jacobians:
        exact = min(jacobians(batch, dtype) for batch in arguments.batches if batch in (64, 256))
        print(
            f"mjd_transitionFD / A, B: {differences / exact:.1f} ({exact:.0f} us a world; "
            f"bar {BARS['jacobians']:.0f} at least)"
        )
    if not arguments.no_mjx:
        jax.config.update("jax_enable_x64", False)
        theirs, at = mjx_reverse([b for b in arguments.batches if b in (16, 64, 256)])
        print(
            f"MJX reverse / ours: {theirs / best:.1f} ({theirs:.0f} us at batch {at}; bar "
            f"{BARS['mjx']:.0f} at least)"
        )


if __name__ == "__main__":
    main()
