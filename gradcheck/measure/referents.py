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
BEYOND = 2
"""The converged equation is had from the last so many budgets, and one before: how what they change
falls says what is left to come."""
EARLIER = 4
ODD = 3
"""More iterations than twice as many: what is cyclic, of however many states, is no convergence."""
ORDERS = 1, 4
"""Of a time step's error."""
MARGIN = 3.0
"""How many times what an extrapolation moves by it may be off."""


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
        for value in values[:-BEYOND]
    ]


def _solver(subject: Subject) -> tuple[Knob | None, tuple[float, ...]]:
    """The knob of the solver's budget, and its values, the last two those that converge."""
    if subject.knows(Knob.ITERATIONS) and subject.budget.iterations:
        most = subject.budget.iterations[-1]
        return Knob.ITERATIONS, (*subject.budget.iterations[:-1], most, 2 * most + ODD)
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
        """Random ones through all inputs with a gradient; half of them through those that a truth
        knows, where it does not know all."""
        subject, truth = self.subject, self.subject.testbed.truth
        known = subject.names if truth is None else list(truth.jacobian(subject.nominal))
        told = [name for name in subject.names if name in known] or subject.names
        rng = subject.rng("referents")
        return [
            direction.joint(
                subject.tangent,
                told if 2 * k < DIRECTIONS else subject.names,
                rng,
                f"random {k + 1}",
            )
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
            before = values[-BEYOND] // EARLIER or 1 if knob is Knob.ITERATIONS else values[-3]
            least, less, most = (
                self.program(settings.model_copy(update={knob.value: value}))
                for value in (before, *values[-BEYOND:])
            )
        except (Unsupported, Diverged) as error:
            self.absent.setdefault(Referent.CONVERGED, str(error))
            return None
        self.made.setdefault(Referent.CONVERGED, f"the same with {knob} {values[-1]:g}")
        return _settled(most, less, least)

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
            parts, unknown = subject.tangent.parts, np.ones(subject.tangent.size, bool)
            for name in truth.jacobian(subject.nominal):
                unknown[parts[name]] = False
            return Slopes(
                value=[float(reference @ one.vector) for one in self.directions],
                uncertainty=[
                    float("inf")
                    if one.vector[unknown].any()
                    else float(uncertainty @ abs(one.vector))
                    for one in self.directions
                ],
            )
        if not _refinable(subject):
            self.absent[Referent.CONTINUOUS] = (
                f"testbed {subject.testbed.name} has no closed form, and its time step is not "
                "refined here"
            )
            return None
        finest = 2**subject.budget.refinements
        try:
            levels = [self._refined(one) for one in (finest // 4, finest // 2, finest)]
        except (Unsupported, Diverged) as error:
            self.absent[Referent.CONTINUOUS] = str(error)
            return None
        self.made[Referent.CONTINUOUS] = f"the engine at dt / {finest}, extrapolated to dt 0"
        return _extrapolated(*levels)

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


def _settled(most: Slopes, less: Slopes, least: Slopes) -> Slopes:
    """That of most iterations, its uncertainty with what is still to come.

    Budgets 2 n, n and n / 4 of an error that falls as k^-p change the slope by c and c (u² + u), of
    u = 2^p, and leave c / (u - 1). One that falls faster leaves less; one that does not fall, all.
    """
    best, middle, early = (np.asarray(one.value) for one in (most, less, least))
    doubt = np.asarray(most.uncertainty) + np.asarray(less.uncertainty)
    last, first = np.abs(best - middle), np.abs(middle - early)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = (np.sqrt(1 + 4 * first / last) - 1) / 2
        left = np.where(u > 1, last * np.maximum(1.0, 1 / (u - 1)), last + np.abs(best))
    # What moves by no more than its own noise has settled.
    left = np.where(last <= doubt, last, left)
    return Slopes(value=most.value, uncertainty=(np.asarray(most.uncertainty) + left).tolist())


def _extrapolated(coarse: Slopes, middle: Slopes, fine: Slopes) -> Slopes:
    """To a time step of 0, from three that are halved: Richardson's, of the order that the three
    show. Uncertain by a multiple of what the same from the first two would have been off."""
    first, second, third = (np.asarray(one.value) for one in (coarse, middle, fine))
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.log2(np.abs(second - first) / np.abs(third - second))
    order = np.clip(np.round(np.where(np.isfinite(order), order, ORDERS[1])), *ORDERS)
    before, after = (
        late + (late - early) / (2**order - 1) for early, late in ((first, second), (second, third))
    )
    own = np.asarray(fine.uncertainty) + np.asarray(middle.uncertainty)
    # Never surer than by a part of what was extrapolated.
    doubt = 2 * own + np.maximum(MARGIN * np.abs(after - before), np.abs(after - third) / 10)
    return Slopes(value=after.tolist(), uncertainty=doubt.tolist())


def _no_budget(subject: Subject) -> str:
    """Why the solver's budget is not varied."""
    if subject.knows(Knob.ITERATIONS) or subject.knows(Knob.TOLERANCE):
        try:
            subject.require_builds()
        except Unsupported as error:
            return str(error)
    return f"{subject.engine_name} has no knob 'iterations' or 'tolerance'"
