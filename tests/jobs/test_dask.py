"""Jobs on a real Dask cluster: the same findings, and what may go wrong there."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gradcheck
from gradcheck.engine import BadInput
from gradcheck.report import Status
from tests.jobs.dask_cluster import DaskCluster
from tests.processes import children, ended, until
from tests.runs import fixed

ENGINES = Path(__file__).parents[1] / "engines" / "misbehaving.py"
BOWL = f"{ENGINES}:BOWL"
# All but the probes, which import scipy.
CODES = ["GC201", "GC202", "GC206", "GC208", "GC501", "GC601"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    pytest.importorskip("distributed", reason="dask is an extra: pip install 'gradcheck[dask]'")
    with DaskCluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


def test_a_run_on_dask_finds_what_a_local_run_finds(tmp_path: Path, cluster: DaskCluster) -> None:
    names = ["SegfaultsInBatches", "NeedsArguments"]
    engines = ["closed_form", *(f"{ENGINES}:{name}" for name in names)]
    ask: dict[str, Any] = {"codes": CODES, "seed": 5}
    local = gradcheck.audit(engines, ["free_fall", BOWL], out=tmp_path / "local", **ask)
    where = f"dask={cluster.address}"
    far = gradcheck.audit(engines, ["free_fall", BOWL], out=tmp_path / "far", executor=where, **ask)
    assert fixed(far) == fixed(local)
    assert far.provenance.settings["executor"] == "dask"
    for kind in ("artifacts/*/*/*.json", "jobs/*/*.json"):
        mine, theirs = (
            {str(one.relative_to(tmp_path / name)) for one in (tmp_path / name).glob(kind)}
            for name in ("local", "far")
        )
        assert mine == theirs
        assert mine
    crashed = next(
        job for job in far.jobs if job.status is Status.CRASHED and "log: " in job.reason
    )
    log = tmp_path / "far" / "logs" / crashed.reason.rpartition("log: ")[2]
    assert "Segmentation fault" in log.read_text()


def test_an_interrupt_ends_what_runs_far_away(tmp_path: Path, cluster: DaskCluster) -> None:
    """And what was measured there is gone on with here."""
    out = tmp_path / "out"

    def interrupt() -> None:
        until(lambda: any(children(worker.pid) for worker in cluster.workers))
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    report = gradcheck.audit(
        [f"{ENGINES}:HangsInBatches"],
        [BOWL],
        codes=["GC205"],
        out=out,
        executor=f"dask={cluster.address}",
    )
    assert report.jobs[0].status is Status.INTERRUPTED
    until(lambda: not any(children(worker.pid) for worker in cluster.workers), 20)
    assert all(worker.poll() is None for worker in cluster.workers)


def test_a_worker_that_dies_costs_one_row(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask is an extra: pip install 'gradcheck[dask]'")
    once = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    (tmp_path / "cluster").mkdir()
    with DaskCluster(tmp_path / "cluster", environment=once) as cluster:
        names = ["KillsItsParent", "Good"]
        report = gradcheck.audit(
            [f"{ENGINES}:{name}" for name in names],
            [BOWL],
            codes=["GC206"],
            out=tmp_path / "out",
            executor=f"dask={cluster.address}",
        )
        dead = [worker for worker in cluster.workers if worker.poll() is not None]
    assert [job.status for job in report.jobs] == [Status.CRASHED, Status.OK]
    assert report.jobs[0].reason.startswith("Dask gave no outcome: KilledWorker: ")
    assert "\n" not in report.jobs[0].reason
    assert len(dead) == 1


def test_a_worker_that_dies_is_replaced_by_another(tmp_path: Path, cluster: DaskCluster) -> None:
    """Killed from outside in the middle of a job: Dask has another worker do it."""

    def kill() -> None:
        until(lambda: any(children(worker.pid) for worker in cluster.workers))
        victim = next(one for one in cluster.workers if children(one.pid))
        below.extend(children(victim.pid))
        victim.kill()
        killed.append(victim)

    below: list[int] = []
    killed: list[object] = []
    threading.Thread(target=kill, daemon=True).start()
    report = gradcheck.audit(
        [f"{ENGINES}:Dawdles"],
        [BOWL],
        codes=["GC206"],
        out=tmp_path / "out",
        executor=f"dask={cluster.address}",
    )
    assert killed
    assert [job.status for job in report.jobs] == [Status.OK]
    until(lambda: all(map(ended, below)), 10)


def test_no_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradcheck.jobs.dask.CONNECT_SECONDS", 1.0)
    for address in ("tcp://127.0.0.1:9", "nonsense", "no://where:1"):
        with pytest.raises(BadInput, match=f"there is no Dask scheduler at {address} ") as caught:
            gradcheck.audit(
                ["closed_form"], ["free_fall"], out=tmp_path, executor=f"dask={address}"
            )
        assert "\n" not in str(caught.value)


def test_no_workers(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask is an extra: pip install 'gradcheck[dask]'")
    with (
        DaskCluster(tmp_path, workers=0) as cluster,
        pytest.raises(BadInput, match=f"at {cluster.address} has no workers: start some by dask"),
    ):
        gradcheck.audit(
            ["closed_form"],
            ["free_fall"],
            out=tmp_path / "out",
            executor=f"dask={cluster.address}",
        )


@pytest.mark.parametrize(
    ("executor", "module"), [("dask=tcp://x:1", "distributed"), ("ray", "ray")]
)
def test_no_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    extra = executor.partition("=")[0]
    with pytest.raises(BadInput, match=rf"run pip install 'gradcheck\[{extra}\]'"):
        gradcheck.audit(["closed_form"], ["free_fall"], out=tmp_path, executor=executor)
