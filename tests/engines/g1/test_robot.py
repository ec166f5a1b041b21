"""The G1's MJCF: the published figures, both sides alike, poses at rest, contact sets."""

import ast
import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest

from gradcheck.engine import Array, BadInput
from gradcheck.engines.g1.robot import load_mjmodel, mjcf

ASSET = Path("asset_zoo/robots/unitree_g1")
SIDES = ("left", "right")
WRIST = ("wrist_roll", "wrist_pitch", "wrist_yaw")
WAIST = ["waist_yaw_joint", "waist_roll_joint", "waist_pitch_joint"]


def arm(side: str) -> list[str]:
    joints = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", *WRIST)
    return [f"{side}_{joint}_joint" for joint in joints]


def leg(side: str) -> list[str]:
    joints = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
    return [f"{side}_{joint}_joint" for joint in joints]


@pytest.fixture(scope="module")
def ours() -> mujoco.MjModel:
    return load_mjmodel("body")


def names(model: mujoco.MjModel, kind: str) -> list[str]:
    count = {"body": model.nbody, "jnt": model.njnt, "geom": model.ngeom, "actuator": model.nu}
    return [getattr(model, kind)(index).name for index in range(count[kind])]


# Always


def test_sizes_and_order_of_the_joints(ours: mujoco.MjModel) -> None:
    assert (ours.nq, ours.nv, ours.nu) == (36, 35, 29)
    order = [*leg("left"), *leg("right"), *WAIST, *arm("left"), *arm("right")]
    assert names(ours, "jnt") == ["floating_base_joint", *order]
    assert names(ours, "actuator") == order
    # Each actuator drives the joint whose name it bears.
    assert ours.actuator_trnid[:, 0].tolist() == list(range(1, 30))


def test_only_capsules_and_spheres_on_a_plane(ours: mujoco.MjModel) -> None:
    kinds = [mujoco.mjtGeom(kind) for kind in ours.geom_type]
    assert kinds[0] == mujoco.mjtGeom.mjGEOM_PLANE
    assert kinds.count(mujoco.mjtGeom.mjGEOM_SPHERE) == 2
    assert kinds.count(mujoco.mjtGeom.mjGEOM_CAPSULE) == len(kinds) - 3


def test_total_mass(ours: mujoco.MjModel) -> None:
    assert mujoco.mj_getTotalmass(ours) == pytest.approx(33.341142, abs=1e-9)


def test_left_and_right_mirror_each_other(ours: mujoco.MjModel) -> None:
    """As far as published: places to 10 um; of the shins' inertia the product xz (0.4 % of
    the largest entry) has opposite signs, where a mirror keeps it."""
    data = mujoco.MjData(ours)
    mujoco.mj_forward(ours, data)
    flip = np.diag([1.0, -1.0, 1.0])
    left = [name for name in names(ours, "body") if name.startswith("left_")]
    assert len(left) == 13
    for name in left:
        here, there = data.body(name), data.body(name.replace("left", "right"))
        assert flip @ here.xpos == pytest.approx(there.xpos, abs=1.1e-5)
        assert flip @ here.xipos == pytest.approx(there.xipos, abs=1.1e-5)
        assert ours.body(here.id).mass == ours.body(there.id).mass
        one, other = (
            (axes := data.ximat[index].reshape(3, 3)) @ np.diag(ours.body_inertia[index]) @ axes.T
            for index in (here.id, there.id)
        )
        assert np.max(np.abs(flip @ one @ flip - other)) < 1e-2 * np.max(other)
    for name in [*leg("left"), *arm("left")]:
        one, other = ours.joint(name), ours.joint(name.replace("left", "right"))
        assert np.array_equal(one.axis, other.axis)
        mirrored = one.range if one.axis[1] else -one.range[::-1]
        assert np.array_equal(mirrored, other.range)
        assert one.armature == other.armature


@pytest.mark.parametrize("name", ["stand", "knees_bent"])
@pytest.mark.parametrize("contacts", ["feet", "body"])
def test_keyframes_are_at_rest_on_both_soles(name: str, contacts: str) -> None:
    model = load_mjmodel(contacts)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(name).id)
    start = data.qpos.copy()
    low, high = model.actuator_ctrlrange.T
    assert np.all((low < data.ctrl) & (data.ctrl < high))
    for _ in range(400):
        mujoco.mj_step(model, data)
        # Both ends of all fourteen capsules, none deeper than a tenth of a millimetre.
        assert data.ncon == 28
        assert -1e-4 < data.contact.dist.min() <= data.contact.dist.max() < 0
    # Two seconds: the bar is 1 cm. Nothing moves but by the rounding of these numbers.
    assert np.abs(data.qpos - start).max() < 1e-7


def test_contact_sets_differ_in_what_the_ground_meets() -> None:
    for contacts, expected in (("feet", 14), ("body", 33)):
        model = load_mjmodel(contacts)
        ground = model.geom("ground").id
        robot = [index for index in range(model.ngeom) if index != ground]
        assert sum(meets(model, ground, index) for index in robot) == expected
        assert not any(meets(model, one, other) for one in robot for other in robot)
    # Lying on its back it is held by the one set and falls through the ground by the other.
    heights = {}
    for contacts in ("feet", "body"):
        model = load_mjmodel(contacts)
        data = mujoco.MjData(model)
        data.qpos[:7] = [0, 0, 0.3, np.sqrt(0.5), 0, -np.sqrt(0.5), 0]
        mujoco.mj_step(model, data, nstep=200)
        heights[contacts] = data.qpos[2]
    assert heights["body"] > 0.05
    assert heights["feet"] < -0.3


def meets(model: mujoco.MjModel, one: int, other: int) -> bool:
    kind, affinity = model.geom_contype, model.geom_conaffinity
    return bool(kind[one] & affinity[other] or kind[other] & affinity[one])


def test_contacts_are_of_the_stated_kind() -> None:
    model = load_mjmodel("body")
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[2] = 0.02
    mujoco.mj_forward(model, data)
    soles = {model.geom(f"{side}_foot{k}_collision").id for side in SIDES for k in range(1, 8)}
    dims = {True: set[int](), False: set[int]()}
    for contact in data.contact:
        sole = not soles.isdisjoint(contact.geom)
        dims[sole].add(int(contact.dim))
        if sole:
            assert contact.friction[:2].tolist() == [0.6, 0.6]
    assert dims == {True: {3}, False: {1}}


@pytest.mark.parametrize(
    ("contacts", "text"),
    [
        ("self", "self-collision is not built yet"),
        ("hands", r"no contact set 'hands' \(it has: feet, body\)"),
    ],
)
def test_sets_that_there_are_not(contacts: str, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        mjcf(contacts)


# Where the public asset is at hand


class Asset:
    """The public asset: its MJCF without meshes, compiled, and its constants by name.

    The package is not imported (that takes torch and warp): its files are read, and of the
    constants only the assignments are run, with records in the place of its classes.
    """

    def __init__(self, root: Path) -> None:
        spec = mujoco.MjSpec.from_file(str(root / ASSET / "xmls" / "g1.xml"))
        for geom in list(spec.geoms):
            if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
                spec.delete(geom)
        for mesh in list(spec.meshes):
            spec.delete(mesh)
        self.model = spec.compile()
        gears = importlib.util.spec_from_file_location("gears", root / "utils" / "actuator.py")
        assert gears is not None
        assert gears.loader is not None
        module = importlib.util.module_from_spec(gears)
        gears.loader.exec_module(module)
        known: dict[str, Any] = {
            **vars(module),
            **dict.fromkeys(("BuiltinPositionActuatorCfg", "CollisionCfg"), SimpleNamespace),
            "EntityCfg": SimpleNamespace(InitialStateCfg=SimpleNamespace),
            "EntityArticulationInfoCfg": SimpleNamespace,
        }
        tree = ast.parse((root / ASSET / "g1_constants.py").read_text("utf-8"))
        numbers: list[ast.stmt] = [
            node
            for node in tree.body
            if isinstance(node, ast.Assign) and "G1_ACTION_SCALE" not in ast.unparse(node)
        ]
        exec(compile(ast.Module(numbers, []), "g1_constants.py", "exec"), known)
        self.constants = known

    def motor(self, joint: str) -> Any:
        """The one actuator whose patterns match this joint."""
        (found,) = [
            one
            for one in self.constants["G1_ARTICULATION"].actuators
            if any(re.fullmatch(pattern, joint) for pattern in one.target_names_expr)
        ]
        return found


def rotation(quat: Array) -> Array:
    """The matrix of a unit quaternion [3, 3]."""
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, quat)
    return flat.reshape(3, 3)


def tensor(body: Any) -> Array:
    """A body's inertia [3, 3] in its own frame, whatever principal axes it is stated in."""
    axes = rotation(body.iquat)
    result: Array = axes @ np.diag(body.inertia) @ axes.T
    return result


def matching(patterns: dict[str, Any], name: str, default: Any) -> Any:
    return next((v for p, v in patterns.items() if re.fullmatch(p, name)), default)


@pytest.fixture(scope="module")
def asset() -> Asset:
    found = importlib.util.find_spec("mjlab")
    if found is None or not found.submodule_search_locations:
        pytest.skip("the G1 was not compared with the public asset: package mjlab is not installed")
    return Asset(Path(next(iter(found.submodule_search_locations))))


def test_bodies_are_as_published(ours: mujoco.MjModel, asset: Asset) -> None:
    assert names(ours, "body") == names(asset.model, "body")
    for name in names(ours, "body"):
        one, other = ours.body(name), asset.model.body(name)
        assert ours.body(one.parentid[0]).name == asset.model.body(other.parentid[0]).name
        for field in ("mass", "pos", "ipos"):
            assert getattr(one, field) == pytest.approx(getattr(other, field), abs=1e-12), name
        assert rotation(one.quat) == pytest.approx(rotation(other.quat), abs=1e-12), name
        assert tensor(one) == pytest.approx(tensor(other), rel=1e-9, abs=1e-15), name


def test_joints_are_as_published(ours: mujoco.MjModel, asset: Asset) -> None:
    assert names(ours, "jnt") == names(asset.model, "jnt")
    for name in names(ours, "jnt")[1:]:
        one, other = ours.joint(name), asset.model.joint(name)
        for field in ("type", "axis", "pos", "range", "damping", "frictionloss", "stiffness"):
            assert np.array_equal(getattr(one, field), getattr(other, field)), (name, field)
        assert one.armature[0] == pytest.approx(asset.motor(name).armature, rel=1e-7)


def test_actuators_are_as_published(ours: mujoco.MjModel, asset: Asset) -> None:
    for name in names(ours, "actuator"):
        one, motor = ours.actuator(name), asset.motor(name)
        gain, damping = motor.stiffness, motor.damping
        assert one.gainprm[0] == pytest.approx(gain, rel=1e-8)
        assert one.biasprm[:3] == pytest.approx([0, -gain, -damping], rel=1e-8)
        assert one.forcerange.tolist() == [-motor.effort_limit, motor.effort_limit]
        assert ours.actuator_forcelimited[one.id]


def test_geoms_are_as_published(ours: mujoco.MjModel, asset: Asset) -> None:
    assert set(names(ours, "geom")) == {"ground", *names(asset.model, "geom")}
    full = asset.constants["FULL_COLLISION_WITHOUT_SELF"]
    for name in names(asset.model, "geom"):
        one, other = ours.geom(name), asset.model.geom(name)
        assert ours.body(one.bodyid[0]).name == asset.model.body(other.bodyid[0]).name
        for field in ("type", "size", "pos"):
            assert getattr(one, field) == pytest.approx(getattr(other, field), abs=1e-12), name
        assert rotation(one.quat)[:, 2] == pytest.approx(rotation(other.quat)[:, 2], abs=1e-12)
        for field in ("condim", "priority"):
            assert getattr(one, field)[0] == matching(getattr(full, field), name, None), name
        friction = matching(full.friction, name, (1.0,))
        assert one.friction[0] == friction[0]


@pytest.mark.parametrize(
    ("name", "constant"), [("stand", "HOME_KEYFRAME"), ("knees_bent", "KNEES_BENT_KEYFRAME")]
)
def test_poses_are_as_published(
    ours: mujoco.MjModel, asset: Asset, name: str, constant: str
) -> None:
    published = asset.constants[constant]
    key = ours.key(name)
    angles = [matching(published.joint_pos, joint, 0.0) for joint in names(ours, "jnt")[1:]]
    assert key.qpos[7:].tolist() == angles
    # The asset's heights are for a start; ours are where the soles bear the weight.
    assert key.qpos[2] == pytest.approx(published.pos[2], abs=4e-3)
