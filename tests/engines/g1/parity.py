"""Relative errors of the simulator's fields against C MuJoCo's, state by state."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mujoco
import numpy as np

from gradcheck.engines import g1
from tests.engines.g1.reference import reference, tight
from tests.engines.g1.states import Floats, States

# MuJoCo's solve counts as converged below this residual, relative to its forces.
CONVERGED = 1e-11
FIELDS = (
    "xpos", "xmat", "qM", "qfrc_bias", "qfrc_passive", "qfrc_actuator", "dist", "pos", "frame",
    "efc_J", "efc_aref", "efc_D", "qfrc_constraint", "qacc", "next_qpos", "next_qvel",
)  # fmt: skip


class Parity(NamedTuple):
    """errors [n] of each field, relative to the field's largest entry in that state; solved [n]:
    where both solves converged; same [n]: the constraint rows are the same; rows: how many."""

    errors: dict[str, Floats]
    solved: Any
    same: Any
    rows: int

    def of(self, name: str) -> Floats:
        """The errors of a field where they count: what follows the solve, where it converged."""
        after = name in ("qfrc_constraint", "qacc", "next_qpos", "next_qvel")
        return self.errors[name][self.solved] if after else self.errors[name]


def parity(mj_model: mujoco.MjModel, some: States) -> Parity:
    """Compare at these states, in float64."""
    model = g1.load(tight(mj_model), dtype="float64")
    theirs = reference(model, some)
    ctrl = jnp.asarray(some.ctrl)
    current = g1.state(model, some.qpos, some.qvel, theirs["qacc"])
    start = g1.state(model, some.qpos, some.qvel)
    both = jax.jit(_both, compiler_options=g1.COMPILER_OPTIONS)
    after, fields = both(model, start, current, ctrl)
    ours = {name: np.asarray(value) for name, value in fields._asdict().items()}
    ours |= {
        "qacc": np.asarray(after.qacc),
        "next_qpos": np.asarray(after.qpos),
        "next_qvel": np.asarray(after.qvel),
    }
    errors = {name: _relative(ours[name], theirs[name]) for name in FIELDS}
    solved = (theirs["residual"] <= CONVERGED) & (np.asarray(after.status) == g1.Status.OK)
    same = (ours["active"] == theirs["active"]).all(1)
    return Parity(errors, solved, same, int(theirs["active"].sum()))


def _both(
    model: g1.Model, start: g1.State, current: g1.State, ctrl: jax.Array
) -> tuple[g1.State, g1.Fields]:
    return g1.step(model, start, ctrl), g1.fields(model, current, ctrl)


def _relative(ours: Any, theirs: Any) -> Floats:
    """Largest difference of each state over the largest entry, where MuJoCo has the entry. A field
    that MuJoCo has as 0 throughout is compared as it is; NaN of ours is an infinite error."""
    count = len(theirs)
    if theirs[0].size == 0:
        return np.zeros(count)
    there = ~np.isnan(theirs)
    gap = np.abs(np.where(there, ours, 0) - np.where(there, theirs, 0)).reshape(count, -1).max(1)
    size = np.abs(np.where(there, theirs, 0)).reshape(count, -1).max(1)
    return np.where(np.isnan(gap), np.inf, gap / np.where(size > 0, size, 1.0))
