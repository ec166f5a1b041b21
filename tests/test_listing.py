"""What is listed of a project."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from gradcheck import listing


def test_engines_of_the_configuration_are_listed_without_running_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sim.py").write_text("raise SystemExit('run')")
    (tmp_path / "gradcheck.toml").write_text(
        '[engines.mine]\ntarget = "sim.py:Mine"\npython = "venv/bin/python"\n[engines.mujoco]\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gradcheck.registry.engine_names", list)
    console = Console(file=io.StringIO(), width=120)
    console.print(listing.engines())
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    lines = [line.split() for line in shown.splitlines()[:7]]
    assert ["engine", "of", "gradcheck.toml", "made", "of", "Python"] in lines
    assert ["mine", "sim.py:Mine", "venv/bin/python"] in lines
    assert ["mujoco", "mujoco"] in lines
