"""On what does the advantage of the exact derivative depend: the solver's budget, or where the
target of a fit comes from?

The same truncated forward map is fitted by Adam with two gradients: that of the iterations that
ran, and another, as of the equation. Targets come from the same iterations, the converged solver,
the continuous dynamics.
"""

import functools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradcheck.engine import AbstractEngine, Array, BadInput, Knob, Settings, Unsupported
from gradcheck.experiments.target_motion import Motions
from gradcheck.experiments.target_record import Fit, Origin, Outcome, Search
from gradcheck.experiments.target_run import Run, Told, without_end
from gradcheck.experiments.target_scene import fitted
from gradcheck.reason import reason
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Testbed


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
        if twice := [one for one, count in Counter(self.parameters).items() if count > 1]:
            raise BadInput(f"--parameter {twice[0]} is given twice")
        for name in self.parameters:
            if name not in known:
                raise BadInput(
                    f"testbed {self.testbed.name} has no input '{name}' (it has: "
                    f"{', '.join(known)}): choose what to fit with --parameter"
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
    def middle(self) -> Array:
        """Logs [d] of the testbed's own parameters."""
        nominal = self.testbed.nominal()
        return np.log([float(np.ravel(nominal[name])[0]) for name in self.parameters])

    @cached_property
    def draws(self) -> tuple[Array, Array]:
        """Logs [seeds, d] of true and of starting parameters, evenly spread around the testbed's
        own, each seed by itself: more seeds leave the first as they were."""
        search = self.search
        size = len(self.parameters)
        drawn = np.array(
            [np.random.default_rng(seed).uniform(-1, 1, (2, size)) for seed in range(search.seeds)]
        )
        true = self.middle + np.log(search.true) * drawn[:, 0]
        return true, self.middle + np.log(search.start) * drawn[:, 1]

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """Lowest and highest logs [d] of a search."""
        reach = np.log(self.search.bound)
        return self.middle - reach, self.middle + reach

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
                    yield run.fits(functools.partial(_below, told, head))
                except (Unsupported, BadInput):
                    raise
                except (Exception, SystemExit) as error:  # what breaks is told, the rest goes on
                    yield [
                        without_end(engine, iterations, origin, seed, Outcome.FAILED, reason(error))
                        for origin in origins
                        for seed in range(self.search.seeds)
                    ]


def _below(told: Told, head: str, text: str) -> None:
    told(f"{head}: {text}")


def _require_budget(exact: AbstractEngine, other: AbstractEngine) -> None:
    """Raise `BadInput` for engines that cannot answer the question."""
    for one in (exact, other):
        if Knob.ITERATIONS not in one.card.knobs:
            raise BadInput(f"{one.card.name} has no knob 'iterations': there is no budget to vary")
    if exact.card.name == other.card.name:
        raise BadInput(f"both engines are named {exact.card.name}: give two different ones")
    if exact.card.referent not in (None, Referent.EXECUTED):
        raise BadInput(
            f"{exact.card.name} says of its gradient that it is of the {exact.card.referent}: name "
            "the engine with the derivative of the iterations that ran first"
        )
