"""Which geoms touch which planes, read from the compiled model."""

import itertools
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import Unsupported
from gradcheck.engines.g1.supported import MIXED, mixed_solref

Floats = NDArray[np.float64]
PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)
SPHERE = int(mujoco.mjtGeom.mjGEOM_SPHERE)
CAPSULE = int(mujoco.mjtGeom.mjGEOM_CAPSULE)


@dataclass(frozen=True)
class Pair:
    """A sphere or capsule of the robot and a plane of the world, with MuJoCo's mixed parameters.

    geom, plane: ids in the model; condim 1 or 3; margin: distance below which forces act, m.
    """

    geom: int
    plane: int
    condim: int
    margin: float
    friction: float
    solref: Floats
    solimp: Floats


def pairs(model: mujoco.MjModel) -> list[Pair]:
    """Every pair of geoms that MuJoCo would test, ordered as it orders them.

    Raises `Unsupported` for a pair that is not a sphere or a capsule of the robot against a plane
    of the world, for condim 4 and 6, and for a contact gap.
    """
    both = itertools.combinations(range(model.ngeom), 2)
    return [_pair(model, first, second) for first, second in both if _meets(model, first, second)]


def _meets(model: mujoco.MjModel, a: int, b: int) -> bool:
    """Whether MuJoCo's filters let the two geoms collide (engine_collision_driver.c)."""
    masks = model.geom_contype, model.geom_conaffinity
    if not (masks[0][a] & masks[1][b] or masks[0][b] & masks[1][a]):
        return False
    weld = model.body_weldid[model.geom_bodyid[[a, b]]]
    if weld[0] == weld[1]:
        return False
    bodies = sorted(int(body) for body in model.geom_bodyid[[a, b]])
    if (bodies[0] << 16) + bodies[1] in model.exclude_signature:
        return False
    parents = model.body_weldid[model.body_parentid[weld]]
    related = weld[0] == parents[1] or weld[1] == parents[0]
    filtered = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    return not (filtered and related and weld[0] != 0 and weld[1] != 0)


def _pair(model: mujoco.MjModel, a: int, b: int) -> Pair:
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, geom) or geom for geom in (a, b)]
    what = f"geoms '{names[0]}' and '{names[1]}'"
    still = [model.body_weldid[model.geom_bodyid[geom]] == 0 for geom in (a, b)]
    if not any(still):
        raise Unsupported(
            f"g1: {what} can collide with one another, and self-collision is not computed: give "
            "the robot's geoms contype 0"
        )
    plane, geom = (a, b) if still[0] else (b, a)
    if model.geom_type[plane] != PLANE:
        raise Unsupported(f"g1: {what}: contact with the world is computed for planes only")
    if int(model.geom_type[geom]) not in (SPHERE, CAPSULE):
        kind = mujoco.mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower()
        raise Unsupported(
            f"g1: {what}: a {kind} against a plane is not computed (it has: sphere, capsule)"
        )
    if np.any(model.geom_gap[[a, b]]):
        raise Unsupported(f"g1: {what}: a gap is not computed")
    mixed = _mix(model, plane, geom)
    if mixed.condim not in (1, 3):
        raise Unsupported(
            f"g1: {what}: condim {mixed.condim} (torsional and rolling friction) is not computed "
            "(it has: 1, 3)"
        )
    if mixed_solref(mixed.solref):
        raise Unsupported(f"g1: {what}: their solref {mixed.solref} {MIXED}")
    if mixed.condim == 3 and not mixed.friction > 0:
        raise Unsupported(f"g1: {what}: condim 3 without friction; use condim 1")
    return mixed


def _mix(model: mujoco.MjModel, plane: int, geom: int) -> Pair:
    """MuJoCo's rules for the parameters of two geoms (documentation, "Contact parameters")."""
    both = [plane, geom]
    priority = model.geom_priority[both]
    condim, friction = model.geom_condim[both], model.geom_friction[both, :]
    solref, solimp = model.geom_solref[both], model.geom_solimp[both]
    if priority[0] != priority[1]:
        winner = int(np.argmax(priority))
        weight = np.array([1.0 - winner, float(winner)])
        dim, slide = int(condim[winner]), friction[winner]
    else:
        mix = np.maximum(model.geom_solmix[both], mujoco.mjMINVAL)
        weight = mix / mix.sum()
        dim, slide = int(condim.max()), friction.max(0)
    positive = bool(np.all(solref[:, 0] > 0))
    reference = weight @ solref if positive or weight.max() == 1 else solref.min(0)
    if dim == 3 and slide[0] <= 0:
        slide = np.zeros_like(slide)
    return Pair(
        geom=geom,
        plane=plane,
        condim=dim,
        margin=float(model.geom_margin[both].sum()),
        friction=float(slide[0]),
        solref=reference,
        solimp=weight @ solimp,
    )
