"""An audit as a whole: what is judged and what is written."""

import json
from pathlib import Path
from typing import Any

import pytest

import gradcheck
from gradcheck import runner
from gradcheck.engine import BadInput
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.report import Status, exit_code
from gradcheck.runner import Request, audit

ENGINES = Path(__file__).parent / "engines" / "misbehaving.py"
GOOD, BOWL = f"{ENGINES}:Good", f"{ENGINES}:BOWL"


def test_a_check_that_raises_is_told_and_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(evidence: Evidence, codes: object) -> list[Finding]:
        raise ZeroDivisionError("in a check")

    monkeypatch.setattr(runner, "judge", judge)
    report = audit(Request(engines=[GOOD], testbeds=[BOWL], codes=["GC206"], out=tmp_path))
    assert report.jobs[0].status is Status.CRASHED
    assert "judging failed, please report this: ZeroDivisionError" in report.jobs[0].reason
    assert report.summary.measured > 0
    assert exit_code(report) == 1
    assert "in a check" in (tmp_path / "logs" / "judge.log").read_text()


def test_only_what_the_chosen_checks_need_is_measured(tmp_path: Path) -> None:
    report = gradcheck.audit([GOOD], [BOWL], codes=["gc205"], out=tmp_path)
    assert {one.code for one in report.findings} == {"GC205"}
    assert [one.kind for one in report.evidence[0].artifacts] == ["basics", "agreement"]
    (left_out,) = [one for one in report.summary.not_run if not one.measurement]
    assert left_out.reason.startswith("GC205 alone were asked for, which do not need probes, ")
    assert not left_out.error


def test_a_check_that_needs_no_measurement_has_a_verdict(tmp_path: Path) -> None:
    report = gradcheck.audit([GOOD], [BOWL], codes=["GC701"], out=tmp_path)
    assert report.summary.verdict is Verdict.PASS
    assert [one.kind for one in report.evidence[0].artifacts] == ["basics"]


def test_times_by_stage(tmp_path: Path) -> None:
    report = gradcheck.audit([GOOD], [BOWL], codes=["GC206"], out=tmp_path)
    assert list(report.jobs[0].seconds) == ["set-up", "basics"]
    assert all(seconds > 0 for seconds in report.jobs[0].seconds.values())


def test_a_name_from_the_configuration(tmp_path: Path) -> None:
    """It is what the report shows; out lies beside the configuration."""
    (tmp_path / "project.toml").write_text(
        "[audit]\n"
        f'engines = ["bowl"]\ntestbeds = ["{BOWL}"]\ncodes = ["GC206"]\nseed = 7\nout = "found"\n'
        f'[engines.bowl]\ntarget = "{GOOD}"\n'
    )
    report = gradcheck.audit(config=tmp_path / "project.toml")
    assert report.summary.engines == ["bowl"]
    assert report.provenance.seed == 7
    assert json.loads((tmp_path / "found" / "report.json").read_text())
    other = gradcheck.audit(config=tmp_path / "project.toml", seed=8, out=tmp_path / "other")
    assert other.provenance.seed == 8


def test_the_interface_reads_no_configuration_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gradcheck.toml").write_text(f'[engines.bowl]\ntarget = "{GOOD}"\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match="unknown engine 'bowl'"):
        gradcheck.audit(["bowl"], [BOWL])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"profile": "fast"}, "unknown profile 'fast'; there are quick and full"),
        ({"codes": ["GC999"]}, "unknown check GC999"),
        ({"executor": "slurm"}, "unknown executor 'slurm'; there are local, dask=ADDRESS, ray"),
        ({"executor": "dask"}, "unknown executor 'dask'"),
        ({"executor": "local=2"}, "unknown executor 'local=2'"),
    ],
)
def test_bad_input_makes_no_folder(tmp_path: Path, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        gradcheck.audit([GOOD], [BOWL], out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
