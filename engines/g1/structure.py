"""What of a model never changes: its tree, shapes, options. Read from a compiled `MjModel`."""

import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import BadInput, Unsupported
from gradcheck.engines.g1.supported import FREE, refuse
from gradcheck.engines.g1.touching import CAPSULE, Pair, pairs
from gradcheck.engines.g1.tree import Tree, grow

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Placed:
    """Where something stands: rotation [3, 3] and position [3] in the frame `frame` (0: the
    root's; -1: the world)."""

    frame: int
    mat: Floats
    pos: Floats

    def then(self, mat: Floats, pos: Floats) -> "Placed":
        """What stands at (mat, pos) in this."""
        return Placed(self.frame, self.mat @ mat, self.pos + self.mat @ pos)


@dataclass(frozen=True, eq=False)
class Points:
    """Contact points, N rows.

    frames: the F frames that have any (0: the root); member [N, F]: 1 where a point is of a frame;
    place [N, 3]: a sphere's centre or a capsule's end in its frame, axis [N, 3] the capsule's
    (zero for a sphere), end [N]: which end (0: a sphere); the plane normal . x = offset; tangent:
    what stands in where no axis gives one; pair [N]: the row in the list of pairs.
    """

    frames: Ints
    member: Floats
    place: Floats
    axis: Floats
    end: Ints
    radius: Floats
    normal: Floats
    tangent: Floats
    offset: Floats
    pair: Ints
    condim: Ints
    margin: Floats
    solimp: Floats
    invweight: Floats

    @property
    def slides(self) -> NDArray[np.bool_]:
        """[N]: which have friction."""
        return np.asarray(self.condim == 3)


@dataclass(frozen=True, eq=False)
class Structure:
    """The constants of a model. Rows of joints stand in the order of the tree's frames.

    fixed_mat, fixed_pos: of a frame before its joint moves, in the frame above it; axis, anchor:
    of its joint, there; hinge [nf]: 1 for a hinge, 0 for a slide; dof, qpos [nf]: addresses;
    reference [nf]: the joint's qpos where it has not moved.
    bodies: of each body of the model its place; bodies_com, bodies_inertia: in that frame.
    acts [nu, nf]: gear of each actuator on each joint.
    damps: joint damping is taken implicitly, in Euler's method; loses: friction loss is computed.
    Where the loaded model has none of them they are not; `computing` switches them on.
    """

    mj_model: mujoco.MjModel
    timestep: float
    gravity: Floats
    implicit: bool
    elliptic: bool
    impratio: float
    refsafe: bool
    tree: Tree
    fixed_mat: Floats
    fixed_pos: Floats
    axis: Floats
    anchor: Floats
    hinge: Floats
    reference: Floats
    dof: Ints
    qpos: Ints
    bodies: tuple[Placed, ...]
    bodies_com: Floats
    bodies_inertia: Floats
    limited: Floats
    range: Floats
    limit_margin: Floats
    limit_solref: Floats
    limit_solimp: Floats
    loss_solref: Floats
    loss_solimp: Floats
    invweight: Floats
    acts: Floats
    ctrl_range: Floats
    force_range: Floats
    joint_force_range: Floats
    pairs: tuple[Pair, ...]
    points: Points
    damps: bool
    loses: bool
    others: dict[tuple[bool, bool], "Structure"] = field(default_factory=dict)

    def computing(self, damping: bool, loss: bool) -> "Structure":
        """With joint damping or friction loss switched on. Asked for again it is the same object,
        so that nothing is compiled again."""
        off = self.mj_model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_EULERDAMP
        key = self.damps or (damping and not off), self.loses or loss
        if key == (self.damps, self.loses):
            return self
        if key not in self.others:
            self.others[key] = replace(self, damps=key[0], loses=key[1])
        return self.others[key]

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return 6 + self.tree.count

    @property
    def nq(self) -> int:
        """Entries of qpos."""
        return 7 + self.tree.count

    @property
    def nu(self) -> int:
        """Actuators."""
        return len(self.acts)


def read(source: mujoco.MjModel | str | Path) -> mujoco.MjModel:
    """A compiled model from itself, MJCF text or the path of an XML file."""
    if isinstance(source, mujoco.MjModel):
        return source
    text = str(source)
    try:
        if text.lstrip().startswith("<"):
            return mujoco.MjModel.from_xml_string(text)
        if not Path(text).is_file():
            raise BadInput(f"g1: there is no file '{text}': give MJCF text, a path or an MjModel")
        return mujoco.MjModel.from_xml_path(text)
    except ValueError as error:
        raise Unsupported(
            f"g1: the model does not compile: {' '.join(str(error).split())}"
        ) from None


def structure(model: mujoco.MjModel) -> Structure:
    """The constants of `model`. Raises `Unsupported`, naming the element, for what is not
    computed."""
    refuse(model)
    model = copy.deepcopy(model)  # what its owner changes later is not read
    touching = pairs(model)
    joints, parents, fixed, bodies = _frames(model)
    tree, order = grow(parents)
    if not order and model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST:
        raise Unsupported(
            "g1: implicitfast on a free body without joints (MuJoCo treats its gyroscopic force "
            "implicitly); use Euler"
        )
    rank = {old: row + 1 for row, old in enumerate(order)}
    placed = tuple(
        Placed(rank[one.frame - 1] if one.frame > 0 else one.frame, one.mat, one.pos)
        for one in bodies
    )
    joint = np.array([joints[old] for old in order], dtype=np.int64)
    dof = model.jnt_dofadr[joint].astype(np.int64)
    before = [fixed[old] for old in order]
    option = model.opt
    acts = np.zeros((model.nu, len(order)))
    for actuator in range(model.nu):
        row = np.flatnonzero(joint == model.actuator_trnid[actuator, 0])
        acts[actuator, row] = model.actuator_gear[actuator, 0]
    coms, inertias = _inertias(model, placed)
    return Structure(
        mj_model=model,
        timestep=float(option.timestep),
        gravity=np.array(option.gravity),
        implicit=option.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
        elliptic=option.cone == mujoco.mjtCone.mjCONE_ELLIPTIC,
        impratio=float(option.impratio),
        refsafe=not option.disableflags & mujoco.mjtDisableBit.mjDSBL_REFSAFE,
        tree=tree,
        fixed_mat=np.array([one.mat for one in before]).reshape(-1, 3, 3),
        fixed_pos=np.array([one.pos for one in before]).reshape(-1, 3),
        axis=model.jnt_axis[joint],
        anchor=model.jnt_pos[joint],
        hinge=(model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE).astype(np.float64),
        reference=model.qpos0[model.jnt_qposadr[joint]],
        dof=dof,
        qpos=model.jnt_qposadr[joint].astype(np.int64),
        bodies=placed,
        bodies_com=coms,
        bodies_inertia=inertias,
        limited=model.jnt_limited[joint].astype(np.float64),
        range=model.jnt_range[joint],
        limit_margin=model.jnt_margin[joint],
        limit_solref=model.jnt_solref[joint],
        limit_solimp=model.jnt_solimp[joint],
        loss_solref=model.dof_solref[dof],
        loss_solimp=model.dof_solimp[dof],
        invweight=model.dof_invweight0[dof],
        acts=acts,
        ctrl_range=_ranges(model.actuator_ctrlrange, model.actuator_ctrllimited, model),
        force_range=_ranges(model.actuator_forcerange, model.actuator_forcelimited),
        joint_force_range=_ranges(model.jnt_actfrcrange[joint], model.jnt_actfrclimited[joint]),
        pairs=tuple(touching),
        points=_points(model, touching, placed),
        damps=bool(np.any(model.dof_damping))
        and not option.disableflags & mujoco.mjtDisableBit.mjDSBL_EULERDAMP,
        loses=bool(np.any(model.dof_frictionloss)),
    )


def _ranges(
    ranges: Floats, limited: NDArray[np.bool_], clamped_by: mujoco.MjModel | None = None
) -> Floats:
    """Ranges [n, 2], infinite where there is no limit."""
    off = clamped_by is not None and bool(
        clamped_by.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL
    )
    on = np.asarray(limited, bool)[:, None] & (not off)
    return np.where(on, ranges, [-np.inf, np.inf])


def _frames(
    model: mujoco.MjModel,
) -> tuple[list[int], list[int], list[Placed], list[Placed]]:
    """The joint of each frame, its parent (-1: the root), its place before the joint moves; and
    the place of each body. Frames are counted from 0 without the root, in MuJoCo's order."""
    joints: list[int] = []
    parents: list[int] = []
    fixed: list[Placed] = []
    bodies = [Placed(-1, np.eye(3), np.zeros(3))]
    for body in range(1, model.nbody):
        above = bodies[model.body_parentid[body]]
        here = above.then(matrix(model.body_quat[body]), model.body_pos[body])
        first = int(model.body_jntadr[body])
        for joint in range(first, first + int(model.body_jntnum[body])):
            if model.jnt_type[joint] == FREE:
                here = Placed(0, np.eye(3), np.zeros(3))
                continue
            joints.append(joint)
            parents.append(here.frame - 1)
            fixed.append(here)
            here = Placed(len(joints), np.eye(3), np.zeros(3))
        bodies.append(here)
    return joints, parents, fixed, bodies


def _inertias(model: mujoco.MjModel, placed: tuple[Placed, ...]) -> tuple[Floats, Floats]:
    """Centre of mass [nbody, 3] and inertia about it [nbody, 3, 3] of each body in its frame."""
    coms, inertias = [], []
    for body, place in enumerate(placed):
        inertial = place.then(matrix(model.body_iquat[body]), model.body_ipos[body])
        coms.append(inertial.pos)
        inertias.append(inertial.mat @ np.diag(model.body_inertia[body]) @ inertial.mat.T)
    return np.array(coms), np.array(inertias)


def _points(model: mujoco.MjModel, touching: list[Pair], placed: tuple[Placed, ...]) -> Points:
    """Two ends of each capsule, the centre of each sphere."""
    table = [
        _point(model, touching, placed, row, end)
        for row, pair in enumerate(touching)
        for end in ((1, -1) if model.geom_type[pair.geom] == CAPSULE else (0,))
    ]
    of = np.array([one.pop("frame") for one in table], dtype=np.int64)
    frames = np.unique(of)
    empty = {"place": (0, 3), "axis": (0, 3), "normal": (0, 3), "tangent": (0, 3), "solimp": (0, 5)}
    names = list(Points.__dataclass_fields__)[2:]
    columns: dict[str, Any] = {
        name: np.array([one[name] for one in table]) if table else np.zeros(empty.get(name, (0,)))
        for name in names
    }
    member = (of[:, None] == frames).astype(np.float64)
    return Points(frames=frames, member=member, **columns)


def _point(
    model: mujoco.MjModel,
    touching: list[Pair],
    placed: tuple[Placed, ...],
    row: int,
    end: int,
) -> dict[str, Floats | int | float]:
    pair = touching[row]
    geom, plane = pair.geom, pair.plane
    shape = placed[model.geom_bodyid[geom]].then(
        matrix(model.geom_quat[geom]), model.geom_pos[geom]
    )
    ground = placed[model.geom_bodyid[plane]].then(
        matrix(model.geom_quat[plane]), model.geom_pos[plane]
    )
    normal = ground.mat[:, 2]
    axis = shape.mat[:, 2] if end else np.zeros(3)
    bodies = model.geom_bodyid[[geom, plane]]
    return {
        "frame": placed[model.geom_bodyid[geom]].frame,
        "place": shape.pos + axis * end * model.geom_size[geom, 1],
        "axis": axis,
        "radius": model.geom_size[geom, 0],
        "normal": normal,
        "tangent": tangent_of(normal, capsule=bool(end)),
        "offset": float(normal @ ground.pos),
        "pair": row,
        "end": end,
        "condim": pair.condim,
        "margin": pair.margin,
        "solimp": pair.solimp,
        "invweight": float(model.body_invweight0[bodies, 0].sum()),
    }


def tangent_of(normal: Floats, capsule: bool) -> Floats:
    """The first tangent that MuJoCo takes where no axis gives one.

    A sphere's frame is completed from y, or from z where the normal is close to y
    (mju_makeFrame). A capsule that stands exactly along the normal has x, as it is: what
    mju_normalize3 makes of a vector without length.
    """
    if capsule:
        return np.array([1.0, 0.0, 0.0])
    other = np.array([0.0, 1.0, 0.0] if abs(normal[1]) < 0.5 else [0.0, 0.0, 1.0])
    along = other - normal * (normal @ other)
    return np.asarray(along / np.linalg.norm(along))


def matrix(quaternion: Floats) -> Floats:
    """Rotation matrix of a quaternion (w, x, y, z)."""
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, quaternion)
    return out.reshape(3, 3)
