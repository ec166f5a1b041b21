"""Where the measurements of several testbeds put an engine together."""

import pytest

from gradcheck.finding import Finding, Verdict
from gradcheck.reports.observed import Observed, observed
from gradcheck.reports.table import table
from gradcheck.taxonomy import Realization, Referent
from tests.reports.sample import report

E, C, K = Referent
GENERATED = Realization.GENERATED


def seen(*told: tuple[str, tuple[str, ...] | None]) -> Observed:
    findings = [
        Finding(
            code=code,
            engine="exact",
            testbed=f"bed {place}",
            verdict=Verdict.PASS,
            message="",
            observed=names,
        )
        for place, (code, names) in enumerate(told)
    ]
    return observed(report().model_copy(update={"findings": findings}), "exact")


@pytest.mark.parametrize(
    ("told", "referents", "missing"),
    [
        ([("GC101", (E, C)), ("GC101", (E, K)), ("GC102", (GENERATED,))], (E,), ""),
        ([("GC101", (E, C)), ("GC101", ())], (E, C), "observed: cannot be told"),
        ([("GC101", ()), ("GC102", (GENERATED,))], (), "observed: the gradient follows no"),
        ([("GC101", (E,)), ("GC101", (C,))], (), "observed: the gradient follows no"),
        ([("GC101", None)], None, "observed: the referent was not measured"),
        ([("GC101", (C,))], (C,), "observed: converged equation; how it is made was not shown"),
    ],
)
def test_what_no_testbed_rules_out_is_left(
    told: list[tuple[str, tuple[str, ...] | None]],
    referents: tuple[Referent, ...] | None,
    missing: str,
) -> None:
    found = seen(*told)
    assert found.referents == referents
    assert found.missing.startswith(missing)
    assert bool(found.missing) == bool(missing)


def test_every_engine_with_a_card_stands_once_as_stated_and_is_told_as_observed() -> None:
    made = table(report())
    every = [one for _, cells in made.rows for cell in cells for one in cell.engines]
    every += [one for _, cell in made.outside for one in cell.engines]
    for engine in {one.engine for one in every}:
        said = [one.said for one in every if one.engine == engine]
        assert said.count("stated") == 1
