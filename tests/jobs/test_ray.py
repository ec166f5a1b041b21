"""Jobs on a real Ray cluster of one node on this machine."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradcheck
from gradcheck.report import Report, Status
from tests.processes import until
from tests.runs import fixed

ENGINES = Path(__file__).parents[1] / "engines" / "misbehaving.py"
NAMES = ["Good", "SegfaultsInBatches", "KillsItsParent"]
CODES = ["GC205", "GC206"]


@pytest.fixture
def address() -> Iterator[str]:
    """That of a head node, which ends with the test."""
    pytest.importorskip("ray", reason="ray is an extra: pip install 'gradcheck[ray]'")
    # Paths of its sockets must be short.
    folder = Path(tempfile.mkdtemp(prefix="ray"))
    words = [
        *("start", "--head", "--block", "--port", "0", "--temp-dir", str(folder)),
        *("--num-cpus", "2", "--object-store-memory", "80000000"),
        *("--include-dashboard", "false", "--disable-usage-stats"),
    ]
    with (folder / "log").open("wb") as log:
        head = subprocess.Popen(
            [sys.executable, "-m", "ray.scripts.scripts", *words],
            stdout=log,
            stderr=log,
        )
    where = folder / "ray_current_cluster"
    try:
        until(lambda: where.exists() or head.poll() is not None)
        assert head.poll() is None, (folder / "log").read_text()
        until(lambda: "Ray runtime started" in (folder / "log").read_text())
        yield where.read_text().strip()
    finally:
        head.terminate()
        head.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def test_a_run_on_ray_finds_what_a_local_run_finds(tmp_path: Path, address: str) -> None:
    """And a worker that is killed costs one row."""
    bowl = f"{ENGINES}:BOWL"
    engines = [f"{ENGINES}:{name}" for name in NAMES]
    codes = [word for code in CODES for word in ("--code", code)]
    result = subprocess.run(
        [
            *(sys.executable, "-m", "gradcheck", "audit", *engines, "--testbed", bowl, *codes),
            *("--out", str(tmp_path / "far"), "--executor", f"ray={address}"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1, result.stderr
    far = Report.load(tmp_path / "far" / "report.json")
    assert [job.status for job in far.jobs] == [Status.OK, Status.CRASHED, Status.CRASHED]
    assert far.jobs[2].reason.startswith("Ray gave no outcome: WorkerCrashedError: ")
    local = gradcheck.audit(engines[:2], [bowl], codes=CODES, out=tmp_path / "local")
    found = fixed(far)
    assert found["jobs"].pop()
    assert found == fixed(local)
