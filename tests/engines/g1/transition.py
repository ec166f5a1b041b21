"""A and B beside central differences: of the simulator's own step, and MuJoCo's."""

import jax.numpy as jnp
import mujoco
import numpy as np

from gradcheck.engines import g1
from tests.engines.g1.gradients import (
    KINK,
    UNEVEN,
    Programs,
    Worlds,
    chosen,
    coordinates,
    perturbed,
    slopes,
)
from tests.engines.g1.states import Floats

EPS = 1e-6


def matrices(programs: Programs, worlds: Worlds) -> Floats:
    """A and B beside one another, [B, 2 nv, 2 nv + nu]."""
    begin = g1.state(programs.model, worlds.qpos, worlds.qvel)
    ctrl = jnp.asarray(worlds.controls[0])
    found = g1.transition_jacobians(programs.model, begin, ctrl)
    return np.concatenate([np.asarray(one) for one in found], -1)


def against_steps(programs: Programs, worlds: Worlds) -> tuple[Floats, int]:
    """Errors of all columns that count, each relative to its largest entry of qpos or of qvel, and
    how many were screened out."""
    nv = programs.model.nv
    some = [one for one in coordinates(programs) if one.of in ("qpos", "qvel", "controls")]
    some = [one for one in some if one.of != "controls" or one.place[0] == 0]
    errors, out = [], 0
    for world, exact in enumerate(matrices(programs, worlds)):
        ends = programs.run(perturbed(chosen(worlds, [world]), some))
        for rows, values in (
            (exact[:nv], _from(ends.qpos)),
            (exact[nv:], ends.qvel),
        ):
            found = slopes(values, some)
            size = np.abs(rows.T).max(1, keepdims=True)
            size = np.where(size > 0, size, 1.0)
            bad = (found.kink > KINK * size) | (found.uneven > UNEVEN * size)
            smooth = ~bad.any(1)
            errors.append((np.abs(rows.T - found.slope) / size).max(1)[smooth])
            out += int((~smooth).sum())
    return np.concatenate(errors), out


def _from(qpos: Floats) -> Floats:
    """Tangent coordinates of each from the first, [n, nv]."""
    made = [np.zeros(qpos.shape[1] - 1) for _ in qpos]
    for out, one in zip(made, qpos, strict=True):
        out[:3], out[6:] = one[:3] - qpos[0, :3], one[7:] - qpos[0, 7:]
        mujoco.mju_subQuat(out[3:6], one[3:7], qpos[0, 3:7])
    return np.array(made)


def against_mujoco(programs: Programs, worlds: Worlds) -> Floats:
    """Largest error of each state [B], relative to the largest entry of its column's half."""
    model = programs.model.structure.mj_model
    nv = model.nv
    data = mujoco.MjData(model)
    out = []
    for world, exact in enumerate(matrices(programs, worlds)):
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = worlds.qpos[world], worlds.qvel[world]
        data.ctrl[:] = worlds.controls[0, world]
        mujoco.mj_forward(model, data)
        a, b = np.zeros((2 * nv, 2 * nv)), np.zeros((2 * nv, model.nu))
        mujoco.mjd_transitionFD(model, data, EPS, True, a, b, None, None)
        theirs = np.concatenate([a, b], 1)
        errors = []
        for half in (slice(nv), slice(nv, 2 * nv)):
            size = np.abs(exact[half]).max(0)
            errors.append((np.abs(exact[half] - theirs[half]) / np.where(size > 0, size, 1)).max())
        out.append(max(errors))
    return np.array(out)
