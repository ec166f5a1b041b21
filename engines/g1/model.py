"""The simulator's model: what is fixed, and the parameters that can be differentiated."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
from numpy.typing import NDArray

from gradcheck.engine import BadInput
from gradcheck.engines.g1.algebra import Array
from gradcheck.engines.g1.parameters import Parameters, labels, named, parameters_of
from gradcheck.engines.g1.robot import load_mjmodel
from gradcheck.engines.g1.structure import Structure, read, structure


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Model:
    """A robot. `parameters` and `timestep` (s) are its leaves as a pytree; `structure` is
    static."""

    parameters: Parameters
    timestep: Array
    structure: Structure = field(metadata={"static": True})

    def with_parameters(self, **changes: Any) -> "Model":
        """The model with some of its parameters replaced.

        Each an array of the shape it has in `parameters`, one a world [batch, ...], or one number
        for all entries. Raises `BadInput` for a name that there is not, a shape that does not fit
        and, outside jit, for a value that makes no sense: not finite, below 0 (but for gains,
        biases and solref), no mass where there is some, friction loss of the root, a solref of
        mixed format. Damping and friction loss of joints are computed from now on, also where the
        model was loaded without.
        """
        parameters = named(self.structure, self.parameters, **changes)
        changed = "dof_damping" in changes, "dof_frictionloss" in changes
        return replace(self, parameters=parameters, structure=self.structure.computing(*changed))

    def labels(self, name: str) -> tuple[str, ...]:
        """What the rows of a parameter are called in the model: bodies, joints (of the root, by
        degree of freedom), actuators, "geom on plane". Raises `BadInput` for an unknown name."""
        return labels(self.structure, name)

    @property
    def nq(self) -> int:
        """Entries of qpos: root position (m), quaternion (w, x, y, z), joints (rad, m)."""
        return self.structure.nq

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return self.structure.nv

    @property
    def nu(self) -> int:
        """Actuators."""
        return self.structure.nu

    @property
    def ctrl_range(self) -> NDArray[np.float64]:
        """[nu, 2]: the least and the largest control, infinite where there is no limit."""
        return self.structure.ctrl_range

    @property
    def dtype(self) -> Any:
        """float32 or float64."""
        return self.parameters.body_mass.dtype


def load(
    model: mujoco.MjModel | str | Path | None = None,
    contacts: str = "feet",
    dtype: Any = None,
) -> Model:
    """The simulator's form of a MuJoCo model.

    model: compiled, MJCF text or the path of an XML file; None is the Unitree G1 with the contact
    set `contacts` ("feet" or "body"). dtype: float32 or float64; None is JAX's default.
    Raises `Unsupported`, naming the element and the reason, for anything that is not computed,
    `BadInput` for an unknown contact set, dtype or file.
    """
    compiled = load_mjmodel(contacts) if model is None else read(model)
    fixed = structure(compiled)
    precision = jnp.zeros(()).dtype if dtype is None else _precision(dtype)
    return Model(parameters_of(fixed, precision), jnp.asarray(fixed.timestep, precision), fixed)


def _precision(dtype: Any) -> Any:
    try:
        known = jnp.dtype(dtype)
    except TypeError:
        known = None
    if known not in (jnp.float32, jnp.float64):
        raise BadInput(f"g1: dtype {dtype!r} is not computed in: give float32 or float64")
    if known == jnp.float64 != jnp.zeros(()).dtype:
        raise BadInput("g1: dtype float64 needs jax.config.update('jax_enable_x64', True)")
    return known
