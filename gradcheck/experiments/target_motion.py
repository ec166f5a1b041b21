"""The motions that parameters are fitted to, by where they come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradcheck.engine import AbstractEngine, Array, BadInput, Inputs, Settings, Unsupported
from gradcheck.experiments.target_record import Origin
from gradcheck.experiments.target_scene import PICK, asked
from gradcheck.testbed import Testbed

CONVERGED = 64
MORE = 2 * CONVERGED + 1
"""Odd: a solver that alternates between two states has not converged."""
STEP = 1e-4
"""Of differences, in the log of a parameter."""
# Outputs that differ less from seed to seed than this part of their size tell nothing.
STILL = 1e-9
TOLD_APART = 1e-8
"""The least curvature, of the greatest, with which parameters count as told apart."""
LOOKED_AT = 4


@dataclass
class Motions:
    """Outputs of the last state at each seed's true parameters. logs [seeds, d]: their logs."""

    engine: AbstractEngine
    testbed: Testbed
    settings: Settings
    parameters: Sequence[str]
    logs: Array

    @cached_property
    def question(self) -> Testbed:
        return asked(self.testbed)

    def inputs(self, logs: Array) -> dict[str, Array]:
        """A batch of the testbed's inputs with the parameters of logs [n, d]."""
        return batch(self.testbed.nominal(), self.parameters, logs)

    def outputs(self, logs: Array, iterations: int) -> Array:
        """[n, n_out] of the engine at a budget, one output at a time."""
        size = len(self.testbed.weights)
        rows = {name: np.repeat(one, size, 0) for name, one in self.inputs(logs).items()}
        rows[PICK] = np.tile(np.eye(size), (len(logs), 1))
        settings = self.settings.model_copy(update={"iterations": iterations})
        try:
            found: Array = self.engine.simulate(self.question, settings).values(rows)
        except Unsupported as error:
            raise BadInput(
                f"{self.engine.card.name} does not run {iterations} iterations ({error}): the "
                f"converged target takes {CONVERGED}, and {MORE} tell how converged it is"
            ) from error
        return found.reshape(-1, size)

    @cached_property
    def converged(self) -> Array:
        found = self.outputs(self.logs, CONVERGED)
        if not np.isfinite(found).all():
            raise BadInput(
                f"{self.engine.card.name} at {CONVERGED} iterations is not finite for parameters "
                "near the testbed's own: there is no converged solver to fit to"
            )
        return found

    @cached_property
    def unconverged(self) -> float:
        """What twice as many iterations change, of the size of the outputs."""
        change = np.abs(self.outputs(self.logs, MORE) - self.converged)
        return float(np.max(change)) / max(
            float(np.max(np.abs(self.converged))), np.finfo(float).tiny
        )

    @cached_property
    def continuous(self) -> Array:
        """Raises `BadInput` where the testbed has no truth."""
        truth = self.testbed.truth
        if truth is None:
            raise BadInput(f"testbed {self.testbed.name} has no reference for its motion")
        inputs = self.inputs(self.logs)
        rows = [{name: one[row] for name, one in inputs.items()} for row in range(len(self.logs))]
        return np.array([truth.outputs(row) for row in rows])

    def of(self, origin: Origin, iterations: int) -> Array:
        """Targets [seeds, n_out]."""
        if origin is Origin.CONVERGED:
            return self.converged
        if origin is Origin.CONTINUOUS:
            return self.continuous
        return self.outputs(self.logs, iterations)

    @cached_property
    def weights(self) -> Array:
        """[n_out]: outputs in units of how much they differ from seed to seed, all together 1."""
        spread = self.converged.std(0)
        moving = spread > STILL * np.max(np.abs(self.converged))
        if not moving.any():
            raise BadInput(
                f"the outputs of {self.testbed.name} do not move with "
                f"{' and '.join(self.parameters)}: fit another --parameter"
            )
        units = np.where(moving, spread, 1.0) * np.sqrt(moving.sum())
        return np.where(moving, 1 / units, 0.0)

    @cached_property
    def curvature(self) -> tuple[float, float]:
        """Least and greatest of the loss at its minimum, over a few seeds, by log parameters.

        Raises `BadInput` where the outputs do not tell the parameters apart.
        """
        logs = self.logs[:LOOKED_AT]
        moves = STEP * np.eye(logs.shape[1])
        columns = [
            self.outputs(logs + move, CONVERGED) - self.outputs(logs - move, CONVERGED)
            for move in moves
        ]
        jacobians = np.stack(columns, -1) / (2 * STEP) * self.weights[:, None]
        found = np.linalg.eigvalsh(2 * np.swapaxes(jacobians, 1, 2) @ jacobians)
        least, greatest = float(found.min()), float(found.max())
        if not least > TOLD_APART * greatest:
            raise BadInput(
                f"the last state of {self.testbed.name} does not tell "
                f"{' and '.join(self.parameters)} apart (curvature of the loss {least:.1e} to "
                f"{greatest:.1e}): fit fewer, by --parameter"
            )
        return least, greatest


def batch(nominal: Inputs, parameters: Sequence[str], logs: Array) -> dict[str, Array]:
    """Inputs of n rows, those named with values exp(logs [n, d])."""
    out = {name: np.repeat(np.asarray(one)[None], len(logs), 0) for name, one in nominal.items()}
    for column, name in enumerate(parameters):
        out[name] = np.exp(logs[:, column]).reshape(out[name].shape)
    return out


def pulled(
    gradients: Mapping[str, Array], parameters: Sequence[str], logs: Array, name: str
) -> Array:
    """Gradients [n, d] by the logs. Raises `BadInput` for a parameter without one."""
    for one in parameters:
        if one not in gradients:
            raise BadInput(f"{name} gives no gradient of '{one}': fit another --parameter")
    flat = np.stack([gradients[one].reshape(len(logs)) for one in parameters], 1)
    return flat * np.exp(logs)
