"""`gradcheck experiment cells`: a user's engine, what is written, bad input in one line."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from gradcheck.cli import app
from gradcheck.experiments.cells_record import Cells

FILE = Path(__file__).parents[1] / "experiments" / "made_up.py"
BED = ["--testbed", f"{FILE}:BED"]
# A number that is none, as text would show it.
NOT_FINITE = re.compile(r"\b(nan|inf|infinity)\b", re.IGNORECASE)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["experiment", "cells", *words], catch_exceptions=False)


def engines(*names: str) -> list[str]:
    return [word for name in names for word in ("--engine", f"{FILE}:{name}")]


def test_engines_of_a_file(tmp_path: Path) -> None:
    names = ["Right", "Implicit", "Silent", "Runaway", "Lost", "Blown", "Broken", "Misshapen"]
    result = run(*engines(*names), *BED, "--seeds", "2", "--out", str(tmp_path))
    assert result.exit_code == 0
    found = Cells.model_validate_json((tmp_path / "cells.json").read_text())
    assert found.seeds == [0, 1]
    assert {row.engine.rpartition(":")[2] for row in found.rows} == set(names)
    # Over budgets at the testbed's own horizon, and at another with the second of them.
    assert [(row.iterations, row.steps) for row in found.rows if row.engine.endswith(":Right")] == [
        (1, 4),
        (3, 4),
        (9, 4),
        (3, 16),
    ]
    told = " ".join(result.stdout.split())
    assert "Against the converged equation (k = 3, T = 16): not known." in told
    assert "the adjoint blew up: lower the damping" in (tmp_path / "cells.html").read_text()
    for text in (result.stdout, (tmp_path / "cells.html").read_text()):
        assert not NOT_FINITE.search(re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL))
    assert "Breach: value_and_grad returned a gradient of shape (3,)" in str(found.rows)
    again = json.loads((tmp_path / "cells.json").read_text())["command"].split()
    assert again[:3] == ["gradcheck", "experiment", "cells"]
    assert run(*again[3:], "--out", str(tmp_path / "again")).exit_code == 0


def test_nothing_measured_is_exit_code_3(tmp_path: Path) -> None:
    result = run(*engines("Runaway"), *BED, "--out", str(tmp_path))
    assert result.exit_code == 3
    assert "not known, since nothing could be measured" in " ".join(result.stdout.split())
    assert (tmp_path / "cells.html").exists()


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--engine", f"{FILE}:Fixed"], 2, "has no knob 'iterations' (it has: steps)"),
        (["--engine", "nowhere.py:Mine"], 2, "there is no file nowhere.py"),
        (["--budget", "0"], 2, "--budget 0: no iteration solves nothing; give 1 or more"),
        (["--horizon", "0"], 2, "--horizon 0: no step moves nothing; give 1 or more"),
        (["--seeds", "0"], 2, "--seeds 0: errors are taken at one point at least"),
        (["--testbed", "sprink_chain"], 2, "unknown testbed 'sprink_chain'"),
        (["--testbed", "bounce"], 3, "testbed bounce is stated as Balls, not as Chain"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, words: list[str], code: int, text: str) -> None:
    result = run(*words, "--out", str(tmp_path))
    assert result.exit_code == code
    assert text in result.stderr
    assert result.stderr.startswith("gradcheck: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_help_has_examples() -> None:
    assert "gradcheck experiment cells --engine" in run("--help").stdout
