"""An audit as a whole: what is written, what survives an interrupt, what a rerun replaces."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradcheck import runner
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding
from gradcheck.jobs.order import Order
from gradcheck.plan import DEFAULT_PLAN, plan
from gradcheck.report import Report, Status, exit_code
from gradcheck.runner import Request, audit, job_folder, prepare

ENGINES = Path(__file__).parent / "engines" / "misbehaving.py"


def order(engine: str, testbed: str = "drop") -> Order:
    return Order(engine=engine, testbed=testbed, measurements=(), seed=0, profile="quick")


def test_folders_of_jobs_are_safe_and_distinct(tmp_path: Path) -> None:
    names = [
        "mjx",
        "mjx:reverse",
        "a/b.py:C",
        "a-b.py:C",
        "../../evil",
        "x" * 9999,
        "x" * 9998,
        ":",
    ]
    folders = [job_folder(tmp_path, order(name)) for name in names]
    assert len(set(folders)) == len(names)
    for folder in folders:
        assert folder.parent.parent == tmp_path / "artifacts"
        assert len(folder.parent.name) < 100
        folder.mkdir(parents=True)
    assert job_folder(tmp_path, order("mjx:reverse")).parts[-2:] == ("mjx-reverse", "drop")


def test_the_default_plan_names_what_there_is() -> None:
    pairs = plan((), ())
    assert pairs == [(engine, one) for engine, names in DEFAULT_PLAN.items() for one in names]
    assert set(pairs) == {pair for engine, one in pairs for pair in plan([engine], [one])}


def test_families_and_repeats_in_a_plan() -> None:
    assert plan(["particles", "particles:toi"], ["wall"]) == [
        ("particles:ideal", "wall"),
        ("particles:toi", "wall"),
        ("particles:penalty", "wall"),
    ]
    assert [engine for engine, _ in plan((), ["wall"])] == list(DEFAULT_PLAN)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_audit_reports_what_it_has(tmp_path: Path, stop: signal.Signals) -> None:
    words = ["audit", f"{ENGINES}:HangsInBatches", "--testbed", f"{ENGINES}:BOWL"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gradcheck", *words, "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not list(tmp_path.glob("artifacts/*/*/basics.json")):
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    os.kill(process.pid, stop)
    _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert process.returncode == 1
    report = Report.load(tmp_path / "report.json")
    assert report.jobs[0].status is Status.INTERRUPTED
    assert "basics" in [artifact.kind for artifact in report.evidence[0].artifacts]
    assert (tmp_path / "report.html").exists()


def test_a_rerun_leaves_nothing_old(tmp_path: Path) -> None:
    one = order("good")
    folder = job_folder(tmp_path, one)
    folder.mkdir(parents=True)
    (folder / "sweep.json").write_text("old")
    (folder / "notes.txt").write_text("the user's own")
    prepare(tmp_path, [one])
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]


def test_a_check_that_raises_is_told_and_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judge(evidence: Evidence) -> list[Finding]:
        raise ZeroDivisionError("in a check")

    monkeypatch.setattr(runner, "judge", judge)
    engines = [f"{ENGINES}:Good"]
    report = audit(Request(engines=engines, testbeds=[f"{ENGINES}:BOWL"], out=tmp_path))
    assert report.jobs[0].status is Status.CRASHED
    assert "judging failed, please report this: ZeroDivisionError" in report.jobs[0].reason
    assert report.summary.measured > 0
    assert exit_code(report) == 1
    assert "in a check" in (tmp_path / "logs" / "judge.log").read_text()
