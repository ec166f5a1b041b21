"""All fits of one engine at one budget, which go on side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradcheck.engine import AbstractEngine, AbstractSimulation, Array, BadInput
from gradcheck.experiments.target_descent import Descent, descend
from gradcheck.experiments.target_motion import STEP, pulled
from gradcheck.experiments.target_record import Fit, Origin, Outcome
from gradcheck.experiments.target_scene import TARGET

if TYPE_CHECKING:
    from gradcheck.experiments.target import Experiment

Told = Callable[[str], None]
SETTLED = 1e-3
"""The part of its gradient at the start below which a fit counts as settled."""
ALIKE = 1e-6
"""How far losses of two engines at the starts may be apart, of their size."""
EXACT = 1e-2
"""How far, at the median, the exact gradient may be from differences of its own loss."""


@dataclass
class Run:
    """All seeds and origins of one engine at one budget: rows by origin, then seed."""

    of: "Experiment"
    engine: AbstractEngine
    iterations: int
    origins: Sequence[Origin]
    targets: Array

    def simulation(self, engine: AbstractEngine) -> AbstractSimulation:
        settings = self.of.settings.model_copy(update={"iterations": self.iterations})
        return engine.simulate(self.of.question, settings)

    def rows(self, logs: Array) -> dict[str, Array]:
        return {**self.of.motions.inputs(logs), TARGET: self.targets}

    def fits(self, told: Told) -> list[Fit]:
        of, simulation, name = self.of, self.simulation(self.engine), self.engine.card.name
        search = of.search

        def ask(logs: Array) -> tuple[Array, Array]:
            losses, gradients = simulation.values_and_grads(self.rows(logs))
            return losses, pulled(gradients, of.parameters, logs, name)

        true, start = (np.tile(one, (len(self.origins), 1)) for one in of.draws)
        off = self.off(start, ask(start))
        self.require_exact(off)
        found = descend(
            ask,
            start,
            *of.box,
            search.updates,
            (search.first_step, search.last_step),
            lambda update: told(f"update {update + 1} of {search.updates}"),
        )
        errors = np.abs(found.x - true)
        return [
            self.fit(found, errors, off, row, origin, seed)
            for row, (origin, seed) in enumerate(
                (origin, seed) for origin in self.origins for seed in range(search.seeds)
            )
        ]

    def require_exact(self, off: Array) -> None:
        """Raise `BadInput` where the first engine's gradient is not what it is taken for."""
        known = off[np.isfinite(off)]
        if self.engine is self.of.exact and known.size and np.median(known) > EXACT:
            raise BadInput(
                f"the gradient of {self.engine.card.name} is off by {np.median(known):.2g} from "
                f"differences of its own loss at k = {self.iterations}, so it is not the exact "
                "one: name the engine with the derivative of the iterations that ran first"
            )

    def fit(
        self, found: Descent, errors: Array, off: Array, row: int, origin: Origin, seed: int
    ) -> Fit:
        start, end = (float(one[row]) for one in found.losses)
        fit = without_end(self.engine, self.iterations, origin, seed, Outcome.UNSTABLE)
        if not np.isfinite(start):
            return fit
        told = {"start": start, "off": float(off[row]) if np.isfinite(off[row]) else None}
        if not found.alive[row]:
            return fit.model_copy(update={**told, "outcome": Outcome.DIVERGED})
        first, last = (np.linalg.norm(one[row]) for one in found.slopes)
        low, high = self.of.box
        # A gradient of nothing from the start has not fallen to it.
        outcome = Outcome.SETTLED if first > 0 and last <= SETTLED * first else Outcome.UNSETTLED
        if ((found.x[row] <= low) | (found.x[row] >= high)).any():
            outcome = Outcome.BOUND
        by_name = {
            name: float(one) for name, one in zip(self.of.parameters, errors[row], strict=True)
        }
        return fit.model_copy(update={**told, "outcome": outcome, "loss": end, "errors": by_name})

    def off(self, start: Array, asked: tuple[Array, Array]) -> Array:
        """How far gradients at the starts are from differences of the losses of the engine of the
        exact one. Raises `BadInput` where the losses themselves are not the same."""
        simulation = self.simulation(self.of.exact)
        values, losses = simulation.values(self.rows(start)), asked[0]
        both = np.isfinite(values) & np.isfinite(losses)
        apart = np.abs(losses[both] - values[both])
        if (apart > ALIKE * np.abs(values[both])).any():
            raise BadInput(
                f"{self.engine.card.name} and {self.of.exact.card.name} have not the same loss at "
                f"k = {self.iterations}: give engines with one forward map and two gradients"
            )
        slopes = []
        for move in STEP * np.eye(start.shape[1]):
            ahead, behind = (simulation.values(self.rows(start + s * move)) for s in (1, -1))
            slopes.append((ahead - behind) / (2 * STEP))
        reference = np.stack(slopes, 1)
        size = np.linalg.norm(reference, axis=1)
        away = np.linalg.norm(asked[1] - reference, axis=1)
        return np.where(size > 0, away / np.where(size > 0, size, 1.0), np.inf)


def without_end(
    engine: AbstractEngine,
    iterations: int,
    origin: Origin,
    seed: int,
    outcome: Outcome,
    why: str = "",
) -> Fit:
    """A fit without an end."""
    return Fit(
        engine=engine.card.name,
        iterations=iterations,
        origin=origin,
        seed=seed,
        outcome=outcome,
        errors={},
        start=None,
        loss=None,
        off=None,
        reason=why,
    )
