"""What is said of the referent that was observed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gradcheck.checks.gc101_referent import _compare
from gradcheck.checks.observed_referent import Observed, observed
from gradcheck.engine import AbstractSimulation, Knob, Settings, Unsupported
from gradcheck.finding import Verdict
from gradcheck.measure.referents import measure
from gradcheck.taxonomy import Referent
from gradcheck.testbed import Input, Testbed, Truth
from tests.checks import made_up
from tests.measure.toys import Toy, bed, subject


def test_how_much_nearer_counts_against_the_named_one_only() -> None:
    """The gradient is as far from the other two as they are from each other, or farther: what
    these do between themselves says nothing of it."""
    seen = observed(made_up.referents(in_use=8, continuous=1.5), 1e-5)
    assert seen.referent is Referent.EXECUTED
    between = next(pair for pair in seen.pairs if pair.one is Referent.CONVERGED)
    assert between.nearer < 1e3
    assert seen.nearer > 1e6


def test_nothing_named_is_not_near() -> None:
    assert math.isnan(observed(made_up.referents(lambda k: 3.0), 1e-5).nearer)


@pytest.mark.parametrize(
    ("gradient", "possible"),
    [
        (lambda k: 1 - 0.5**k, (Referent.EXECUTED,)),
        (lambda k: 1.0, (Referent.CONVERGED,)),
        (lambda k: 1.5, (Referent.CONTINUOUS,)),
        (lambda k: -1.0, ()),
        # halfway between the program and the equation
        (lambda k: 1 - 0.5 ** (k + 1), ()),
    ],
)
def test_named_or_none(gradient: object, possible: tuple[Referent, ...]) -> None:
    assert callable(gradient)
    artifact = made_up.referents(gradient, in_use=3, continuous=1.5)
    assert observed(artifact, 1e-5).possible == possible


EXECUTED, CONVERGED, CONTINUOUS = Referent
LINE = bed(Input("a", np.array([0.7]), scale=1.0))
STEEP = bed(
    Input("a", np.array([0.7]), scale=1.0),
    truth=Truth("closed form", lambda i: 3 * i["a"], lambda i: {"a": np.array([[3.0]])}),
)
TRUE = bed(
    Input("a", np.array([0.7]), scale=1.0),
    truth=Truth("closed form", lambda i: i["a"], lambda i: {"a": np.array([[1.0]])}),
)
FEW = 2
"""Iterations in use."""


@dataclass(frozen=True)
class Told:
    """An engine z <- z + rate (a - z), whose loss is (1 - (1 - rate)^k) a, or has the slope `of` k,
    and what is told of a gradient that is `gradient` of the loss's slope and of k."""

    name: str
    gradient: Callable[[float, int], float]
    says: str
    rate: float = 0.5
    in_use: int = FEW
    most: int = 1000
    testbed: Testbed = LINE
    verdict: Verdict = Verdict.NOT_APPLICABLE
    stated: Referent = EXECUTED
    of: Callable[[int], float] | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def seen(self) -> Observed:
        """What is observed of the engine."""

        def count(settings: Settings) -> int:
            return settings.iterations or self.in_use

        def slope(k: int) -> float:
            return float(1 - (1 - self.rate) ** k) if self.of is None else self.of(k)

        def grad(batch: Any, s: Settings) -> Any:
            return {"a": np.full_like(batch["a"], self.gradient(slope(count(s)), count(s)))}

        class Limited(Toy):
            def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
                if count(settings) > most:
                    raise Unsupported(f"at most {most} iterations here")
                return super().simulate(testbed, settings)

        most = self.most
        engine = Limited(
            lambda batch, s: slope(count(s)) * batch["a"][:, 0], grad, knobs=(Knob.ITERATIONS,)
        )
        return observed(measure(subject(engine, self.testbed)), 1e-5)


TOLD = (
    # Converges slowly: at 65 iterations its reference is far from converged.
    Told("twice the slope", lambda slope, k: 2 * slope, "not converged", 0.01, 32),
    Told("twice, with a truth", lambda slope, k: 2 * slope, "not converged", 0.01, 32, 1000, STEEP),
    Told("adjoint of a slow solver", lambda slope, k: 1.0, "not converged", 0.01, 32, 1000, STEEP),
    Told(
        "adjoint of a slow solver, declared",
        lambda slope, k: 1.0,
        "no measurement reached: not converged: the same with iterations 67 is known to",
        0.01,
        32,
        stated=CONVERGED,
    ),
    # Right at other budgets than the one in use.
    Told("NaN in use", lambda slope, k: math.nan if k == FEW else slope, "not finite"),
    Told(
        "adjoint, NaN in use",
        lambda slope, k: math.nan if k == FEW else 1.0,
        "not finite",
        stated=CONVERGED,
    ),
    Told(
        "adjoint, flipped in use",
        lambda slope, k: -1.0 if k == FEW else 1.0,
        "follows the converged equation at other settings, but is 2 off it",
        stated=CONVERGED,
    ),
    Told(
        "adjoint, 1.6 times in use",
        lambda slope, k: 1.6 if k == FEW else 1.0,
        "follows the converged equation at other settings, but is 0.6 off it",
        stated=CONVERGED,
    ),
    Told(
        "exact, 1.5 times in use",
        lambda slope, k: 1.5 * slope if k == FEW else slope,
        "follows the executed computation at other settings, but is 0.5 off it",
    ),
    # What was not measured is not ruled out.
    Told(
        "adjoint of few iterations only",
        lambda slope, k: 1.0,
        "which no measurement reached: at most 8 iterations here",
        most=8,
        stated=CONVERGED,
    ),
    Told(
        "exact of few iterations only, declared converged",
        lambda slope, k: slope,
        "which no measurement reached: at most 8 iterations here",
        most=8,
        stated=CONVERGED,
    ),
    Told(
        "wrong, and most is not measured",
        lambda slope, k: 3 * slope,
        "does not follow the executed computation; converged equation not measured: at most 8",
        most=8,
    ),
    Told("wrong", lambda slope, k: 3 * slope, "follows no reference", testbed=STEEP),
    # Coincidences.
    Told(
        "twice exact, as much as converged in use",
        lambda slope, k: 2 * slope,
        "agrees with the converged equation at the setting in use, but not where",
        in_use=1,
    ),
    Told("1.1 times exact", lambda slope, k: 1.1 * slope, "0.23 off it", 0.7, 1),
    Told(
        "an adjoint that is exact at the first budget",
        lambda slope, k: {1: slope, 2: 1.3, 4: 0.9}.get(k, 1.0),
        "not contradicted",
        in_use=60,
        stated=CONVERGED,
        verdict=Verdict.PASS,
    ),
    Told(
        "now the one, now the other",
        lambda slope, k: {1: slope, 2: 0.9}.get(k, 1.0),
        "follows now the executed computation, now the converged equation",
        stated=CONVERGED,
    ),
    # A truth that is the converged equation.
    Told(
        "adjoint, declared continuous",
        lambda slope, k: 1.0,
        "coincide here",
        testbed=TRUE,
        stated=CONTINUOUS,
        verdict=Verdict.PASS,
    ),
    Told(
        "a solver that stops close by",
        lambda slope, k: 1.0,
        "coincide here",
        in_use=50,
        testbed=TRUE,
        stated=CONVERGED,
        verdict=Verdict.PASS,
        of=lambda k: 1 - max(0.5**k, 1e-7),
    ),
    # Budgets that change little and are far from converged.
    Told(
        "a slow part",
        lambda slope, k: 2.0,
        "not converged",
        in_use=20,
        testbed=STEEP,
        stated=CONVERGED,
        of=lambda k: 2 - 0.3**k - 0.5 * (1 - 3e-4) ** k,
    ),
    Told(
        "slower than any rate",
        lambda slope, k: 1.0,
        "the solver is not converged at the budget in use",
        in_use=300,
        testbed=TRUE,
        stated=CONVERGED,
        verdict=Verdict.FAIL,
        of=lambda k: 1 - 0.02 / float(np.sqrt(k)),
    ),
    Told(
        "three states in turn",
        lambda slope, k: 1.0,
        "not converged",
        testbed=TRUE,
        stated=CONVERGED,
        of=lambda k: 1 + float(np.sin(2 * np.pi * k / 3)),
    ),
    # And what holds.
    Told(
        "exact",
        lambda slope, k: slope,
        "observed: executed computation",
        testbed=STEEP,
        verdict=Verdict.PASS,
    ),
    Told(
        "adjoint",
        lambda slope, k: 1.0,
        "observed: converged equation",
        testbed=STEEP,
        stated=CONVERGED,
        verdict=Verdict.FAIL,
    ),
    Told(
        "adjoint of a solver that converges",
        lambda slope, k: 1.0,
        "observed: converged equation",
        in_use=60,
        testbed=STEEP,
        stated=CONVERGED,
        verdict=Verdict.PASS,
    ),
)


@pytest.mark.parametrize("case", TOLD, ids=str)
def test_told_of_an_engine(case: Told) -> None:
    seen = case.seen
    verdict, said = _compare(case.stated, seen)
    assert verdict is case.verdict, seen.told
    assert case.says in f"{said} ({seen.told})"
    named = case.says.removeprefix("observed: ")
    assert seen.referent == (named if named in list(Referent) else None)
    assert "nan" not in seen.told


def test_what_was_not_measured_is_not_named() -> None:
    """Left over, as it could not be had, is not followed."""
    slow = next(case for case in TOLD if case.name == "adjoint of few iterations only").seen
    assert slow.followed == ()
    assert CONVERGED in slow.possible
    assert EXECUTED not in slow.possible


def test_a_cycle_of_the_solver_is_no_convergence() -> None:
    """z <- 1.2 a - z: every even budget is like any other."""
    case = Told("cycle", lambda slope, k: slope, "", rate=2.0)
    assert "not converged" in case.seen.unmeasured[CONVERGED]


def test_newton_converges_too_soon_for_most_settings_to_tell() -> None:
    """Over many steps an adjoint is near to neither reference; one step tells, at one budget."""
    few = made_up.referents(lambda k: 1 + 1.5 * 0.5**k, in_use=1, continuous=1.5, budgets=(1, 2, 3))
    one = few.rows[1].model_copy(update={"steps": 1})
    exact = one.references[CONVERGED].value
    one = one.model_copy(update={"gradient": exact})
    del (references := dict(one.references))[CONTINUOUS]
    rows = [*few.rows, one.model_copy(update={"references": references})]
    assert CONVERGED not in observed(few, 1e-5).followed
    assert observed(few.model_copy(update={"rows": rows}), 1e-5).followed == ()
    near = few.rows[0].model_copy(update={"gradient": [1.2 * x for x in exact]})
    rows[0] = near
    assert observed(few.model_copy(update={"rows": rows}), 1e-5).followed == (CONVERGED,)


def test_a_program_that_was_not_measured_is_not_held_against_a_card() -> None:
    """Noise of the few iterations in use: whether they converged is not known."""

    def loss(batch: Any, s: Settings) -> Any:
        noise = 1e-2 * np.sin(1e9 * batch["a"][:, 0]) if (s.iterations or 8) < 16 else 0.0
        return batch["a"][:, 0] + noise

    engine = Toy(loss, lambda batch, s: {"a": np.ones_like(batch["a"])}, knobs=(Knob.ITERATIONS,))
    seen = observed(measure(subject(engine, LINE)), 1e-5)
    assert "executed computation not measured" in seen.told
    assert not seen.unconverged


PAIR = bed(
    Input("a", np.array([0.7]), scale=1.0),
    Input("b", np.array([0.3]), scale=1.0),
    truth=Truth("of a alone", lambda i: i["a"] + i["b"], lambda i: {"a": np.array([[1.0]])}),
)


def test_a_truth_of_one_input_hides_no_other() -> None:
    def engine(of_b: float) -> Toy:
        return Toy(
            lambda batch, s: (1 - 0.5 ** (s.iterations or FEW)) * (batch["a"] + batch["b"])[:, 0],
            lambda batch, s: {
                name: np.full_like(batch[name], factor * (1 - 0.5 ** (s.iterations or FEW)))
                for name, factor in (("a", 1.0), ("b", of_b))
            },
            knobs=(Knob.ITERATIONS,),
        )

    assert observed(measure(subject(engine(1.0), PAIR)), 1e-5).referent is EXECUTED
    assert observed(measure(subject(engine(-7.0), PAIR)), 1e-5).possible == ()


def test_one_setting_tells_nothing_of_others() -> None:
    engine = Toy(
        lambda batch, s: batch["a"][:, 0] / 2,
        lambda batch, s: {"a": np.full_like(batch["a"], 1.001 / 2)},
        knobs=(),
    )
    told = observed(measure(subject(engine, TRUE)), 1e-5).told
    assert "other settings" not in told
    assert "neither the executed computation nor the continuous dynamics" in told
