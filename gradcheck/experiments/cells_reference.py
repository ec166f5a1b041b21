"""What the gradients of the cells are held against, made once for each budget and horizon."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gradcheck.direction import Direction
from gradcheck.engine import (
    AbstractEngine,
    Array,
    BadInput,
    Diverged,
    Gradient,
    Settings,
    Unsupported,
)
from gradcheck.experiments.cells_answer import EXACT
from gradcheck.measure.curves import sample, step_sizes
from gradcheck.measure.physics import closed_form
from gradcheck.subject import Subject
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Testbed

STEPS = step_sizes(-7.0, -3.0, 2)
FEWEST, MOST = 16, 256
"""Iterations between which a solver is looked for to converge."""


class Reference(NamedTuple):
    """Slopes [points, size] per typical change, and their uncertainty."""

    slopes: Array
    uncertainty: Array


def moved(testbed: Testbed, seed: int) -> Testbed:
    """The testbed with each coordinate moved by up to a typical change; itself for seed 0."""
    if seed == 0:
        return testbed
    rng = np.random.default_rng([seed, *b"cells"])
    inputs = []
    for one in testbed.inputs:
        delta = one.scale * rng.uniform(-1.0, 1.0, one.tangent_size)
        inputs.append(replace(one, default=one.retract(one.default, delta)))
    return replace(testbed, inputs=tuple(inputs))


@dataclass
class References:
    """Those of one program: `engine`'s, whose gradient is not used. A string says why there is
    none."""

    engine: AbstractEngine
    testbed: Testbed
    seeds: Sequence[int] = (0,)
    found: dict[tuple[int, int], Reference | str] = field(default_factory=dict)

    @cached_property
    def subjects(self) -> list[Subject]:
        """One at each point."""
        name = self.engine.card.name
        return [Subject(name, self.engine, moved(self.testbed, seed)) for seed in self.seeds]

    @cached_property
    def directions(self) -> list[Direction]:
        """Each coordinate that carries a gradient, by a typical change."""
        return self.subjects[0].coordinates(self.subjects[0].tangent.size)

    @cached_property
    def vectors(self) -> Array:
        """These [directions, size]."""
        return np.stack([one.vector for one in self.directions])

    def along(self, subject: Subject, gradient: Gradient) -> Array:
        """A gradient [size] along them."""
        return np.asarray(self.vectors @ subject.tangent.pull(subject.nominal, gradient))

    def all(self, iterations: int, steps: int) -> dict[Referent, Reference | str]:
        """What is known at a budget and a horizon."""
        return {
            Referent.EXECUTED: self.program(iterations, steps),
            Referent.CONVERGED: self.converged(steps),
            Referent.CONTINUOUS: self.motion(steps),
        }

    def program(self, iterations: int, steps: int) -> Reference | str:
        """By differences of the program that ran."""
        key = iterations, steps
        if key not in self.found:
            self.found[key] = self._differences(iterations, steps)
        return self.found[key]

    def _differences(self, iterations: int, steps: int) -> Reference | str:
        settings = Settings(iterations=iterations, steps=steps)
        try:
            # Of the testbed as it is: one program serves all points.
            one = self.subjects[0].simulation(settings)
        except (Unsupported, BadInput, Diverged) as error:
            return str(error)
        slopes = []
        for subject in self.subjects:
            unused = np.zeros(subject.tangent.size)
            curves = sample(subject, one, self.directions, STEPS, unused)
            for curve in curves:
                if what := "jumps" if curve.jump() else "has a kink" if curve.kink() else "":
                    return f"the loss {what} along {curve.label}: it has no derivative there"
            slopes.append([curve.program() for curve in curves])
        values = np.array([[slope.value for slope in row] for row in slopes])
        uncertainty = np.array([[slope.uncertainty for slope in row] for row in slopes])
        if not (np.isfinite(values).all() and np.isfinite(uncertainty).all()):
            return f"differences of the program settle nowhere at k = {iterations}"
        return Reference(values, uncertainty)

    def converged(self, steps: int) -> Reference | str:
        """That of the program at a budget beyond which twice as many iterations change nothing.

        Even and odd in turn: what alternates between two states is not taken for convergence.
        """
        before = self.program(FEWEST, steps)
        iterations, change = FEWEST, np.inf
        while iterations < MOST:
            iterations = 2 * iterations + 1 - iterations % 2
            after = self.program(iterations, steps)
            if isinstance(after, str):
                return after
            if not isinstance(before, str):
                size = np.max(np.abs(after.slopes))
                change = np.max(np.abs(after.slopes - before.slopes)) / size if size else 0.0
                if change < EXACT:
                    return after
            before = after
        how = f"by {change:.1e} of its largest slope" if np.isfinite(change) else "by all"
        return f"{iterations} iterations have not converged: half of them move the gradient {how}"

    def motion(self, steps: int) -> Reference | str:
        """Of the testbed's truth, at its own horizon."""
        truth = self.testbed.truth
        if truth is None:
            return "the testbed states no truth"
        if steps != self.testbed.steps:
            return f"the testbed states its truth at its own horizon, T = {self.testbed.steps}"
        return self._truth

    @cached_property
    def _truth(self) -> Reference:
        truth = self.testbed.truth
        assert truth is not None
        found = [closed_form(subject, truth)[:2] for subject in self.subjects]
        slopes = np.array([self.vectors @ reference for reference, _ in found])
        return Reference(slopes, np.array([np.abs(self.vectors) @ doubt for _, doubt in found]))
