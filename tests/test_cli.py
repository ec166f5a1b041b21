"""The command line: exit codes, one line for bad input, what is listed and explained."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gradcheck.artifact import ARTIFACT
from gradcheck.checks import CHECKS
from gradcheck.cli import app
from gradcheck.report import Report, Status

ENGINES = Path(__file__).parent / "engines" / "misbehaving.py"
BOWL = ["--testbed", f"{ENGINES}:BOWL"]

BROKEN_MODEL = """
import numpy as np
from gradcheck import Family, Input, Mjcf, Testbed

TESTBED = Testbed(
    name="broken", question="?", family=Family.CONTACT, source="",
    inputs=(Input("qpos", np.zeros(1)),), outputs=("z",), weights=(1.0,),
    scenes=(Mjcf("<mujoco><worldbody><geom type='plnae'/></worldbody></mujoco>", {}),),
)
"""
FUNCTIONS = """
import jax.numpy as jnp
import numpy as np

def right(x): return jnp.sum(jnp.sin(x) ** 2)
def plain(x): return float(np.sum(x ** 3))
def slope(x): return 3 * x ** 2
def wrong_slope(x): return -3 * x ** 2
def vector(x): return x
"""


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "absent.py").write_text("import no_such_library\nclass Mine: pass\n")
    (tmp_path / "model.py").write_text(BROKEN_MODEL)
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    (tmp_path / "file").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("audit --engine mujco", "unknown engine 'mujco'; did you mean mujoco"),
        ("audit nowhere.py:Mine", "there is no file nowhere.py"),
        ("audit FOLDER/absent.py:Mine", "absent.py does not import, line 1: ModuleNotFoundError"),
        ("audit --testbed bounse", "unknown testbed 'bounse'; did you mean bounce"),
        ("audit --engine mujoco --testbed FOLDER/model.py:TESTBED", "does not compile: ValueError"),
        ("audit --code GC999", "unknown check GC999"),
        ("audit --profile fast", "unknown profile 'fast'; there are quick and full"),
        ("audit --out FOLDER/file/below", "cannot write to the folder"),
        ("audit --memory-limit inf", "a memory limit of inf cannot be kept: give more than 0"),
        ("audit --time-limit 1e300", "a time limit of 1e+300 cannot be kept: give more than 0"),
        ("gate FOLDER/nothing", "run `gradcheck audit`, or name another"),
        ("explain GC999", "unknown check GC999"),
        ("check FOLDER/functions.py:right", "Say so by --at"),
        ("check FOLDER/functions.py:vector --at [1,2]", "f returns an array of shape (2,)"),
        ("check FOLDER/functions.py:plain --at [1.0]", "give its gradient as grad="),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(folder: Path, words: str, text: str) -> None:
    arguments = words.replace("FOLDER", str(folder)).split()
    if arguments[0] == "audit" and "--out" not in arguments:
        arguments += ["--out", str(folder / "out")]
    result = run(*arguments)
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stderr.startswith("gradcheck: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_wrong_usage_is_exit_code_2() -> None:
    for words in (["audit", "--no-such-option"], ["no-such-command"], ["explain"]):
        assert run(*words).exit_code == 2


@pytest.mark.parametrize("command", ["", "audit", "check", "explain", "list engines"])
def test_help_has_examples(command: str) -> None:
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert command in ("explain", "list engines") or "2  wrong usage or bad input" in result.stdout


def test_lists() -> None:
    checks = run("list", "checks").stdout
    assert all(check.code in checks for check in CHECKS)
    testbeds = run("list", "testbeds").stdout
    assert "bounce" in testbeds
    assert "oblique_impact" in testbeds
    engines = run("list", "engines").stdout
    assert "mjx:reverse" in engines
    assert "planted fault" in engines


@pytest.mark.parametrize("code", ["GC201", "gc201"])
def test_explain(code: str) -> None:
    text = run("explain", code).stdout
    assert text.startswith("GC201")
    for heading in ("What it measures", "Why it matters", "Failing example", "Cure", "Limits"):
        assert heading in text


def test_check(folder: Path) -> None:
    file = f"{folder}/functions.py"
    assert run("check", f"{file}:right", "--at", "[0.3, 1.2]").exit_code == 0
    hand = ["check", f"{file}:plain", "--at", '{"x": [1.0, 2.0]}', "--grad"]
    assert run(*hand, f"{file}:slope").exit_code == 0
    wrong = run(*hand, f"{file}:wrong_slope")
    assert wrong.exit_code == 1
    assert "GC201" in wrong.stdout


def test_audit_of_a_file_writes_report_and_artifacts(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("audit", f"{ENGINES}:Good", f"{ENGINES}:WrongShape", *BOWL, "--out", str(out))
    assert result.exit_code == 1  # WrongShape could not be measured
    report = Report.load(out / "report.json")
    assert [job.status for job in report.jobs] == [Status.OK, Status.OK]
    assert "a gradient of shape (3,) for input 'q' of shape (2,)" in result.stdout
    assert str(out / "report.html") in result.stdout.replace("\n", "")
    assert (out / "report.html").stat().st_size > 0
    files = list(out.glob("artifacts/*/*/*.json"))
    assert len(files) == sum(len(one.artifacts) for one in report.evidence)
    for file in files:
        ARTIFACT.validate_json(file.read_text())
    assert {finding.testbed for finding in report.findings} == {f"{ENGINES}:BOWL"}
    seen = {finding.engine.rpartition(":")[2] for finding in report.findings}
    assert seen == {"Good", "WrongShape"}


def test_nothing_measured_is_exit_code_3(tmp_path: Path) -> None:
    result = run("audit", f"{ENGINES}:Refuses", *BOWL, "--out", str(tmp_path))
    assert result.exit_code == 3
    assert "unsupported: only odd numbers of dimensions" in result.stdout
    assert json.loads((tmp_path / "report.json").read_text())["jobs"][0]["status"] == "unsupported"


def test_codes_restrict_the_findings(tmp_path: Path) -> None:
    run("audit", f"{ENGINES}:Good", *BOWL, "--code", "gc206", "--out", str(tmp_path))
    findings = Report.load(tmp_path / "report.json").findings
    assert {finding.code for finding in findings} == {"GC206"}


def test_the_module_runs_as_a_command() -> None:
    words = [sys.executable, "-m", "gradcheck", "audit", "--engine", "mujco"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
