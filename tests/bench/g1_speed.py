"""Speed of the G1 simulator beside MJX, C MuJoCo and `mjd_transitionFD`, in one run.

    python -m tests.bench.g1_speed [--batches 64 256 1056] [--float64] [--no-mjx] [--no-jacobians]

All start from the same states: the robot standing, each world after `WARM` steps of its own
control noise, warm starts included. Times are of one step a world, the least of several repeats.
From `SPREAD` worlds on the simulator runs twice: as one program, which XLA's threads share as they
can, and as one program a core (`jax.shard_map` over as many CPU devices as there are cores); then
MJX runs both ways too. C MuJoCo runs on one core. MJX's reverse mode runs with one solver
iteration, which does not converge. Prints both sides of every ratio.
"""

import argparse
import functools
import os
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("NPROC", "8")

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
from jax.sharding import PartitionSpec

from gradcheck.engines import g1

WARM = 40
NOISE = 0.02
REPEATS = 15
SPREAD = 256


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


def spread(function: Callable[..., Any], shared: int, options: Any = None) -> Callable[..., Any]:
    """`function` of batches as one program a device; the first `shared` arguments have no batch."""
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("worlds",))
    none, worlds = PartitionSpec(), PartitionSpec("worlds")

    @functools.cache
    def made(count: int) -> Any:
        wanted = (none,) * shared + (worlds,) * (count - shared)
        mapped = jax.shard_map(
            function, mesh=mesh, in_specs=wanted, out_specs=worlds, check_vma=False
        )
        return jax.jit(mapped, compiler_options=options)

    return lambda *arguments: made(len(arguments))(*arguments)


def graded(model: g1.Model, start: g1.State, ctrl: jax.Array) -> Any:
    """Value, gradient (of parameters: summed over the worlds, [1, ...]) and the state after."""
    found = g1.value_and_grad(model, squares)(start, ctrl[None])
    own = jax.tree.map(lambda x: x[None], found.gradient.parameters)
    gradient = found.gradient.qpos, found.gradient.qvel, found.gradient.controls[0], own
    return found.value, gradient, found.last


def ours(batch: int, dtype: str, devices: bool) -> dict[str, float]:
    """Microseconds a world of a step and of its value and gradient; the first call, s."""
    model = g1.load(dtype=dtype)
    current, ctrl = standing(model, batch)
    step, gradient = (
        spread(f, 1, g1.COMPILER_OPTIONS)
        if devices
        else jax.jit(f, compiler_options=g1.COMPILER_OPTIONS)
        for f in (g1.step, graded)
    )
    begin = time.perf_counter()
    *_, last = jax.block_until_ready(gradient(model, current, ctrl))
    first = time.perf_counter() - begin
    scale = 1e6 / batch
    return {
        "step": scale * least(lambda: step(model, current, ctrl)),
        "gradient": scale * least(lambda: gradient(model, current, ctrl)),
        "first": first,
        "iterations": float(jnp.mean(last.iterations)),
        "most": float(jnp.max(last.iterations)),
        "residual": float(jnp.max(last.residual)),
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


def mjx_reverse(batches: list[int]) -> tuple[float, str]:
    """Microseconds a world of MJX's value and gradient at its best batch, float32."""
    from mujoco import mjx

    ground = g1.load(dtype="float32")
    mj = g1.load_mjmodel()
    mj.opt.iterations, mj.opt.ls_iterations = 1, 4
    model = mjx.put_model(mj, impl="jax")
    template = mjx.make_data(model, impl="jax")

    def loss(qpos: jax.Array, qvel: jax.Array, u: jax.Array, warm: jax.Array) -> jax.Array:
        data = template.replace(qpos=qpos, qvel=qvel, ctrl=u, qacc_warmstart=warm)
        after = mjx.step(model, data)
        out: jax.Array = (after.qpos**2).sum() + (after.qvel**2).sum()
        return out

    mapped = jax.vmap(jax.value_and_grad(loss, argnums=(0, 1, 2)))
    found = []
    for batch in batches:
        current, ctrl = standing(ground, batch)
        arguments = current.qpos, current.qvel, ctrl, current.qacc
        for how in ways(batch):
            program = spread(mapped, 0) if how == ACROSS else jax.jit(mapped)
            begin = time.perf_counter()
            jax.block_until_ready(program(*arguments))
            first = time.perf_counter() - begin
            micro = 1e6 / batch * least(lambda: program(*arguments), 5)  # noqa: B023
            print(f"  mjx reverse, batch {batch}, {how}: {micro:.0f} us; first call {first:.0f} s")
            found.append((micro, f"batch {batch}, {how}"))
    return min(found)


ONE, ACROSS = "one program", "a program a core"


def ways(batch: int) -> list[str]:
    """How a batch is run."""
    divides = len(jax.devices()) > 1 and batch >= SPREAD and batch % len(jax.devices()) == 0
    return [ONE, ACROSS] if divides else [ONE]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16, 64, 256, 1024, 1056])
    parser.add_argument("--jacobians", type=int, nargs="+", default=[16, 256, 528])
    parser.add_argument("--mjx", type=int, nargs="+", default=[16, 64, 256])
    parser.add_argument("--float64", action="store_true", help="ours in float64 as well")
    parser.add_argument("--no-mjx", action="store_true")
    parser.add_argument("--no-jacobians", action="store_true")
    arguments = parser.parse_args()
    cores = os.cpu_count() or 1
    jax.config.update("jax_num_cpu_devices", cores)
    print(f"{cores} cores, as many CPU devices; XLA's pool: NPROC={os.environ['NPROC']} threads")
    best, exact = _ours(arguments.batches, "float32"), float("inf")
    for batch in [] if arguments.no_jacobians else arguments.jacobians:
        one = jacobians(batch, "float32")
        print(f"  g1 float32, batch {batch}: A and B {one:.0f} us a world", flush=True)
        exact = min(exact, one)
    theirs = (float("nan"), "") if arguments.no_mjx else mjx_reverse(arguments.mjx)
    jax.config.update("jax_enable_x64", True)
    step, differences = c_mujoco()
    print(f"  C MuJoCo on one core: mj_step {step:.1f} us, mjd_transitionFD {differences:.0f} us")
    print(f"value and gradient {best:.1f} us / mj_step: {best / step:.2f} (bar 0.8 at most)")
    if not arguments.no_jacobians:
        print(f"mjd_transitionFD / A, B: {differences / exact:.1f} (bar 20 at least)")
    if not arguments.no_mjx:
        print(f"MJX reverse ({theirs[1]}) / ours: {theirs[0] / best:.1f} (bar 14 at least)")
    if arguments.float64:
        double = _ours(arguments.batches, "float64")
        print(f"in float64: value and gradient {double:.1f} us, / mj_step {double / step:.2f}")


def _ours(batches: list[int], dtype: str) -> float:
    """Microseconds a world of value and gradient at the best batch."""
    best = float("inf")
    for batch in batches:
        for how in ways(batch):
            one = ours(batch, dtype, how == ACROSS)
            best = min(best, one["gradient"])
            print(
                f"  g1 {dtype}, batch {batch}, {how}: step {one['step']:.1f}, value and gradient "
                f"{one['gradient']:.1f} us a world; Newton iterations {one['iterations']:.1f}, at "
                f"most {one['most']:.0f}, residual {one['residual']:.1e}; first call "
                f"{one['first']:.0f} s",
                flush=True,
            )
    return best


if __name__ == "__main__":
    main()
