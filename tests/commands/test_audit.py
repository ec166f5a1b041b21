"""An audit that is interrupted before it measures anything."""

from pathlib import Path
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from gradcheck import runner
from gradcheck.cli import app


def test_ctrl_c_before_the_first_measurement_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "audit", interrupted)
    result = CliRunner().invoke(app, ["audit", "--out", str(tmp_path / "out")])
    assert result.exit_code == 3
    assert "nothing was measured yet" in result.output
