"""`gradcheck init`: what it writes runs as it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from gradcheck.config import load
from gradcheck.engine import BadInput
from gradcheck.finding import Verdict
from gradcheck.project import TESTBEDS, Kind, begin
from gradcheck.report import Report


def gradcheck(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gradcheck", *words]
    return subprocess.run(
        command, cwd=cwd, check=False, capture_output=True, text=True, timeout=240
    )


@pytest.mark.parametrize("kind", Kind)
def test_the_skeleton_is_audited_without_an_edit(kind: Kind, tmp_path: Path) -> None:
    begun = gradcheck("init", "--kind", kind, cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    assert "next: gradcheck audit" in begun.stdout
    audited = gradcheck("audit", cwd=tmp_path)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    report = Report.load(tmp_path / "gradcheck-audit" / "report.json")
    assert report.summary.engines == ["my_simulator"]
    assert report.summary.testbeds == list(TESTBEDS[kind])
    # Right and quick: a newcomer who sees a failure should have made it.
    bad = [one for one in report.findings if one.verdict in (Verdict.FAIL, Verdict.ERROR)]
    assert not bad
    assert {one.verdict for one in report.findings if one.code == "GC201"} == {Verdict.PASS}


@pytest.mark.parametrize("kind", Kind)
def test_the_configuration_is_read(kind: Kind, tmp_path: Path) -> None:
    begin(tmp_path, kind)
    config = load(tmp_path / "gradcheck.toml")
    assert config.audit.engines == ["my_simulator"]
    assert config.audit.testbeds == list(TESTBEDS[kind])
    assert config.engines["my_simulator"].target == "my_simulator.py:MySimulator"


@pytest.mark.parametrize("name", ["gradcheck.toml", "my_simulator.py"])
def test_nothing_is_overwritten(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(BadInput, match=f"{name} is there already"):
        begin(tmp_path, Kind.JAX)
    assert [one.name for one in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_an_unknown_kind_is_told(tmp_path: Path) -> None:
    result = gradcheck("init", "--kind", "fortran", cwd=tmp_path)
    assert result.returncode == 2
    assert "unknown kind 'fortran'; there are jax and python" in result.stderr
