"""The pytest plugin, in a pytest of its own."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gradcheck.finding import Verdict
from gradcheck.report import Report

ROOT = Path(__file__).parents[1]
TEST = """
def test_gradients(gradcheck):
    gradcheck({arguments})
"""


def run(folder: Path, arguments: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(TEST.format(arguments=arguments))
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "gradcheck.pytest_plugin"]
    return subprocess.run(
        [*command, "--rootdir=.", "--basetemp=temp", *words],
        cwd=folder,
        env=env,
        check=False,
        capture_output=True,
        text=True,
        timeout=240,
    )


def test_a_right_engine_passes(tmp_path: Path) -> None:
    result = run(tmp_path, "'closed_form', 'free_fall', codes=['gc201']")
    assert result.returncode == 0, result.stdout
    (file,) = tmp_path.glob("temp/*0/gradcheck-audit/1/report.json")
    assert Report.load(file).summary.verdict is Verdict.PASS


def test_a_wrong_gradient_fails_with_the_findings_text(tmp_path: Path) -> None:
    result = run(tmp_path, "'faulty:sign_flip', 'pendulum', codes=['GC201']")
    assert result.returncode == 1
    assert "FAIL  GC201 faulty:sign_flip on pendulum: " in result.stdout
    assert "ratio -1" in result.stdout
    assert "report.html" in result.stdout
    assert "Traceback" not in result.stdout


def test_an_engine_that_cannot_is_no_pass(tmp_path: Path) -> None:
    result = run(tmp_path, "'closed_form', 'pendulum', codes=['GC201']")
    assert result.returncode == 1
    assert "closed_form on pendulum: unsupported" in result.stdout


def test_bad_input_fails_in_one_line(tmp_path: Path) -> None:
    result = run(tmp_path, "'no_such_engine', 'pendulum'")
    assert result.returncode == 1
    assert "gradcheck: unknown engine 'no_such_engine'" in result.stdout
    assert "Traceback" not in result.stdout


def test_a_baseline_forgives_what_it_knows(tmp_path: Path) -> None:
    known = "'faulty:sign_flip', 'pendulum', codes=['GC201']"
    assert run(tmp_path, known).returncode == 1
    (audit,) = tmp_path.glob("temp/*0/gradcheck-audit/1")
    made = subprocess.run(
        [sys.executable, "-m", "gradcheck", "baseline", str(audit), "--out", "baseline.json"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert made.returncode == 0, made.stderr
    option = "--gradcheck-baseline=baseline.json"
    again = run(tmp_path, known, option)
    assert again.returncode == 0, again.stdout
    # What is new and wrong is forgiven by no baseline of other engines.
    other = run(tmp_path, "'faulty:factor_2', 'pendulum', codes=['GC201']", option)
    assert other.returncode == 1
    assert "GC201 faulty:factor_2 on pendulum" in other.stdout


def test_a_baseline_that_is_absent_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    result = run(tmp_path, "'closed_form', 'free_fall'", "--gradcheck-baseline=none.json")
    assert result.returncode == 1
    assert "none.json" in result.stdout
    assert not list(tmp_path.glob("temp/*0/gradcheck-audit/1/report.json"))


def test_the_package_brings_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"gradcheck": "gradcheck.pytest_plugin"}


def test_the_plugin_is_listed_where_pytest_shows_fixtures(tmp_path: Path) -> None:
    result = run(tmp_path, "", "--fixtures")
    assert "Audits engines on testbeds, and fails the test for what is found" in result.stdout


@pytest.mark.parametrize("option", ["--gradcheck-baseline", "--gradcheck-profile"])
def test_the_options_are_in_help(option: str, tmp_path: Path) -> None:
    assert option in run(tmp_path, "", "--help").stdout
