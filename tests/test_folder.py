"""The output folder: names, what a rerun replaces, and that only one audit writes there."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradcheck.engine import BadInput, EngineCard
from gradcheck.folder import Folder
from gradcheck.jobs.order import Order, Ready, Refusal
from gradcheck.jobs.outcome import Cause, Outcome
from tests.checks import made_up

HOLD = """
import pathlib, sys
from gradcheck.folder import Folder
with Folder(pathlib.Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.read()
"""

READY = Ready(
    card=EngineCard(name="good", version="1"),
    testbed=made_up.evidence().testbed,
    versions={},
    device="x",
    python="3",
)


def order(engine: str, testbed: str = "drop") -> Order:
    return Order(
        engine=engine,
        testbed=testbed,
        target=engine,
        scene=testbed,
        measurements=("basics",),
        seed=0,
        profile="quick",
    )


def test_folders_of_jobs_are_safe_and_distinct(tmp_path: Path) -> None:
    names = [
        "mjx",
        "mjx:reverse",
        "a/b.py:C",
        "a-b.py:C",
        "../../evil",
        "x" * 9999,
        "x" * 9998,
        ":",
    ]
    folders = [Folder(tmp_path).of(order(name)) for name in names]
    assert len(set(folders)) == len(names)
    for folder in folders:
        assert folder.parent.parent == tmp_path / "artifacts"
        assert len(folder.parent.name) < 100
        folder.mkdir(parents=True)
    assert Folder(tmp_path).of(order("mjx:reverse")).parts[-2:] == ("mjx-reverse", "drop")


def test_a_rerun_leaves_nothing_old(tmp_path: Path) -> None:
    one = order("good")
    folder = Folder(tmp_path)
    folder.of(one).mkdir(parents=True)
    for name in ("sweep.json", ".basics.json.123"):
        (folder.of(one) / name).write_text("old")
    folder.job(one).parent.mkdir(parents=True)
    folder.job(one).write_text("old")
    (folder.of(one) / "notes.txt").write_text("the user's own")
    for file in (folder.run, folder.report, tmp_path / "report.html", tmp_path / "junit.xml"):
        file.write_text("old")
    folder.prepare([one], keep=False)
    assert [file.name for file in folder.of(one).iterdir()] == ["notes.txt"]
    assert [file for file in tmp_path.iterdir() if file.is_file()] == []
    assert not folder.job(one).exists()


def test_a_resumed_run_leaves_only_what_is_torn(tmp_path: Path) -> None:
    one = order("good")
    folder = Folder(tmp_path)
    folder.of(one).mkdir(parents=True)
    for name in ("sweep.json", ".basics.json.123"):
        (folder.of(one) / name).write_text("kept")
    folder.prepare([one], keep=True)
    assert [file.name for file in folder.of(one).iterdir()] == ["sweep.json"]


@pytest.mark.parametrize("name", ["report.json", "report.html", "run.json"])
def test_a_folder_in_the_reports_place_is_told_before_measuring(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(BadInput, match=f"{name} is a folder: remove it, or choose another"):
        Folder(tmp_path).prepare([order("good")], keep=False)


def test_a_file_in_the_folders_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with (
            pytest.raises(BadInput, match=r"cannot write to the folder .* choose another with"),
            Folder(out).locked(),
        ):
            pass


def test_two_audits_do_not_write_to_one_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = [sys.executable, "-c", HOLD, str(out)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        assert one.stdout.readline() == "held\n"
        before = sorted(out.rglob("*"))
        for _ in range(2):  # nor does the attempt lose the lock
            with (
                pytest.raises(BadInput, match=f"another audit \\(process {one.pid}\\) is writing"),
                Folder(out).locked(),
            ):
                pass
        second = subprocess.run(
            [sys.executable, "-m", "gradcheck", "audit", "--testbed", "wall", "--out", str(out)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 2
        assert f"another audit (process {one.pid}) is writing to {out}: wait" in second.stderr
        assert second.stderr.count("\n") == 1
        assert sorted(out.rglob("*")) == before
        one.kill()  # the system lets go of its lock
    with Folder(out).locked():
        assert (out / ".owner").read_text() == f"{os.getpid()}\n"
    assert not (out / ".owner").exists()


def test_a_lost_process_is_known_from_its_artifact(tmp_path: Path) -> None:
    """A kill may come between writing the artifact and writing the job."""
    folder, one = Folder(tmp_path), order("good")
    outcome = Outcome(order=one, ready=READY)
    folder.save_job(outcome)
    crash = "segmentation fault; log: worker-1.log"
    folder.save_artifact(one, outcome.missing(["basics"], f"{Cause.CRASHED}: {crash}")[0])
    found = folder.load(one, retry=False)
    assert (found.lost, found.deaths, found.ended) == (Cause.CRASHED, 1, True)
    assert found.reason == f"basics: {crash}"
    again = folder.load(one, retry=True)
    assert (again.lost, again.deaths, again.ended, again.left) == (None, 0, False, ("basics",))


@pytest.mark.parametrize(
    ("outcome", "ended", "retried"),
    [
        ({"refused": Refusal.UNSUPPORTED, "reason": "it cannot"}, True, True),
        ({"refused": Refusal.FAULT, "reason": "it fails"}, True, False),
        ({"lost": Cause.TIMED_OUT, "reason": "too slow"}, True, False),
        ({}, False, False),
    ],
)
def test_what_is_not_asked_again(
    tmp_path: Path, outcome: dict[str, Any], ended: bool, retried: bool
) -> None:
    folder, one = Folder(tmp_path), order("good")
    folder.save_job(Outcome(order=one, **outcome))
    assert folder.load(one, retry=False).ended is ended
    assert folder.load(one, retry=False).reason == outcome.get("reason", "")
    again = folder.load(one, retry=True)
    assert again.ended is retried
    assert again.reason == (outcome["reason"] if retried else "")


def test_bad_input_is_asked_again(tmp_path: Path) -> None:
    folder, one = Folder(tmp_path), order("good")
    folder.save_job(Outcome(order=one, refused=Refusal.BAD_INPUT, reason="x", ended=True))
    assert not folder.load(one, retry=False).ended


def test_another_job_of_the_same_name_is_not_taken(tmp_path: Path) -> None:
    folder, one = Folder(tmp_path), order("good")
    folder.save_job(Outcome(order=one, refused=Refusal.UNSUPPORTED))
    other = one.model_copy(update={"target": "another"})
    assert folder.load(other, retry=False) == Outcome(order=other)
