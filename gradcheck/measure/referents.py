"""The gradient under solver budgets, horizons and time steps, beside the three references.

References are the loss's own differences: at the same setting (the program), with the solver given
all that it needs (the converged equation), by the testbed's truth or finer time steps (the
physics). One step shows best what a solver left undone: over many, the states differ as well.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from gradcheck import direction
from gradcheck.artifact import ReferentRow, Referents, Setting, Slopes
from gradcheck.curve import Curve
from gradcheck.direction import Direction
from gradcheck.engine import Array, Diverged, Knob, Settings, Unsupported
from gradcheck.measure.curves import sample, step_sizes
from gradcheck.measure.physics import STEPS as WIDE
from gradcheck.measure.physics import closed_form
from gradcheck.subject import Subject
from gradcheck.taxonomy import Referent

STEPS = step_sizes(-8.0, -2.0, 2)
"""In typical changes. Wide, since an unconverged solver is noisy."""
DIRECTIONS = 4
TOLERANCES = (1e-1, 1e-2, 1e-4, 1e-8, 1e-12)
BOTH = 2
"""The references that hold at convergence are those of the last two budgets: how far they are
apart is their uncertainty."""


def measure(subject: Subject) -> Referents:
    """Rows at the setting in use, at each budget (over all steps, and over one), at finer dt."""
    references = References(subject)
    rows = [references.row(Setting.IN_USE, 0.0, Settings())]
    refused = ""
    for setting, at, settings in [*_budgets(subject), *_time_steps(subject)]:
        try:
            rows.append(references.row(setting, at, settings))
        except (Unsupported, Diverged) as error:
            refused = str(error)
    if refused and len(rows) == 1:
        references.absent.setdefault(Referent.CONVERGED, refused)
    return Referents(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        labels=[one.label for one in references.directions],
        rows=rows,
        made=references.made,
        absent=references.absent,
    )


def _budgets(subject: Subject) -> list[tuple[Setting, float, Settings]]:
    """Budgets that cut the solver short, over all steps and over the first."""
    if not subject.budget.builds:
        return []
    knob, values = _solver(subject)
    if knob is None:
        return []
    horizons: list[int | None] = [None]
    if subject.testbed.steps > 1 and subject.testbed.dt > 0 and subject.knows(Knob.STEPS):
        horizons.append(1)
    return [
        (Setting(knob.value), float(value), Settings(steps=steps, **{knob.value: value}))
        for steps in horizons
        for value in values[:-BOTH]
    ]


def _solver(subject: Subject) -> tuple[Knob | None, tuple[float, ...]]:
    """The knob of the solver's budget, and its values, the last two those that converge."""
    if subject.knows(Knob.ITERATIONS) and subject.budget.iterations:
        most = subject.budget.iterations[-1]
        # An even and an odd one, so that a cycle of two states is not taken for convergence.
        return Knob.ITERATIONS, (*subject.budget.iterations[:-1], most, 2 * most + 1)
    if subject.knows(Knob.TOLERANCE):
        return Knob.TOLERANCE, TOLERANCES
    return None, ()


def _time_steps(subject: Subject) -> list[tuple[Setting, float, Settings]]:
    """Finer time steps over the same duration."""
    if not _refinable(subject):
        return []
    dt, steps = subject.testbed.dt, subject.testbed.steps
    return [
        (Setting.DT, dt / fine, Settings(dt=dt / fine, steps=steps * fine))
        for fine in (2**level for level in range(1, subject.budget.refinements))
    ]


def _refinable(subject: Subject) -> bool:
    knows = subject.knows(Knob.DT) and subject.knows(Knob.STEPS)
    return subject.testbed.dt > 0 and knows and subject.budget.builds


@dataclass
class References:
    """References of one subject, each made once."""

    subject: Subject
    made: dict[Referent, str] = field(default_factory=dict)
    absent: dict[Referent, str] = field(default_factory=dict)
    found: dict[Settings, Slopes] = field(default_factory=dict)

    @cached_property
    def directions(self) -> list[Direction]:
        """Random ones through all inputs with a gradient and, where there is one, a truth."""
        subject, truth = self.subject, self.subject.testbed.truth
        names = subject.names
        if truth is not None:
            known = truth.jacobian(subject.nominal)
            names = [name for name in names if name in known] or names
        rng = subject.rng("referents")
        return [
            direction.joint(subject.tangent, names, rng, f"random {k + 1}")
            for k in range(DIRECTIONS)
        ]

    def row(self, setting: Setting, at: float, settings: Settings) -> ReferentRow:
        """The gradient at one setting beside all references there. Raises `Unsupported`."""
        subject = self.subject
        simulation = subject.simulation(settings)
        gradient = subject.gradient_of(simulation)
        references = {Referent.EXECUTED: self.program(settings)}
        self.made.setdefault(Referent.EXECUTED, "differences of the loss at the same setting")
        others: dict[Referent, Callable[[Settings], Slopes | None]] = {
            Referent.CONVERGED: self.converged,
            Referent.CONTINUOUS: self.physics,
        }
        for referent, reference in others.items():
            if (slopes := reference(settings)) is not None:
                references[referent] = slopes
        return ReferentRow(
            setting=setting,
            at=at,
            steps=subject.testbed.steps if settings.steps is None else settings.steps,
            dt=subject.testbed.dt if settings.dt is None else settings.dt,
            gradient=[float(gradient @ one.vector) for one in self.directions],
            references=references,
            residual=simulation.diagnostics(subject.nominal).get("residual"),
        )

    def program(self, settings: Settings) -> Slopes:
        """By steps below one time step of motion; unknown along a kink or a jump."""
        if settings not in self.found:
            self.found[settings] = _slopes(self._curves(settings, STEPS), _of_program)
        return self.found[settings]

    def converged(self, settings: Settings) -> Slopes | None:
        """The program's with the solver's last budgets; None where there is no such knob."""
        knob, values = _solver(self.subject)
        if knob is None or not self.subject.budget.builds:
            self.absent.setdefault(Referent.CONVERGED, _no_budget(self.subject))
            return None
        try:
            less, most = (
                self.program(settings.model_copy(update={knob.value: value}))
                for value in values[-BOTH:]
            )
        except (Unsupported, Diverged) as error:
            self.absent.setdefault(Referent.CONVERGED, str(error))
            return None
        self.made.setdefault(Referent.CONVERGED, f"the same with {knob} {values[-1]:g}")
        return _and_change(most, less)

    def physics(self, settings: Settings) -> Slopes | None:
        """At the testbed's own duration; None elsewhere and where it cannot be had."""
        shortened = settings.steps is not None and settings.dt is None
        if shortened and settings.steps != self.subject.testbed.steps:
            return None
        return self._physics

    @cached_property
    def _physics(self) -> Slopes | None:
        subject, truth = self.subject, self.subject.testbed.truth
        if truth is not None:
            reference, uncertainty, _ = closed_form(subject, truth)
            self.made[Referent.CONTINUOUS] = truth.source
            return Slopes(
                value=[float(reference @ one.vector) for one in self.directions],
                uncertainty=[float(uncertainty @ abs(one.vector)) for one in self.directions],
            )
        if not _refinable(subject):
            self.absent[Referent.CONTINUOUS] = (
                f"testbed {subject.testbed.name} has no closed form, and its time step is not "
                "refined here"
            )
            return None
        finest = 2**subject.budget.refinements
        coarse, fine = (self._refined(one) for one in (finest // 2, finest))
        self.made[Referent.CONTINUOUS] = f"the engine at dt / {finest}"
        return _and_change(fine, coarse)

    def _refined(self, by: int) -> Slopes:
        """By steps well above one time step of motion, where there is contact."""
        dt = self.subject.testbed.dt / by
        settings = Settings(dt=dt, steps=self.subject.testbed.steps * by)
        return _slopes(self._curves(settings, WIDE, dt), _of_physics)

    def _curves(self, settings: Settings, steps: Array, dt: float | None = None) -> list[Curve]:
        simulation = self.subject.simulation(settings)
        unused = np.zeros(self.subject.tangent.size)
        return sample(self.subject, simulation, self.directions, steps, unused, dt=dt)


def _of_program(curve: Curve) -> tuple[float, float]:
    slope = curve.program()
    smooth = not (curve.jump() or curve.kink())
    return slope.value, slope.uncertainty if smooth else float("inf")


def _of_physics(curve: Curve) -> tuple[float, float]:
    slope = curve.program() if curve.boundary is None else curve.physics()
    return (float("nan"), float("inf")) if slope is None else (slope.value, slope.uncertainty)


def _slopes(curves: list[Curve], read: Callable[[Curve], tuple[float, float]]) -> Slopes:
    pairs = [read(curve) for curve in curves]
    return Slopes(value=[value for value, _ in pairs], uncertainty=[doubt for _, doubt in pairs])


def _and_change(best: Slopes, before: Slopes) -> Slopes:
    """The best, its uncertainty with what the last refinement changed."""
    triples = zip(best.value, before.value, best.uncertainty, strict=True)
    return Slopes(
        value=best.value,
        uncertainty=[doubt + abs(value - less) for value, less, doubt in triples],
    )


def _no_budget(subject: Subject) -> str:
    """Why the solver's budget is not varied."""
    if subject.knows(Knob.ITERATIONS) or subject.knows(Knob.TOLERANCE):
        try:
            subject.require_builds()
        except Unsupported as error:
            return str(error)
    return f"{subject.engine_name} has no knob 'iterations' or 'tolerance'"
