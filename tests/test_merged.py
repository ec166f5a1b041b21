"""Several audits as one report: nothing is lost or mixed, and what differs is told."""

from functools import cache
from pathlib import Path

import pytest

from gradcheck.engine import BadInput
from gradcheck.merged import Audit, differences, labels, merge
from gradcheck.report import Report, worst
from tests.reports import sample

COMMAND = "gradcheck compare old new"


@cache
def report() -> Report:
    return sample.report(engines=("exact", "differences"))


def changed(made: Report, **provenance: object) -> Report:
    """The report of another machine or version."""
    return made.model_copy(update={"provenance": made.provenance.model_copy(update=provenance)})


def test_equal_engines_get_their_audit_s_label_and_stand_side_by_side() -> None:
    other = sample.report(engines=("exact", "silent"), testbeds=("bounce",))
    made = merge([Audit("old", report()), Audit("new", other)], COMMAND)
    assert made.summary.engines == ["exact (old)", "exact (new)", "differences", "silent"]
    assert len(made.findings) == len(report().findings) + len(other.findings)
    assert len(made.jobs) == len(report().jobs) + len(other.jobs)
    assert made.summary.measured == report().summary.measured + other.summary.measured
    assert made.summary.verdict == worst([report().summary.verdict, other.summary.verdict])
    for evidence in made.evidence:
        assert {artifact.engine for artifact in evidence.artifacts} == {evidence.engine}
    of_old = [one for one in made.findings if one.engine == "exact (old)"]
    theirs = [one for one in report().findings if one.engine == "exact"]
    assert [(one.code, one.testbed, one.verdict) for one in of_old] == [
        (one.code, one.testbed, one.verdict) for one in theirs
    ]


def test_other_engines_keep_their_names() -> None:
    first = sample.report(engines=("exact",))
    second = sample.report(engines=("flipped",))
    made = merge([Audit("a", first), Audit("b", second)], COMMAND)
    assert made.summary.engines == ["exact", "flipped"]


def test_no_two_engines_are_mixed_even_under_misleading_names() -> None:
    first = sample.report(engines=("exact", "silent"), rename={"exact": "m", "silent": "m (b)"}.get)  # type: ignore[arg-type]
    second = sample.report(engines=("exact",), rename=lambda name: "m")
    made = merge([Audit("a", first), Audit("b", second)], COMMAND)
    assert len(set(made.summary.engines)) == 3
    assert len({(job.engine, job.testbed) for job in made.jobs}) == len(made.jobs)


def test_what_was_not_run_is_kept_once() -> None:
    made = merge([Audit("old", report()), Audit("new", report())], COMMAND)
    newton = [one for one in made.summary.not_run if one.engine.startswith("newton")]
    assert [one.engine for one in newton] == ["newton (old)", "newton (new)"]
    assert len(made.summary.not_run) == 2 * len(report().summary.not_run)


def test_circumstances_go_by_label_where_they_differ() -> None:
    versions = {**report().provenance.versions, "jax": "0.11.0"}
    del versions["mujoco"]
    other = changed(report(), versions=versions, seed=7, platform="macOS", cores=8)
    audits = [Audit("old", report()), Audit("new", other)]
    told = merge(audits, COMMAND).provenance
    assert told.command == COMMAND
    assert told.versions["gradcheck"] == "0.1.0"
    assert told.versions["jax"] == "old: 0.10.2; new: 0.11.0"
    assert told.versions["mujoco"] == "old: 3.17.0; new: not told"
    assert told.platform == "old: Linux x86_64; new: macOS"
    assert told.settings["seeds"] == "old: 0; new: 7"
    assert told.settings["all cores"] == "old: 2; new: 8"
    assert told.settings["limits"] == "default"
    assert told.settings["audit old"] == "gradcheck audit --out audit"
    assert {one.what: one.values for one in differences(audits)} == {
        "version of jax": ("0.10.2", "0.11.0"),
        "version of mujoco": ("3.17.0", "not told"),
        "seed": ("0", "7"),
        "platform": ("Linux x86_64", "macOS"),
        "cores": ("2", "8"),
    }


def test_another_limit_is_a_difference() -> None:
    checks = dict(report().checks)
    checks["GC201"] = checks["GC201"].model_copy(update={"limit": "none"})
    other = report().model_copy(update={"checks": checks})
    found = differences([Audit("old", report()), Audit("new", other)])
    assert [(one.what, one.values[1]) for one in found] == [("limit of GC201", "none")]


def test_the_same_circumstances_have_no_differences() -> None:
    later = changed(report(), started="2027-01-01T00:00:00Z", command="other")
    assert differences([Audit("old", report()), Audit("new", later)]) == []


def test_a_merged_report_is_a_report(tmp_path: Path) -> None:
    made = merge([Audit("old", report()), Audit("new", report())], COMMAND)
    made.save(tmp_path / "report.json")
    again = Report.load(tmp_path / "report.json")
    assert again.model_dump_json() == made.model_dump_json()


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["old", "new"], ["old", "new"]),
        (["old/report.json", "new/report.json"], ["old", "new"]),
        (["a/out", "b/out"], ["a/out", "b/out"]),
        (["x.json", "y.json"], ["x", "y"]),
        (["same", "same"], ["same #1", "same #2"]),
    ],
)
def test_labels_are_the_ends_of_paths_that_tell_them_apart(
    paths: list[str], names: list[str], tmp_path: Path
) -> None:
    for path in paths:
        if not path.endswith(".json"):
            (tmp_path / path).mkdir(parents=True, exist_ok=True)
    assert labels([tmp_path / path for path in paths]) == names


def test_labels_as_given() -> None:
    paths = [Path("a"), Path("b")]
    assert labels(paths, ["one", "two"]) == ["one", "two"]
    with pytest.raises(BadInput, match="2 audits, 1 labels"):
        labels(paths, ["one"])
    with pytest.raises(BadInput, match="'one' is given twice"):
        labels(paths, ["one", "one"])
