"""The physical parameters that the simulator differentiates, by MuJoCo's names."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import jax
import jax.numpy as jnp
import mujoco
import numpy as np

from gradcheck.engine import BadInput
from gradcheck.engines.g1.algebra import Array
from gradcheck.engines.g1.structure import Structure
from gradcheck.engines.g1.supported import MIXED


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Parameters:
    """Each of shape [n], shared by all worlds, or [batch, n], one a world.

    body_mass [nbody], kg (a body's inertia about its centre of mass stays);
    dof_damping [nv], N s/m or N m s; dof_armature [nv], kg or kg m^2; dof_frictionloss [nv], N or
    N m; actuator_gainprm [nu], the gain; actuator_biasprm [nu, 3], constant, position, velocity;
    friction [npair], sliding friction of each geom with its plane; solref [npair, 2], the contact's
    time constant (s) and damping ratio, or -stiffness and -damping.
    As in MuJoCo without a call of mj_setConst, the constants of the regularisation that depend on
    masses (body_invweight0, dof_invweight0) stay those of the loaded model.
    """

    body_mass: Array
    dof_damping: Array
    dof_armature: Array
    dof_frictionloss: Array
    actuator_gainprm: Array
    actuator_biasprm: Array
    friction: Array
    solref: Array


NAMES = tuple(one.name for one in fields(Parameters))
# Axes of one world's parameter; the others have one.
AXES = {"actuator_biasprm": 2, "solref": 2}
ROOT = ("vx", "vy", "vz", "wx", "wy", "wz")
# These may be negative.
SIGNED = ("actuator_gainprm", "actuator_biasprm", "solref")


def parameters_of(structure: Structure, dtype: Any) -> Parameters:
    """The model's own parameters."""
    model = structure.mj_model
    touching = structure.pairs
    values = {
        "body_mass": model.body_mass,
        "dof_damping": model.dof_damping,
        "dof_armature": model.dof_armature,
        "dof_frictionloss": model.dof_frictionloss,
        "actuator_gainprm": model.actuator_gainprm[:, 0],
        "actuator_biasprm": np.where(
            (model.actuator_biastype == 1)[:, None], model.actuator_biasprm[:, :3], 0.0
        ),
        "friction": np.array([pair.friction for pair in touching]),
        "solref": np.array([pair.solref for pair in touching]).reshape(-1, 2),
    }
    return Parameters(**{name: jnp.asarray(value, dtype) for name, value in values.items()})


def batch_last(parameters: Parameters) -> Parameters:
    """Inside shapes: [n, 1] or [n, batch], [n, 3, 1] or [n, 3, batch]."""

    def turn(name: str) -> Array:
        array: Array = getattr(parameters, name)
        own = AXES.get(name, 1)
        if array.ndim == own:
            return array[..., None]
        return jnp.moveaxis(array, 0, -1)

    return Parameters(**{name: turn(name) for name in NAMES})


def named(structure: Structure, parameters: Parameters, **changes: Any) -> Parameters:
    """Parameters with some of them replaced: see `Model.with_parameters`."""
    made = {}
    for name, value in changes.items():
        made[name] = array = _fitting(parameters, name, value)
        if isinstance(array, jax.core.Tracer):
            continue
        for entry, why in _wrong(structure, name, np.asarray(array)):
            at = ", ".join(map(str, entry))
            raise BadInput(f"g1: {name}[{at}] is {float(array[entry]):g}: {why}")
    return replace(parameters, **made)


def _known(name: str) -> None:
    if name not in NAMES:
        raise BadInput(f"g1: no parameter '{name}' (it has: {', '.join(NAMES)})")


def _fitting(parameters: Parameters, name: str, value: Any) -> Array:
    """As an array that fits."""
    _known(name)
    now: Array = getattr(parameters, name)
    own = now.shape[now.ndim - AXES.get(name, 1) :]
    array = real(name, value, now.dtype)
    if array.ndim == 0:
        array = jnp.broadcast_to(array, own)
    if array.shape != own and array.shape[1:] != own:
        raise BadInput(
            f"g1: {name} has shape {array.shape}, the model takes {own}, "
            f"{('batch', *own)} or one number"
        )
    return array


def _wrong(
    structure: Structure, name: str, array: np.ndarray
) -> Iterator[tuple[tuple[int, ...], str]]:
    """Entries that make no sense, and why."""
    model = structure.mj_model

    def entries(mask: np.ndarray) -> Iterator[tuple[int, ...]]:
        for found in np.argwhere(mask):
            yield tuple(int(index) for index in found)

    for entry in entries(~np.isfinite(array)):
        yield entry, "it must be finite"
    if name not in SIGNED:
        for entry in entries(array < 0):
            yield entry, "it must not be negative"
    if name == "body_mass":
        for entry in entries((array == 0) & (model.body_mass > 0)):
            yield entry, "the body has a mass in the model; it must be above 0"
    if name == "friction":
        slides = np.array([pair.condim == 3 for pair in structure.pairs])
        for entry in entries((array < mujoco.mjMINMU) & slides):
            yield entry, f"below {mujoco.mjMINMU:g} MuJoCo computes another; use condim 1"
    if name == "dof_frictionloss":
        root = np.arange(model.nv) < len(ROOT)
        for entry in entries((array != 0) & root):
            yield entry, "friction loss of the root is not computed; it must be 0 there"
    if name == "solref":
        for entry in entries((array[..., 0] > 0) != (array[..., 1] > 0)):
            yield (*entry, 1), f"this row {MIXED}"


def real(name: str, value: Any, dtype: Any) -> Array:
    """An array of real numbers. Raises `BadInput` with the name for anything else."""
    known = not any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(value))
    try:
        # numpy tells what is no number; JAX looks for a dtype in it
        array = jnp.asarray(_numeric(np.asarray(value)) if known else value)
    except (TypeError, ValueError) as error:
        raise BadInput(f"g1: {name} is no array of numbers: {error}") from None
    if not (jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer)):
        raise BadInput(f"g1: {name} is an array of {array.dtype}; give real numbers")
    return array.astype(dtype)


def _numeric(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "iufcb":
        raise TypeError(f"it holds {array.dtype}")
    return array


def labels(structure: Structure, name: str) -> tuple[str, ...]:
    """The names in the model of a parameter's rows."""
    _known(name)
    model = structure.mj_model

    def called(kind: mujoco.mjtObj, index: int) -> str:
        return mujoco.mj_id2name(model, kind, index) or f"{index}"

    if name == "body_mass":
        return tuple(called(mujoco.mjtObj.mjOBJ_BODY, i) for i in range(model.nbody))
    if name.startswith("actuator"):
        return tuple(called(mujoco.mjtObj.mjOBJ_ACTUATOR, i) for i in range(model.nu))
    if name.startswith("dof"):
        joints = [called(mujoco.mjtObj.mjOBJ_JOINT, int(i)) for i in model.dof_jntid]
        return tuple(f"{joint}.{axis}" for joint, axis in zip(joints, ROOT, strict=False)) + tuple(
            joints[len(ROOT) :]
        )
    return tuple(
        f"{called(mujoco.mjtObj.mjOBJ_GEOM, pair.geom)} on "
        f"{called(mujoco.mjtObj.mjOBJ_GEOM, pair.plane)}"
        for pair in structure.pairs
    )
