"""Real audits of one engine, twice, and with a fault planted in it the third time."""

from pathlib import Path

import pytest

from gradcheck.api import audit
from gradcheck.baseline import Baseline
from gradcheck.finding import Verdict
from gradcheck.gate import gate
from gradcheck.gate_line import Level
from gradcheck.report import Report


def measured(folder: Path, target: str) -> Report:
    """An audit of that engine on a fall, under the name `mine`."""
    made = audit([target], ["free_fall"], out=folder)
    text = made.model_dump_json().replace(f'"engine":"{target}"', '"engine":"mine"')
    return Report.model_validate_json(text)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The audit that the baseline is made of."""
    return measured(tmp_path_factory.mktemp("first"), "closed_form")


def test_measured_again_it_passes_and_the_baseline_stands(first: Report, tmp_path: Path) -> None:
    again = measured(tmp_path, "closed_form")
    baseline = Baseline.of(first)
    result = gate(again, baseline)
    # Whatever else the machine did meanwhile may be a warning (GC601), and no error.
    assert result.exit_code == 0, result.lines
    assert {line.code for line in result.lines if line.code} <= {"GC601"}
    assert Baseline.of(again, baseline).text() == baseline.text()


def test_a_planted_fault_fails_with_a_sentence(first: Report, tmp_path: Path) -> None:
    result = gate(measured(tmp_path, "faulty:sign_flip"), Baseline.of(first))
    assert result.exit_code == 1
    wrong = [line for line in result.lines if line.verdict is Verdict.FAIL]
    assert ("GC201", "qpos") in {(line.code, line.subject) for line in wrong}
    text = next(line.text for line in wrong if line.subject == "qpos")
    assert text.startswith("PASS -> FAIL (0 ± ")
    assert "engine -1, difference 1" in text
    assert result.count(Level.ERROR) >= 3
