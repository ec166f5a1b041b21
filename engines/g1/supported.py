"""What of MuJoCo the simulator computes; anything else is refused by name."""

from collections.abc import Iterator

import mujoco
import numpy as np

from gradcheck.engine import Unsupported

# MuJoCo's enumerations compare with the integers of a model, and do not hash as they do.
JOINTS = {int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)}
FREE = int(mujoco.mjtJoint.mjJNT_FREE)
INTEGRATORS = {
    int(mujoco.mjtIntegrator.mjINT_EULER): "Euler",
    int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST): "implicitfast",
}
TRANSMISSIONS = {int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)}
BIASES = {int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)}
DISABLED = {
    mujoco.mjtDisableBit.mjDSBL_EULERDAMP,
    mujoco.mjtDisableBit.mjDSBL_REFSAFE,
    # These change how MuJoCo computes, not what.
    mujoco.mjtDisableBit.mjDSBL_WARMSTART,
    mujoco.mjtDisableBit.mjDSBL_ISLAND,
    mujoco.mjtDisableBit.mjDSBL_MIDPHASE,
    mujoco.mjtDisableBit.mjDSBL_MULTICCD,
    mujoco.mjtDisableBit.mjDSBL_NATIVECCD,
    mujoco.mjtDisableBit.mjDSBL_SENSOR,
    mujoco.mjtDisableBit.mjDSBL_AUTORESET,
    mujoco.mjtDisableBit.mjDSBL_FILTERPARENT,
}
ENABLED = {mujoco.mjtEnableBit.mjENBL_ENERGY, mujoco.mjtEnableBit.mjENBL_FWDINV}
# Counts of elements that would act on the robot.
ELEMENTS = {
    "neq": "equality constraints",
    "ntendon": "tendons",
    "nflex": "flexible bodies",
    "nplugin": "plugins",
    "nmocap": "mocap bodies",
    "npair": "explicit contact pairs",
    "na": "actuators with an activation state",
    "ngravcomp": "gravity compensation",
    "nhistory": "delayed controls and sensors",
}
# Arrays of which every entry must be zero: (array, kind of element, what it is).
ZEROS = (
    ("jnt_stiffness", mujoco.mjtObj.mjOBJ_JOINT, "a joint spring"),
    ("jnt_stiffnesspoly", mujoco.mjtObj.mjOBJ_JOINT, "a joint spring"),
    ("jnt_actgravcomp", mujoco.mjtObj.mjOBJ_JOINT, "gravity compensation"),
    ("actuator_armature", mujoco.mjtObj.mjOBJ_ACTUATOR, "armature of an actuator"),
    ("actuator_damping", mujoco.mjtObj.mjOBJ_ACTUATOR, "damping of an actuator"),
    ("actuator_dampingpoly", mujoco.mjtObj.mjOBJ_ACTUATOR, "damping of an actuator"),
    ("actuator_delay", mujoco.mjtObj.mjOBJ_ACTUATOR, "a delay of an actuator"),
    ("geom_adhesion", mujoco.mjtObj.mjOBJ_GEOM, "adhesion"),
    ("geom_surfacevel", mujoco.mjtObj.mjOBJ_GEOM, "a moving surface"),
)


MIXED = (
    "is of mixed format, which MuJoCo replaces by its default: give a time constant and a damping "
    "ratio, both above zero, or minus a stiffness and minus a damping"
)


def mixed_solref(solref: np.ndarray) -> bool:
    """Whether MuJoCo would not use it (getsolparam in engine_core_constraint.c)."""
    return bool((solref[0] > 0) != (solref[1] > 0))


def refuse(model: mujoco.MjModel) -> None:
    """Raise `Unsupported`, naming the element and why, unless all of `model` is computed."""
    for reason in reasons(model):
        raise Unsupported(f"g1: {reason}")


def reasons(model: mujoco.MjModel) -> Iterator[str]:
    """Everything in `model` that the simulator does not compute."""
    yield from _options(model)
    for count, what in ELEMENTS.items():
        if getattr(model, count, 0):
            yield f"{what} are not computed (the model has {count} {getattr(model, count)})"
    for name, kind, what in ZEROS:
        array = getattr(model, name, np.zeros(0))
        if not array.size:
            continue
        for index in np.flatnonzero(np.any(array.reshape(len(array), -1), axis=1)):
            yield f"{what} is not computed: {_named(model, kind, int(index))} has {name}"
    yield from _dofs(model)
    yield from _joints(model)
    yield from _actuators(model)


def _named(model: mujoco.MjModel, kind: mujoco.mjtObj, index: int) -> str:
    word = kind.name.removeprefix("mjOBJ_").lower()
    return f"{word} '{mujoco.mj_id2name(model, kind, index) or index}'"


def _options(model: mujoco.MjModel) -> Iterator[str]:
    option = model.opt
    if not option.timestep > 0:
        yield f"the time step must be above zero, the model has {option.timestep:g}"
    if int(option.integrator) not in INTEGRATORS:
        name = mujoco.mjtIntegrator(option.integrator).name
        yield f"integrator {name} is not computed (it has: {', '.join(INTEGRATORS.values())})"
    for name in ("density", "viscosity"):
        if getattr(option, name):
            yield f"forces of a medium are not computed: option {name} {getattr(option, name):g}"
    if np.any(option.wind):
        yield "forces of a medium are not computed: option wind"
    if option.noslip_iterations:
        yield "the noslip solver changes the equation that is solved: option noslip_iterations"
    for index in range(model.nu):
        group = int(model.actuator_group[index])
        if 0 <= group < 31 and option.disableactuator >> group & 1:
            yield (
                f"{_named(model, mujoco.mjtObj.mjOBJ_ACTUATOR, index)} is disabled: option "
                f"actuatorgroupdisable {group} is not computed; remove it from the model"
            )
    for bit in mujoco.mjtDisableBit.__members__.values():
        if option.disableflags & bit and bit not in DISABLED and bit != bit.mjNDISABLE:
            yield f"disable flag {bit.name.removeprefix('mjDSBL_').lower()} is not computed"
    for bit in mujoco.mjtEnableBit.__members__.values():
        if option.enableflags & bit and bit not in ENABLED and bit != bit.mjNENABLE:
            yield f"enable flag {bit.name.removeprefix('mjENBL_').lower()} is not computed"


def _dofs(model: mujoco.MjModel) -> Iterator[str]:
    for dof in range(model.nv):
        joint = _named(model, mujoco.mjtObj.mjOBJ_JOINT, int(model.dof_jntid[dof]))
        if np.any(getattr(model, "dof_dampingpoly", np.zeros((model.nv, 1)))[dof]):
            yield f"damping that is not linear is not computed: {joint} has dof_dampingpoly"
        if mixed_solref(model.dof_solref[dof]) and model.dof_frictionloss[dof]:
            yield f"solreffriction of {joint} {MIXED}"
        free = model.jnt_type[model.dof_jntid[dof]] == FREE
        if free and model.dof_frictionloss[dof]:
            yield f"friction loss of a free joint is not computed: {joint}"


def _joints(model: mujoco.MjModel) -> Iterator[str]:
    free = np.flatnonzero(model.jnt_type == FREE)
    if len(free) != 1:
        yield f"exactly one free joint is needed, at the root: the model has {len(free)}"
        return
    root = int(model.jnt_bodyid[free[0]])
    for joint in range(model.njnt):
        name = _named(model, mujoco.mjtObj.mjOBJ_JOINT, joint)
        if int(model.jnt_type[joint]) not in {*JOINTS, FREE}:
            kind = mujoco.mjtJoint(model.jnt_type[joint]).name.removeprefix("mjJNT_").lower()
            yield f"{name} is a {kind} joint (it has: free root, hinge, slide)"
        elif model.jnt_limited[joint] and mixed_solref(model.jnt_solref[joint]):
            yield f"solreflimit of {name} {MIXED}"
        elif model.body_rootid[model.jnt_bodyid[joint]] != root:
            yield f"{name} belongs to a second robot: only one tree, with a free root, is computed"


def _actuators(model: mujoco.MjModel) -> Iterator[str]:
    for index in range(model.nu):
        name = _named(model, mujoco.mjtObj.mjOBJ_ACTUATOR, index)
        if int(model.actuator_trntype[index]) not in TRANSMISSIONS:
            yield f"{name} does not act on a joint"
        elif int(model.jnt_type[model.actuator_trnid[index, 0]]) not in JOINTS:
            yield f"{name} acts on a joint that is neither hinge nor slide"
        if model.actuator_dyntype[index] != mujoco.mjtDyn.mjDYN_NONE:
            yield f"{name} has a state of its own (dyntype)"
        if model.actuator_gaintype[index] != mujoco.mjtGain.mjGAIN_FIXED:
            yield f"{name} has a gain that is not fixed (it has: position, motor, velocity)"
        if int(model.actuator_biastype[index]) not in BIASES:
            yield f"{name} has a bias that is not affine (it has: position, motor, velocity)"
