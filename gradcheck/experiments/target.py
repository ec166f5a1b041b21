"""On what does the advantage of the exact derivative depend: the solver's budget, or where the
target of a fit comes from?

The same truncated forward map is fitted by Adam with two gradients: that of the iterations that
ran, and another, as of the equation. Targets come from the same iterations, the converged solver,
the continuous dynamics.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradcheck.engine import (
    AbstractEngine,
    AbstractSimulation,
    Array,
    BadInput,
    Knob,
    Settings,
    Unsupported,
)
from gradcheck.experiments.target_descent import Descent, descend
from gradcheck.experiments.target_motion import STEP, Motions, pulled
from gradcheck.experiments.target_record import Fit, Origin, Outcome, Search
from gradcheck.experiments.target_scene import TARGET, fitted
from gradcheck.reason import reason
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Testbed

Told = Callable[[str], None]
SETTLED = 1e-3
"""The part of its gradient at the start below which a fit counts as settled."""
ALIKE = 1e-6
"""How far losses of two engines at the starts may be apart, of their size."""


@dataclass
class Experiment:
    """Two engines of one forward map on one testbed. `refine` divides the time step."""

    testbed: Testbed
    exact: AbstractEngine
    other: AbstractEngine
    parameters: Sequence[str]
    search: Search
    refine: int = 1

    def __post_init__(self) -> None:
        known = {one.name: one for one in self.testbed.inputs}
        for name in self.parameters:
            if name not in known:
                raise BadInput(
                    f"testbed {self.testbed.name} has no input '{name}' (it has: "
                    f"{', '.join(known)})"
                )
            value = np.ravel(known[name].default)
            if value.size != 1 or value[0] <= 0:
                raise BadInput(
                    f"'{name}' of {self.testbed.name} is not one positive number: fit another "
                    "--parameter"
                )
        _require_budget(self.exact, self.other)
        self.motions.weights, self.motions.curvature  # noqa: B018  what cannot be fitted is refused

    @property
    def settings(self) -> Settings:
        if self.refine == 1:
            return Settings()
        return Settings(dt=self.testbed.dt / self.refine, steps=self.testbed.steps * self.refine)

    @cached_property
    def draws(self) -> tuple[Array, Array]:
        """Logs [seeds, d] of true and of starting parameters, evenly spread around the testbed's
        own, each seed by itself: more seeds leave the first as they were."""
        search = self.search
        size = len(self.parameters)
        nominal = self.testbed.nominal()
        middle = np.log([float(np.ravel(nominal[name])[0]) for name in self.parameters])
        drawn = np.array(
            [np.random.default_rng(seed).uniform(-1, 1, (2, size)) for seed in range(search.seeds)]
        )
        true = middle + np.log(search.true) * drawn[:, 0]
        return true, middle + np.log(search.start) * drawn[:, 1]

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """Lowest and highest logs [d] of a search."""
        nominal = self.testbed.nominal()
        middle = np.log([float(np.ravel(nominal[name])[0]) for name in self.parameters])
        return middle - np.log(self.search.bound), middle + np.log(self.search.bound)

    @cached_property
    def motions(self) -> Motions:
        return Motions(self.exact, self.testbed, self.settings, self.parameters, self.draws[0])

    @cached_property
    def question(self) -> Testbed:
        return fitted(self.testbed, self.motions.weights)

    @cached_property
    def left_out(self) -> dict[Origin, str]:
        """Origins without targets, and why."""
        try:
            self.motions.continuous  # noqa: B018
        except BadInput as error:
            return {Origin.CONTINUOUS: str(error)}
        return {}

    def fits(self, budgets: Sequence[int], told: Told = lambda text: None) -> Iterator[list[Fit]]:
        """All fits of a budget and an engine at a time."""
        origins = [one for one in Origin if one not in self.left_out]
        for iterations in budgets:
            targets = np.concatenate([self.motions.of(one, iterations) for one in origins])
            for engine in (self.exact, self.other):
                head = f"{engine.card.name}, k = {iterations}"
                told(head)
                try:
                    run = Run(self, engine, iterations, origins, targets)
                    yield run.fits(lambda text, head=head: told(f"{head}: {text}"))
                except (Unsupported, BadInput):
                    raise
                except Exception as error:  # an engine that breaks is told, and the rest goes on
                    yield [
                        _fit(engine, iterations, origin, seed, Outcome.FAILED, reason(error))
                        for origin in origins
                        for seed in range(self.search.seeds)
                    ]


@dataclass
class Run:
    """All seeds and origins of one engine at one budget: rows by origin, then seed."""

    of: Experiment
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

    def fit(
        self, found: Descent, errors: Array, off: Array, row: int, origin: Origin, seed: int
    ) -> Fit:
        start, end = (float(one[row]) for one in found.losses)
        fit = _fit(self.engine, self.iterations, origin, seed, Outcome.UNSTABLE)
        if not np.isfinite(start):
            return fit
        told = {"start": start, "off": float(off[row]) if np.isfinite(off[row]) else None}
        if not found.alive[row]:
            return fit.model_copy(update={**told, "outcome": Outcome.DIVERGED})
        first, last = (np.linalg.norm(one[row]) for one in found.slopes)
        low, high = self.of.box
        outcome = Outcome.SETTLED if last <= SETTLED * first else Outcome.UNSETTLED
        if ((found.x[row] <= low) | (found.x[row] >= high)).any():
            outcome = Outcome.BOUND
        by_name = {name: float(one) for name, one in zip(self.of.parameters, errors[row], strict=True)}
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


def _fit(
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


def _require_budget(exact: AbstractEngine, other: AbstractEngine) -> None:
    """Raise `BadInput` for engines that cannot answer the question."""
    for one in (exact, other):
        if Knob.ITERATIONS not in one.card.knobs:
            raise BadInput(f"{one.card.name} has no knob 'iterations': there is no budget to vary")
    if exact.card.name == other.card.name:
        raise BadInput(f"both engines are named {exact.card.name}: their fits could not be told apart")
    if exact.card.referent not in (None, Referent.EXECUTED):
        raise BadInput(
            f"{exact.card.name} says of its gradient that it is of the {exact.card.referent}: name "
            "the engine with the derivative of the iterations that ran first"
        )
