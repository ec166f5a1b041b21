"""A finding's snippet prints the finding's own numbers: on a real engine, in another process."""

import os
import subprocess
import sys
from pathlib import Path

from gradcheck.api import audit


def test_the_snippet_of_a_smoothed_slope_prints_its_numbers(tmp_path: Path) -> None:
    report = audit(["closed_form"], ["over_the_wall"], codes=["GC501"], out=tmp_path)
    (finding,) = report.findings
    assert finding.snippet is not None
    done = subprocess.run(
        [sys.executable, "-c", finding.snippet],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert done.stdout == f"{finding.verdict} {finding.message}\n"
