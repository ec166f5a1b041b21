"""README and docs do what they say: their snippets and commands run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(path: str, marker: str) -> list[str]:
    """Fenced blocks that follow an HTML comment starting with `marker`."""
    text = (ROOT / path).read_text()
    return re.findall(rf"<!-- {marker}[^\n]*-->\n```\w+\n(.*?)```", text, flags=re.DOTALL)


def gradcheck(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gradcheck", *words]
    return subprocess.run(
        command, cwd=cwd, check=False, capture_output=True, text=True, timeout=240
    )


@pytest.mark.parametrize("index", range(2))
def test_readme_snippet_runs(index: int, tmp_path: Path) -> None:
    script = tmp_path / "snippet.py"
    script.write_text(blocks("README.md", "run")[index])
    result = subprocess.run(
        [sys.executable, str(script)], check=False, capture_output=True, text=True, timeout=240
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_readme_has_the_two_commands() -> None:
    assert "gradcheck audit" in blocks("README.md", "audit command")[0]
    assert "pytest" in blocks("README.md", "test command")[0]


def test_jax_adapter_is_25_lines_and_audits(tmp_path: Path) -> None:
    text = blocks("docs/adapters.md", "file: my_simulator.py")[0]
    assert len([line for line in text.splitlines() if line.strip()]) <= 25
    (tmp_path / "my_simulator.py").write_text(text)
    result = gradcheck(
        "audit", "my_simulator.py:MyEngine", "--testbed", "pendulum", "--out", "out", cwd=tmp_path
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert (tmp_path / "out/report.html").stat().st_size > 10_000


def test_wrong_plain_adapter_is_caught(tmp_path: Path) -> None:
    (tmp_path / "any_simulator.py").write_text(blocks("docs/adapters.md", "file: any_sim")[0])
    words = ("any_simulator.py:AnyEngine", "--testbed", "over_the_wall", "--out", "out")
    result = gradcheck("audit", *words, cwd=tmp_path)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "GC203" in result.stdout
