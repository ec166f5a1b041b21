"""An MJCF scene as a compiled MuJoCo model, for every engine that reads MJCF."""

import mujoco
import numpy as np

from gradcheck.engine import BadInput, Settings, Unsupported
from gradcheck.scene import Field, Mjcf
from gradcheck.testbed import Testbed

STATE_INPUTS = ("qpos", "qvel", "ctrl")
SOLVERS = {"PGS": mujoco.mjtSolver.mjSOL_PGS, "CG": mujoco.mjtSolver.mjSOL_CG}
SOLVERS["Newton"] = mujoco.mjtSolver.mjSOL_NEWTON
CONES = {
    "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL,
    "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC,
}


def compile_model(testbed: Testbed, settings: Settings) -> mujoco.MjModel:
    """The testbed's MJCF, compiled, with time step and solver options of `settings`.

    The reset of unstable states is off: a rollout that blows up must show as one. Raises
    `BadInput` for MJCF that does not compile and for inputs that do not fit the model,
    `Unsupported` for a solver or cone that MuJoCo does not have.
    """
    scene = testbed.scene(Mjcf)
    try:
        model = mujoco.MjModel.from_xml_string(scene.xml)
    except ValueError as error:
        text = " ".join(str(error).split())
        raise BadInput(f"the MJCF of {testbed.name} does not compile: {text}") from None
    option = model.opt
    option.timestep = settings.dt if settings.dt is not None else testbed.dt
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    if settings.iterations is not None:
        option.iterations = settings.iterations
    if settings.tolerance is not None:
        option.tolerance = settings.tolerance
    if settings.solver is not None:
        option.solver = _known("solver", settings.solver, SOLVERS)
    if settings.cone is not None:
        option.cone = _known("cone", settings.cone, CONES)
    _check_inputs(testbed, scene, model)
    return model


def quaternion_starts(model: mujoco.MjModel) -> tuple[int, ...]:
    """Where the unit quaternions of free and ball joints start in qpos."""
    shift = {mujoco.mjtJoint.mjJNT_FREE: 3, mujoco.mjtJoint.mjJNT_BALL: 0}
    return tuple(
        int(address) + shift[mujoco.mjtJoint(kind)]
        for kind, address in zip(model.jnt_type, model.jnt_qposadr, strict=True)
        if mujoco.mjtJoint(kind) in shift
    )


def _known(what: str, name: str, table: dict[str, int]) -> int:
    if name not in table:
        raise Unsupported(f"MuJoCo has no {what} '{name}' (it has: {', '.join(table)})")
    return table[name]


def _check_inputs(testbed: Testbed, scene: Mjcf, model: mujoco.MjModel) -> None:
    """Raise `BadInput` unless each input is a state of the right size or enters by fields."""
    sizes = {"qpos": model.nq, "qvel": model.nv, "ctrl": model.nu}
    for one in testbed.inputs:
        size = int(np.size(one.default))
        if one.name in scene.fields:
            for field in scene.fields[one.name]:
                _check_field(testbed, one.name, size, field, model)
        elif one.name not in sizes:
            raise BadInput(
                f"input '{one.name}' of {testbed.name} is neither qpos, qvel nor ctrl: "
                "say in Mjcf.fields where it enters the model"
            )
        elif size != sizes[one.name]:
            raise BadInput(
                f"input '{one.name}' of {testbed.name} has {size} entries, "
                f"the model takes {sizes[one.name]}"
            )
        elif one.name == "qpos" and one.quaternions != quaternion_starts(model):
            raise BadInput(
                f"input 'qpos' of {testbed.name} says quaternions={one.quaternions}, "
                f"the model has them at {quaternion_starts(model)}"
            )
    expected = model.nq + model.nv
    if len(testbed.weights) != expected:
        raise BadInput(
            f"{testbed.name} weighs {len(testbed.weights)} outputs, "
            f"qpos and qvel of the model are {expected}"
        )


def _check_field(
    testbed: Testbed, name: str, size: int, field: Field, model: mujoco.MjModel
) -> None:
    array = getattr(model, field.name, None)
    if not isinstance(array, np.ndarray):
        raise BadInput(f"input '{name}' of {testbed.name}: MjModel has no array '{field.name}'")
    inside = len(field.index) == array.ndim and all(
        -length <= index < length for index, length in zip(field.index, array.shape, strict=True)
    )
    if not inside or not 0 <= field.entry < size:
        raise BadInput(
            f"input '{name}' of {testbed.name}: {field.name}{list(field.index)} = "
            f"{name}[{field.entry}] is outside arrays of shapes {array.shape} and ({size},)"
        )
