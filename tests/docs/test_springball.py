"""The example simulator goes through its own CI, and a seeded bug does not."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import yaml

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "springball"
WORKFLOW = ".github/workflows/gradients.yml"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the example, and commands that run in this interpreter."""
    shutil.copytree(EXAMPLE, tmp_path / "springball", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "bin").mkdir()
    for command in ("gradcheck", "pytest"):
        shim = tmp_path / "bin" / command
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {command} "$@"\n')
        shim.chmod(0o755)
    return tmp_path / "springball"


def ci(clone: Path) -> dict[str, subprocess.CompletedProcess[str]]:
    """What each step of the workflow that runs a command did, up to the first that fails."""
    job = yaml.safe_load((clone / WORKFLOW).read_text())["jobs"]["gradients"]
    place = os.pathsep.join([str(clone), os.environ.get("PYTHONPATH", "")])
    path = os.pathsep.join([str(clone.parent / "bin"), os.environ["PATH"]])
    env = {**os.environ, **job["env"], "PYTHONPATH": place, "PATH": path}
    env |= {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(clone.parent / "summary.md")}
    if not entry_points(group="pytest11", name="gradcheck"):
        env["PYTEST_PLUGINS"] = "gradcheck.pytest_plugin"
    done = {}
    for step in job["steps"]:
        if "run" not in step or step["name"] == "Install":  # nothing is installed by a test
            continue
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", step["run"]],
            cwd=clone,
            env=env,
            check=False,
            capture_output=True,
            text=True,
            timeout=280,
        )
        done[step["name"]] = result
        if result.returncode:
            break
    return done


def test_the_example_passes_its_own_ci(clone: Path) -> None:
    done = ci(clone)
    last = list(done.values())[-1]
    assert len(done) == 2
    assert last.returncode == 0, last.stdout + last.stderr
    # The spring is no rigid wall: known, told, and no obstacle.
    assert "GC202" in last.stdout
    assert (clone.parent / "summary.md").read_text()


def test_the_gate_catches_the_seeded_bug(clone: Path) -> None:
    with (clone / "seeded_bug.patch").open() as patch:
        subprocess.run(["patch", "-p1"], cwd=clone, stdin=patch, check=True, capture_output=True)
    # The first step that notices is the audit that is a test; without it, the gate does.
    done = ci(clone)
    assert list(done) == ["Test"]
    assert "GC201" in done["Test"].stdout
    (clone / "tests" / "test_gradients.py").unlink()
    done = ci(clone)
    gate = list(done.values())[-1]
    assert len(done) == 2, "the other tests see nothing of it"
    assert gate.returncode == 1, gate.stdout + gate.stderr
    assert "::error" in gate.stdout
    for testbed in ("soft_wall", "wall"):
        assert any("GC201" in line and testbed in line for line in gate.stdout.splitlines())
