"""`gradcheck.experiments.target`: fits end where algebra says, and each bad one by its name."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from gradcheck.engine import Array, BadInput, Knob, Unsupported
from gradcheck.experiments.target import Experiment
from gradcheck.experiments.target_answer import answer
from gradcheck.experiments.target_descent import descend
from gradcheck.experiments.target_record import Fit, Origin, Outcome, Search, Target
from gradcheck.experiments.target_table import lines
from gradcheck.reports.experiment import write
from gradcheck.reports.target import page
from gradcheck.scene import Mjcf
from tests.checks.made_up import PROVENANCE
from tests.experiments.quick import ADJOINT, EXACT, TESTBED, TRUTH, Quick, Spoil

SEARCH = Search(seeds=6, updates=240)
CLOSE = 2e-4


def experiment(
    exact: Quick = EXACT,
    other: Quick = ADJOINT,
    parameters: tuple[str, ...] = ("p",),
    search: Search = SEARCH,
) -> Experiment:
    return Experiment(TESTBED, exact, other, parameters, search)


def record(run: Experiment, budgets: list[int]) -> Target:
    return Target(
        testbed="quick",
        command="gradcheck experiment target",
        provenance=PROVENANCE,
        exact=run.exact.card.name,
        other=run.other.card.name,
        parameters=list(run.parameters),
        budgets=budgets,
        dt=0.1,
        steps=1,
        search=run.search,
        left_out=run.left_out,
        curvature=run.motions.curvature,
        unconverged=run.motions.unconverged,
        fits=[fit for fits in run.fits(budgets) for fit in fits],
    )


@pytest.fixture(scope="module")
def found() -> Target:
    return record(experiment(), [1, 3])


def ends(iterations: int, origin: Origin) -> tuple[float, float]:
    """p / p* by the exact derivative and by the other."""
    part = 1 - 0.5**iterations
    aim = {Origin.SAME: part, Origin.CONVERGED: 1.0, Origin.CONTINUOUS: TRUTH}[origin]
    return (1 + aim * part) / (1 + part**2), (1 + aim) / (1 + part)


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize("origin", Origin)
def test_fits_end_where_algebra_says(found: Target, iterations: int, origin: Origin) -> None:
    for engine, end in zip((found.exact, found.other), ends(iterations, origin), strict=True):
        fits = found.of(engine, iterations, origin)
        assert [fit.seed for fit in fits] == list(range(SEARCH.seeds))
        assert {fit.outcome for fit in fits} == {Outcome.SETTLED}
        assert [fit.error for fit in fits] == pytest.approx([abs(np.log(end))] * 6, abs=CLOSE)


def test_the_loss_left_is_that_of_the_same_units(found: Target) -> None:
    run = experiment()
    true, start = (np.exp(one[:, 0]) for one in run.draws)

    def loss(p: Array) -> Array:
        found: Array = (0.5 * p - true) ** 2 + (p - true) ** 2
        return found

    expected = loss(1.2 * true) / loss(start)
    fits = found.of("quick:exact", 1, Origin.CONVERGED)
    assert [fit.left for fit in fits] == pytest.approx(list(expected), rel=1e-3)


def test_it_tells_how_far_a_gradient_is_off(found: Target) -> None:
    assert all(f.off is not None and f.off < 1e-6 for f in found.of("quick:exact", 1, Origin.SAME))
    # At the truth itself both agree; away from it x counts twice what it should, p as it should.
    off = [fit.off for fit in found.of("quick:adjoint", 1, Origin.SAME)]
    assert off == pytest.approx([(0.5 + 1) / (0.25 + 1) - 1] * 6, rel=1e-4)


def test_the_answer_is_made_of_the_numbers(found: Target) -> None:
    told = answer(found)
    ratio = np.log(4 / 3) / np.log(1.2)
    # Every seed has the same ratio: intervals have no width.
    assert any(
        one.startswith(
            "Target of the converged solver, error of the parameters: smaller with the "
            f"exact derivative at k = 1 ({ratio:.3g} times [{ratio:.3g}, {ratio:.3g}])"
        )
        for one in told
    )
    assert any("Target of the same k iterations, error of the parameters: alike" in o for o in told)
    both = "it depends on the solver's budget ("
    assert both in told[0]
    assert "it depends on where the target came from (k = 1; k = 3)" in told[0]


def test_few_seeds_tell_nothing(found: Target) -> None:
    few = found.model_copy(
        update={
            "search": SEARCH.model_copy(update={"seeds": 5}),
            "fits": [fit for fit in found.fits if fit.seed < 5],
        }
    )
    assert answer(few) == [
        "5 seeds give no 95 % interval of a median: nothing can be told; give --seeds 6 or more."
    ]
    assert not any("[" in cell for line in lines(few, list(Origin)) for cell in line)


def test_more_seeds_leave_the_first_as_they_were() -> None:
    few, many = (experiment(search=Search(seeds=n, updates=1)).draws for n in (2, 9))
    assert np.array_equal(few[0], many[0][:2])
    assert np.array_equal(few[1], many[1][:2])


def lost(p: float, value: float, slope: float) -> tuple[float, float]:
    return value, slope if 2.7 < p < 4.5 else float("nan")


def unstable(p: float, value: float, slope: float) -> tuple[float, float]:
    return float("inf"), slope


def still(p: float, value: float, slope: float) -> tuple[float, float]:
    return value, 0.0


def test_a_gradient_of_nothing_settles_nowhere() -> None:
    made = record(
        experiment(other=Quick(False, spoil=still), search=Search(seeds=2, updates=3)), [1]
    )
    ends = {fit.outcome for fit in made.of("quick:adjoint", 1, Origin.CONVERGED)}
    assert ends == {Outcome.UNSETTLED}


def broken(p: float, value: float, slope: float) -> tuple[float, float]:
    if slope:
        raise RuntimeError("out of order")
    return value, slope


@pytest.mark.parametrize(
    ("spoil", "outcome"),
    [(lost, Outcome.DIVERGED), (unstable, Outcome.UNSTABLE), (broken, Outcome.FAILED)],
)
def test_a_fit_without_an_end_is_told_and_never_a_nan(
    spoil: Spoil, outcome: Outcome, tmp_path: Path
) -> None:
    run = experiment(other=Quick(False, spoil=spoil), search=Search(seeds=6, updates=240))
    made = record(run, [1])
    fits = [fit for fit in made.fits if fit.engine == "quick:adjoint"]
    assert outcome in {fit.outcome for fit in fits}
    for fit in fits:
        if fit.outcome is outcome:
            assert (fit.loss, fit.errors) == (None, {})
    assert {f.outcome for f in made.fits if f.engine == "quick:exact"} == {Outcome.SETTLED}
    made.save(tmp_path / "target.json")
    write(page(made), tmp_path / "target.html")
    for name in ("target.json", "target.html"):
        assert "nan" not in (tmp_path / name).read_text(encoding="utf-8").lower().split()
    assert Target.model_validate_json((tmp_path / "target.json").read_text()) == made
    text = "\n".join([*answer(made), *(" ".join(line) for line in lines(made, list(Origin)))])
    assert "nan" not in text.lower()
    assert outcome in text


def test_a_search_that_leaves_its_box_ends_at_a_bound() -> None:
    made = record(experiment(search=Search(seeds=6, updates=60, bound=1.3, start=1.2)), [1])
    fits = made.of("quick:exact", 1, Origin.CONTINUOUS)
    assert Outcome.BOUND in {fit.outcome for fit in fits}
    assert any("at a bound or without an end" in one for one in answer(made))


def test_a_search_stays_in_its_box_and_a_lost_one_harms_no_other() -> None:
    low, high = np.array([-1.0]), np.array([2.0])

    def ask(x: Array) -> tuple[Array, Array]:
        aims = np.array([[0.5], [5.0], [np.nan]])
        return ((x - aims) ** 2)[:, 0], 2 * (x - aims)

    found = descend(ask, np.zeros((3, 1)), low, high, 300, (0.1, 1e-5))
    assert found.alive.tolist() == [True, True, False]
    assert found.x[:, 0].tolist() == pytest.approx([0.5, 2.0, 0.0], abs=1e-4)


def test_without_a_truth_its_target_is_left_out() -> None:
    bare = dataclasses.replace(TESTBED, truth=None)
    run = Experiment(bare, EXACT, ADJOINT, ("p",), Search(seeds=2, updates=2))
    assert run.left_out == {Origin.CONTINUOUS: "testbed quick has no reference for its motion"}
    assert {fit.origin for fits in run.fits([1]) for fit in fits} == {
        Origin.SAME,
        Origin.CONVERGED,
    }


class Limited(Quick):
    def simulate(self, testbed, settings):  # type: ignore[no-untyped-def]
        if settings.iterations > 8:
            raise Unsupported("at most 8")
        return super().simulate(testbed, settings)


def doubled(p: float, value: float, slope: float) -> tuple[float, float]:
    return value, 2 * slope


class Further(Quick):
    """Its forward map is another."""

    def simulate(self, testbed, settings):  # type: ignore[no-untyped-def]
        return super().simulate(testbed, settings.model_copy(update={"iterations": 5}))


@pytest.mark.parametrize(
    ("engines", "parameters", "text"),
    [
        ((EXACT, ADJOINT), ("mass",), "no input 'mass' (it has: p, twin, idle, pair, below)"),
        ((EXACT, ADJOINT), ("pair",), "'pair' of quick is not one positive number"),
        ((EXACT, ADJOINT), ("below",), "'below' of quick is not one positive number"),
        ((EXACT, ADJOINT), ("idle",), "do not move with idle: fit another --parameter"),
        ((EXACT, ADJOINT), ("p", "twin"), "does not tell p and twin apart"),
        ((EXACT, Quick(False, (Knob.STEPS,))), ("p",), "quick:adjoint has no knob 'iterations'"),
        ((EXACT, EXACT), ("p",), "both engines are named quick:exact"),
        ((ADJOINT, EXACT), ("p",), "it is of the converged equation: name the engine with"),
        ((EXACT, Further(False)), ("p",), "have not the same loss at k = 1"),
        ((EXACT, ADJOINT), ("p", "p"), "--parameter p is given twice"),
        ((Limited(True), ADJOINT), ("p",), "quick:exact does not run 64 iterations (at most 8)"),
        ((Quick(True, spoil=doubled), ADJOINT), ("p",), "quick:exact is off by 1 from differences"),
    ],
)
def test_bad_input_is_named(
    engines: tuple[Quick, Quick], parameters: tuple[str, ...], text: str
) -> None:
    with pytest.raises(BadInput) as told:
        list(experiment(*engines, parameters, Search(seeds=2, updates=1)).fits([1]))
    assert text in str(told.value)


def test_an_articulated_scene_is_refused() -> None:
    made = dataclasses.replace(TESTBED, scenes=(Mjcf("<mujoco/>", {}),))
    with pytest.raises(BadInput, match="MJCF, whose outputs are fixed"):
        Experiment(made, EXACT, ADJOINT, ("p",), Search(seeds=2, updates=1))


def fit(engine: str, seed: int, error: float | None) -> Fit:
    return Fit(
        engine=engine,
        iterations=1,
        origin=Origin.SAME,
        seed=seed,
        outcome=Outcome.DIVERGED if error is None else Outcome.SETTLED,
        errors={} if error is None else {"p": error},
        start=1.0,
        loss=None if error is None else error**2,
        off=0.1,
    )


def of_errors(exact: list[float | None], other: list[float | None]) -> str:
    """The sentence about the error of one target at one budget."""
    fits = [fit("a", seed, error) for seed, error in enumerate(exact)]
    fits += [fit("b", seed, error) for seed, error in enumerate(other)]
    made = Target(
        testbed="t",
        command="c",
        provenance=PROVENANCE,
        exact="a",
        other="b",
        parameters=["p"],
        budgets=[1],
        dt=1.0,
        steps=1,
        search=Search(seeds=len(exact), updates=1),
        left_out={},
        curvature=(1.0, 1.0),
        unconverged=0.0,
        fits=fits,
    )
    return next(one for one in answer(made) if one.startswith("Target of the same k iterations, e"))


def test_an_interval_around_one_cannot_be_told_apart() -> None:
    assert "cannot be told apart" in of_errors([0.1] * 8, [0.01, 1.0] * 4)


def test_a_fit_without_an_end_counts_as_the_worst() -> None:
    assert "exact derivative at k = 1 (5 times [5, 5])" in of_errors([0.1] * 7, [0.5] + [None] * 6)


@pytest.mark.parametrize(("exact", "other"), [([None] * 7, [0.1] * 7), ([0.1] * 7, [None] * 7)])
def test_without_an_end_there_is_no_ratio(
    exact: list[float | None], other: list[float | None]
) -> None:
    said = of_errors(exact, other)
    assert said.endswith(": not compared, as no fit of one of them has an end, at k = 1.")


def test_errors_below_the_last_step_count_as_alike() -> None:
    assert "alike within 5 %" in of_errors([1e-12] * 7, [9e-6] * 7)
