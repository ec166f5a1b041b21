"""`gradcheck experiment target`, from the command line to the page."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from gradcheck import registry
from gradcheck.cli import app
from gradcheck.experiments.target_record import Origin, Target
from gradcheck.testbeds.spring_chain import HORIZON, flow, motion

QUICK = Path(__file__).parents[1] / "experiments/quick.py"
ENGINES = ("--engine", f"{QUICK}:EXACT", "--engine", f"{QUICK}:ADJOINT")
ONE = ("--testbed", f"{QUICK}:TESTBED", "--parameter", "p")


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["experiment", "target", *words], catch_exceptions=False)


def test_engines_of_a_user_are_fitted(tmp_path: Path) -> None:
    words = (*ENGINES, *ONE, "--budget", "2", "--budget", "1", "--seeds", "6", "--updates", "60")
    result = run(*words, "--out", str(tmp_path))
    assert result.exit_code == 0
    made = Target.model_validate_json((tmp_path / "target.json").read_text(encoding="utf-8"))
    assert (made.exact, made.other, made.budgets) == ("quick:exact", "quick:adjoint", [1, 2])
    assert len(made.fits) == 6 * 2 * 2 * 3
    assert "- Advantage of the exact derivative in the error of the parameters: " in result.stdout
    page = (tmp_path / "target.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2 * len(Origin)
    assert "Solver budget or fitting target?" in page
    assert made.command in page.replace("&#39;", "'")


def test_the_chain_is_fitted_by_default(tmp_path: Path) -> None:
    result = run("--budget", "1", "--seeds", "2", "--updates", "2", "--out", str(tmp_path))
    assert result.exit_code == 0
    made = Target.model_validate_json((tmp_path / "target.json").read_text(encoding="utf-8"))
    assert made.parameters == ["stiffness", "damping"]
    assert len(made.fits) == 2 * 2 * 3
    off = {
        name: [f.off for f in made.fits if f.engine == name] for name in (made.exact, made.other)
    }
    assert all(one is not None and one < 1e-6 for one in off[made.exact])
    assert all(one is not None and one > 0.1 for one in off[made.other])
    assert made.unconverged < 1e-12
    assert made.curvature[0] > 0.01 * made.curvature[1]
    assert "2 seeds give no 95 % interval" in result.stdout


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--engine", f"{QUICK}:EXACT"), "1 --engine: give two, first that of the exact"),
        ((*ENGINES, *ONE[:2], "--parameter", "mass"), "no input 'mass'"),
        ((*ENGINES, *ONE[:2]), "below): choose what to fit with --parameter"),
        (("--budget", "0"), "--budget 0: no iteration solves nothing; give 1 or more"),
        (("--seeds", "1"), "--seeds 1: one seed has no spread; give 2 or more"),
        (("--updates", "0"), "--updates 0: no update fits nothing; give 1 or more"),
        (("--refine", "0"), "--refine 0: it divides the time step; give 1 or more"),
        ((*ENGINES, "--testbed", "drop", "--parameter", "solref"), "has no input 'solref'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words: tuple[str, ...], text: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_place_that_cannot_be_written_is_told_before_the_first_fit(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    result = run(*ENGINES, *ONE, "--updates", "1000000", "--out", str(tmp_path / "taken" / "out"))
    assert result.exit_code == 2
    assert "cannot write" in result.stderr


def test_the_motion_alone_is_that_of_the_linearised_one() -> None:
    nominal = registry.testbed("spring_chain").nominal()
    alone, whole = motion(nominal, HORIZON / 5), flow(nominal, HORIZON / 5)[0]
    assert np.max(np.abs(alone - whole)) < 1e-9
