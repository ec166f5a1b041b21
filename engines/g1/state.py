"""The state of all worlds, and what can be wrong with it."""

import dataclasses
from dataclasses import dataclass
from enum import IntFlag
from typing import Any

import jax
import jax.numpy as jnp
import mujoco
import numpy as np

from gradcheck.engine import BadInput
from gradcheck.engines.g1.algebra import Array
from gradcheck.engines.g1.model import Model
from gradcheck.engines.g1.parameters import AXES, NAMES, real

# How far a quaternion's length may be from 1.
UNIT = 1e-3


class Status(IntFlag):
    """What went wrong in a world, up to now; 0: nothing."""

    OK = 0
    NOT_FINITE = 1
    QUATERNION = 2
    CONTROL = 4
    NOT_CONVERGED = 8
    TIMESTEP = 16


MEANING = {
    Status.NOT_FINITE: "a NaN, an infinity or a number above 1e10 in qpos, qvel or ctrl",
    Status.QUATERNION: "a root quaternion that is not of unit length",
    Status.CONTROL: "a control outside its range (it was held at the range's end)",
    Status.TIMESTEP: "a time step that is not above zero",
    Status.NOT_CONVERGED: "a contact solve that did not converge",
}

# With these a world is not simulated.
UNUSABLE = Status.NOT_FINITE | Status.QUATERNION | Status.TIMESTEP


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """qpos [batch, nq] or [nq]; qvel, qacc [batch, nv] or [nv]: qacc is that of the step that led
    here and starts the next solve; residual [batch] of that solve, relative to its forces;
    iterations [batch] that it took; status [batch]: flags of `Status`, gathered on the way."""

    qpos: Array
    qvel: Array
    qacc: Array
    residual: Array
    iterations: Array
    status: Array


def state(
    model: Model, qpos: Any = None, qvel: Any = None, qacc: Any = None, batch: int | None = None
) -> State:
    """A state at rest in the model's reference pose, or as given. `batch` repeats it.

    qpos [nq] or [batch, nq], qvel and qacc (warm start) [nv] or [batch, nv].
    Raises `BadInput` for wrong shapes.
    """
    given = qpos if qpos is not None else model.structure.mj_model.qpos0
    position = real("qpos", given, model.dtype)
    lead = position.shape[:-1]
    if batch is not None:
        if not isinstance(batch, int) or batch < 1:
            raise BadInput(f"g1: batch is {batch!r}: give a number of worlds, at least 1")
        if lead not in ((), (batch,)):
            raise BadInput(f"g1: batch is {batch}, but qpos has {lead[0]} rows")
        lead = (batch,)
    if 0 in lead:
        raise BadInput(f"g1: qpos has shape {position.shape}: there must be a world at least")
    shapes = {"qpos": model.nq, "qvel": model.nv, "qacc": model.nv}
    arrays = {}
    for name, value in (("qpos", position), ("qvel", qvel), ("qacc", qacc)):
        array = jnp.zeros(shapes[name]) if value is None else value
        array = real(name, array, model.dtype)
        if array.shape not in ((shapes[name],), (*lead, shapes[name])):
            raise BadInput(
                f"g1: {name} has shape {array.shape}, the model takes "
                f"{(shapes[name],)} or {('batch', shapes[name])} with one batch for all"
            )
        arrays[name] = jnp.broadcast_to(array, (*lead, shapes[name]))
    zero = jnp.zeros(lead, model.dtype)
    none = jnp.zeros(lead, jnp.int32)
    return State(**arrays, residual=zero, iterations=none, status=none)


def keyframe(model: Model, name: str) -> tuple[Array, Array]:
    """qpos [nq] and ctrl [nu] of a keyframe. Raises `BadInput`, naming those that there are."""
    mj = model.structure.mj_model
    index = mujoco.mj_name2id(mj, mujoco.mjtObj.mjOBJ_KEY, name)
    if index < 0:
        known = [mujoco.mj_id2name(mj, mujoco.mjtObj.mjOBJ_KEY, i) for i in range(mj.nkey)]
        raise BadInput(f"g1: no keyframe '{name}' (the model has: {', '.join(known) or 'none'})")
    qpos, ctrl = mj.key_qpos[index], mj.key_ctrl[index]
    return jnp.asarray(qpos, model.dtype), jnp.asarray(ctrl, model.dtype)


def status(model: Model, qpos: Array, qvel: Array, ctrl: Array) -> Array:
    """Flags [B] of arrays [n, B]."""
    return _of_state(qpos, qvel) | _of_controls(model, ctrl)


def _of_state(qpos: Array, qvel: Array) -> Array:
    finite = _usable(qpos) & _usable(qvel)
    length = jnp.sqrt(jnp.sum(qpos[3:7] ** 2, 0))
    unit = jnp.abs(length - 1) <= UNIT
    flags = jnp.where(unit, 0, Status.QUATERNION)
    return jnp.where(finite, flags, Status.NOT_FINITE).astype(jnp.int32)


def _of_controls(model: Model, ctrl: Array) -> Array:
    """Flags [...] of controls [nu, ...]."""
    ends = model.ctrl_range.reshape(model.nu, 2, *[1] * (ctrl.ndim - 1))
    low, high = (jnp.asarray(ends[:, side], ctrl.dtype) for side in (0, 1))
    held = jnp.all((ctrl >= low) & (ctrl <= high), 0)
    flags = jnp.where(held, 0, Status.CONTROL)
    return jnp.where(_usable(ctrl), flags, Status.NOT_FINITE).astype(jnp.int32)


def _usable(x: Array) -> Array:
    """[...] of [n, ...]: numbers of a size that MuJoCo goes on with."""
    return jnp.all(jnp.abs(x) < mujoco.mjMAXVAL, 0)


def check(model: Model, current: State, ctrl: Array, name: str = "ctrl") -> None:
    """Raise `BadInput` for what `step` cannot take: shapes, and values where they are known,
    naming the world. Inside jit they are not: there `State.status` tells.

    ctrl [batch, nu], or, as `controls`, [T, batch, nu].
    """
    _check_state(model, current)
    _check_model(model, current.qpos.shape[:-1])
    steps = ctrl.shape[:1] if name == "controls" else ()
    lead = current.qpos.shape[:-1]
    expected = (*lead, model.nu)
    if ctrl.shape != (*steps, *expected):
        takes = str(expected).replace("(", "(steps, ") if name == "controls" else expected
        raise BadInput(f"g1: {name} has shape {ctrl.shape}, this state takes {takes}")
    if any(isinstance(x, jax.core.Tracer) for x in (current.qpos, current.qvel, ctrl)):
        return
    with jax.ensure_compile_time_eval():  # a constant within jit is known too
        qpos, qvel, each = (jnp.moveaxis(x, -1, 0) for x in (current.qpos, current.qvel, ctrl))
        flags = np.asarray(_of_state(qpos, qvel) | _of_controls(model, each))
    for place in np.argwhere(flags)[:1]:
        world = place[-1] if lead else 0
        at = f" at step {place[0]}" if steps else ""
        raise BadInput(f"g1: world {world}{at} has {'; '.join(told(int(flags[tuple(place)])))}")


def _check_state(model: Model, current: State) -> None:
    """Its arrays, which anyone may have replaced."""
    if not isinstance(current, State):
        raise BadInput(f"g1: the state is a {type(current).__name__}: make one by g1.state")
    for field in dataclasses.fields(State):
        array = getattr(current, field.name)
        if not isinstance(array, jax.Array | np.ndarray):
            raise BadInput(
                f"g1: {field.name} of the state is a {type(array).__name__}: make one by g1.state"
            )
    lead = current.qpos.shape[:-1]
    shapes = {"qpos": (*lead, model.nq), "qvel": (*lead, model.nv), "qacc": (*lead, model.nv)}
    for part, shape in (shapes | dict.fromkeys(("residual", "iterations", "status"), lead)).items():
        array = getattr(current, part)
        if array.shape != shape or len(lead) > 1:
            raise BadInput(
                f"g1: {part} of the state has shape {array.shape}, the model takes {shape} there, "
                "with one batch for all or none: make states by g1.state"
            )
        if part in shapes and array.dtype != model.dtype:
            raise BadInput(
                f"g1: {part} of the state is of {array.dtype}, the model computes in "
                f"{model.dtype}: make states by g1.state"
            )


def _check_model(model: Model, lead: tuple[int, ...]) -> None:
    """Whether its parameters are for so many worlds, and its time step, if known, above 0."""
    for one in NAMES:
        shape = jnp.shape(getattr(model.parameters, one))
        if len(shape) > AXES.get(one, 1) and shape[:1] != lead:
            raise BadInput(
                f"g1: {one} has a row for each of {shape[0]} worlds, the state has "
                f"{lead[0] if lead else 'no batch'}"
            )
    known = not isinstance(model.timestep, jax.core.Tracer)
    if known and not float(model.timestep) > 0:
        raise BadInput(f"g1: the time step is {float(model.timestep):g} s: it must be above 0")


def told(flags: int) -> list[str]:
    """What flags mean, in words."""
    return [meaning for flag, meaning in MEANING.items() if flags & flag]
