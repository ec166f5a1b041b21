"""C MuJoCo's fields at a state, in the order and the shapes of the simulator's."""

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from gradcheck.engines import g1
from tests.engines.g1.states import States

# Solves more, from the last one's end: MuJoCo stops where the cost no longer falls.
POLISH = 3
KINDS = {
    int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF): "friction",
    int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT): "limit",
}


def tight(model: mujoco.MjModel) -> mujoco.MjModel:
    """The model itself, with a solver that goes on to the roundings."""
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.tolerance, model.opt.ls_tolerance = 1e-15, 1e-6
    model.opt.iterations = model.opt.ls_iterations = 200
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    return model


def reference(model: g1.Model, some: States) -> dict[str, NDArray[Any]]:
    """Arrays [n, ...] by the names of `g1.Fields`, and `next_qpos`, `next_qvel`, `residual` (of
    MuJoCo's own solve, relative to its forces). Rows and contacts that MuJoCo does not have are
    NaN. The model must be `tight`."""
    mj = model.structure.mj_model
    data = mujoco.MjData(mj)
    found: dict[str, list[Any]] = {}
    for qpos, qvel, ctrl in zip(some.qpos, some.qvel, some.ctrl, strict=True):
        mujoco.mj_resetData(mj, data)
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos, qvel, ctrl
        for _ in range(POLISH):
            mujoco.mj_forward(mj, data)
            data.qacc_warmstart[:] = data.qacc
        one = _one(model, mj, data)
        mujoco.mj_step(mj, data)
        one["next_qpos"], one["next_qvel"] = data.qpos.copy(), data.qvel.copy()
        for name, value in one.items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def _one(model: g1.Model, mj: mujoco.MjModel, data: mujoco.MjData) -> dict[str, Any]:
    mass = np.zeros((mj.nv, mj.nv))
    mujoco.mj_fullM(mj, data, mass)
    left = mass @ data.qacc - data.qfrc_smooth - data.qfrc_constraint
    size = sum(np.linalg.norm(x) for x in (data.qfrc_smooth, data.qfrc_constraint)) + 1e-300
    return {
        "xpos": data.xpos.copy(),
        "xmat": data.xmat.reshape(-1, 3, 3).copy(),
        "qM": mass,
        **{
            name: getattr(data, name).copy()
            for name in (
                "qfrc_bias",
                "qfrc_passive",
                "qfrc_actuator",
                "qfrc_constraint",
                "qacc",
            )
        },
        **_constraints(model, mj, data),
        "residual": np.linalg.norm(left) / size,
    }


def _constraints(model: g1.Model, mj: mujoco.MjModel, data: mujoco.MjData) -> dict[str, Any]:
    """Contacts and rows, at the places where the simulator has them."""
    fixed = model.structure
    n, rows = len(fixed.points.pair), g1.rows_of(fixed)
    place = {tuple(row): index for index, row in enumerate(rows)}
    out = {
        "dist": np.full(n, np.nan),
        "pos": np.full((n, 3), np.nan),
        "frame": np.full((n, 3, 3), np.nan),
        "efc_J": np.full((len(rows), mj.nv), np.nan),
        "efc_aref": np.full(len(rows), np.nan),
        "efc_D": np.full(len(rows), np.nan),
        "active": np.zeros(len(rows), bool),
    }
    points = _points(model, data)
    for index, point in points.items():
        one = data.contact[index]
        out["dist"][point], out["pos"][point] = one.dist, one.pos
        out["frame"][point] = one.frame.reshape(3, 3)
    jac = data.efc_J.reshape(data.nefc, mj.nv)
    first: dict[int, int] = {}
    for row in range(data.nefc):
        kind, of = KINDS.get(int(data.efc_type[row]), "contact"), int(data.efc_id[row])
        if kind == "friction":
            key = (kind, of, 0, -1, 0)
        elif kind == "limit":
            dof = int(mj.jnt_dofadr[of])
            key = (kind, dof, int(jac[row, dof] < 0), -1, 0)
        else:
            key = (kind, -1, 0, points[of], row - first.setdefault(of, row))
        at = place[key]
        assert not out["active"][at], f"MuJoCo has row {key} twice"
        out["efc_J"][at], out["efc_aref"][at] = jac[row], data.efc_aref[row]
        out["efc_D"][at], out["active"][at] = data.efc_D[row], True
    return out


def _points(model: g1.Model, data: mujoco.MjData) -> dict[int, int]:
    """Our point of each of MuJoCo's contacts: of its two geoms, the nearest end."""
    fixed, mj = model.structure, model.structure.mj_model
    found = {}
    for index in range(data.ncon):
        geoms = {int(geom) for geom in data.contact[index].geom}
        mine = []
        for point, pair in enumerate(fixed.points.pair):
            one = fixed.pairs[int(pair)]
            if {one.geom, one.plane} == geoms:
                half = mj.geom_size[one.geom, 1] * fixed.points.end[point]
                axis = data.geom_xmat[one.geom].reshape(3, 3)[:, 2]
                away = data.contact[index].pos - data.geom_xpos[one.geom] - half * axis
                # the point lies on the normal through the end
                aside = np.cross(data.contact[index].frame[:3], away)
                mine.append((float(np.linalg.norm(aside)), point))
        assert mine, f"the simulator has no contact of geoms {geoms}"
        found[index] = min(mine)[1]
    assert len(set(found.values())) == len(found)
    return found
