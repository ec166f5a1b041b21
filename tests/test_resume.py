"""`--resume`: an audit that was killed, however often, ends as one that was not."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gradcheck
import gradcheck.runner
from gradcheck.begun import Begun
from gradcheck.engine import BadInput
from gradcheck.folder import Folder
from gradcheck.report import Report, Status
from tests.processes import children, ended, until
from tests.runs import fixed

ENGINES = Path(__file__).parent / "engines" / "misbehaving.py"
BOWL = f"{ENGINES}:BOWL"
# One with numbers, one whose process is lost midway.
NAMES = ["closed_form", f"{ENGINES}:SegfaultsInBatches"]
WORDS = [*NAMES, "--testbed", "free_fall", "--testbed", BOWL, "--seed", "3"]
# All but the probes, which import scipy.
CODES = ["GC201", "GC202", "GC206", "GC208", "GC501", "GC601"]
WORDS += [word for code in CODES for word in ("--code", code)]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "gradcheck", "audit", *words]


def artifacts(out: Path) -> dict[Path, str]:
    return {file: file.read_text() for file in out.glob("artifacts/*/*/*.json")}


def killed_at(out: Path, moment: Callable[[], bool], *words: str) -> None:
    """Start an audit and kill it, as kill -9 does. Its children must not survive it."""
    process = subprocess.Popen(command(*words), stdout=subprocess.DEVNULL)
    until(lambda: moment() or process.poll() is not None)
    assert process.poll() is None, "it ended before it was killed"
    below = children(process.pid)
    process.kill()
    process.wait()
    until(lambda: all(map(ended, below)), 10)


def resumed(out: Path) -> Report:
    result = subprocess.run(
        command("--resume", "--out", str(out)), capture_output=True, text=True, check=False
    )
    assert result.returncode == 1, result.stderr
    return Report.load(out / "report.json")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit that nobody interrupted."""
    out = tmp_path_factory.mktemp("whole") / "out"
    subprocess.run(command(*WORDS, "--out", str(out)), stdout=subprocess.DEVNULL, check=False)
    return out


def test_an_audit_killed_at_many_moments_finds_the_same(tmp_path: Path, whole: Path) -> None:
    out = tmp_path / "out"
    count = len(artifacts(whole))
    killed_at(out, (out / "run.json").exists, *WORDS, "--out", str(out))
    for number in (count // 3, count - 1):
        before = artifacts(out)
        killed_at(out, lambda n=number: len(artifacts(out)) >= n, "--resume", "--out", str(out))  # type: ignore[misc]
        after = artifacts(out)
        assert {file: after[file] for file in before} == before, "measured twice"
        assert not (out / "report.json").exists()
    before = artifacts(out)
    report = resumed(out)
    assert fixed(report) == fixed(Report.load(whole / "report.json"))
    assert report.provenance.settings["times resumed"] == "3"
    after = artifacts(out)
    assert {file: after[file] for file in before} == before


def test_nothing_is_measured_where_all_is_there(tmp_path: Path, whole: Path) -> None:
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    (out / "report.json").unlink()
    shutil.rmtree(out / "logs")
    assert fixed(resumed(out)) == fixed(Report.load(whole / "report.json"))
    assert not list(out.glob("logs/*.log")), "a child was started"


def test_a_torn_or_foreign_artifact_is_measured_again(tmp_path: Path, whole: Path) -> None:
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    torn, foreign = sorted(out.glob("artifacts/closed_form/free_fall/[bp]*.json"))[:2]
    torn.write_text(torn.read_text()[:100])
    foreign.write_text(foreign.read_text().replace('"seed":3', '"seed":4'))
    assert fixed(resumed(out)) == fixed(Report.load(whole / "report.json"))


def test_retry_measures_faults_again(tmp_path: Path) -> None:
    """The engine crashes while its file of luck says so; a fault is kept until --retry."""
    engine = tmp_path / "lucky.py"
    engine.write_text(
        "import ctypes, pathlib\n"
        "from gradcheck.target import load\n"
        f"good = load({str(ENGINES) + ':Good'!r})\n"
        f"bowl = load({str(ENGINES) + ':Bowl'!r})\n"
        "class Sim(bowl):\n"
        "    def value(self, inputs):\n"
        f"        if pathlib.Path({str(tmp_path / 'unlucky')!r}).exists(): ctypes.string_at(0)\n"
        "        return super().value(inputs)\n"
        "class Lucky(good):\n"
        "    simulation = Sim\n"
    )
    (tmp_path / "unlucky").touch()
    ask = {"engines": [f"{engine}:Lucky"], "testbeds": [BOWL], "codes": ["GC206", "GC204"]}
    out = tmp_path / "out"
    assert gradcheck.audit(**ask, out=out).jobs[0].status is Status.CRASHED  # type: ignore[arg-type]
    (tmp_path / "unlucky").unlink()
    assert gradcheck.audit(out=out, resume=True).jobs[0].status is Status.CRASHED
    report = gradcheck.audit(out=out, resume=True, retry=True)
    assert report.jobs[0].status is Status.OK
    assert {one.code for one in report.findings if one.verdict == "PASS"} == {"GC204", "GC206"}


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"seed": 4}, "was begun with --seed 3, not 4: leave --seed out"),
        ({"testbeds": ["free_fall"]}, f"with --testbed free_fall, {BOWL}, not free_fall"),
        ({"engines": ["mjx"]}, "--engine closed_form, .*, not mjx: leave --engine out"),
        ({"codes": ["gc201"]}, "with --code GC201, .*, GC601, not GC201"),
        ({"profile": "full"}, "begun with --profile quick, not full"),
        ({"time_limit": 3.0}, "begun with --time-limit 120.0, not 3.0"),
        ({"engines": ["nonsense"]}, "unknown engine 'nonsense'"),
    ],
)
def test_another_request_is_told(whole: Path, asked: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint) as caught:
        gradcheck.audit(out=whole, resume=True, **asked)
    assert "\n" not in str(caught.value)


def test_the_same_request_may_be_said_again(tmp_path: Path, whole: Path) -> None:
    asked = gradcheck.runner.Request(
        engines=NAMES, testbeds=["free_fall", BOWL], codes=CODES, seed=3, out=whole, resume=True
    )
    Begun.load(Folder(whole)).agree(asked)


def changed(out: Path, change: Callable[[dict[str, object]], None]) -> None:
    data = json.loads((out / "run.json").read_text())
    change(data)
    (out / "run.json").write_text(json.dumps(data))


def test_other_versions_are_told(tmp_path: Path, whole: Path) -> None:
    out = Path(shutil.copytree(whole, tmp_path / "out"))
    before = (out / "report.json").read_bytes()

    def older(data: dict[str, object]) -> None:
        data["software"][""]["versions"]["numpy"] = "1.0"  # type: ignore[index]

    changed(out, older)
    with pytest.raises(BadInput, match=r"numpy was 1\.0 and is .* restore that, or start anew"):
        gradcheck.audit(out=out, resume=True)

    def other(data: dict[str, object]) -> None:
        now = Begun.load(Folder(whole)).software[""]
        data["software"] = {"": {**now.model_dump(), "source": "0"}}

    changed(out, other)
    with pytest.raises(BadInput, match="gradcheck's own code has changed since"):
        gradcheck.audit(out=out, resume=True)
    assert (out / "report.json").read_bytes() == before


def test_a_changed_engine_is_told(tmp_path: Path) -> None:
    engine = tmp_path / "misbehaving.py"
    shutil.copy(ENGINES, engine)
    out = tmp_path / "out"
    ask = [f"{engine}:Good"], [f"{engine}:BOWL"]
    gradcheck.audit(*ask, codes=["GC206"], out=out)
    engine.write_text(engine.read_text() + "\n")
    with pytest.raises(BadInput, match=r"misbehaving\.py has changed since this audit was begun"):
        gradcheck.audit(out=out, resume=True)
    engine.unlink()
    with pytest.raises(BadInput, match=r"misbehaving\.py is gone since"):
        gradcheck.audit(out=out, resume=True)


def test_nothing_to_resume(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(BadInput, match="there is nothing to resume in"):
        gradcheck.audit(out=out, resume=True)
    assert not out.exists()
    out.mkdir()
    for text in ("{", '{"orders": []}'):
        (out / "run.json").write_text(text)
        with pytest.raises(BadInput, match=r"run\.json is cut short, or was written by another"):
            gradcheck.audit(out=out, resume=True)


def test_a_run_without_jobs_is_no_run(tmp_path: Path, whole: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    changed(out, lambda data: data.update(orders=[]))
    with pytest.raises(BadInput, match=r"run\.json is cut short, or was written by another"):
        gradcheck.audit(out=out, resume=True)


def test_a_change_of_what_an_engine_imports_is_told(tmp_path: Path) -> None:
    shutil.copy(ENGINES, tmp_path / "hidden.py")
    (tmp_path / "shown.py").write_text("from hidden import BOWL, Good\n")
    out = tmp_path / "out"
    ask = [f"{tmp_path / 'shown.py'}:Good"], [f"{tmp_path / 'shown.py'}:BOWL"]
    gradcheck.audit(*ask, codes=["GC206"], out=out)
    with (tmp_path / "hidden.py").open("a") as hidden:
        hidden.write("\n")
    with pytest.raises(BadInput, match=r"hidden\.py has changed since this audit was begun"):
        gradcheck.audit(out=out, resume=True)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_audit_reports_what_it_has_and_goes_on(
    tmp_path: Path, stop: signal.Signals
) -> None:
    out = tmp_path / "out"
    words = [f"{ENGINES}:HangsInBatches", "--testbed", BOWL, "--code", "GC206", "--code", "GC205"]
    process = subprocess.Popen(
        command(*words, "--out", str(out)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: len(artifacts(out)) == 1)
    time.sleep(0.2)
    os.kill(process.pid, stop)
    said, errors = process.communicate(timeout=60)
    assert errors == ""
    assert process.returncode == 1
    assert f"resume with: gradcheck audit --resume --out {out}" in said.splitlines()
    report = Report.load(out / "report.json")
    assert report.jobs[0].status is Status.INTERRUPTED
    assert [one.kind for one in report.evidence[0].artifacts] == ["basics", "missing"]
    assert (out / "report.html").exists()
    # What hung is measured again; now it may take a second.
    data = json.loads((out / "run.json").read_text())
    data["limits"]["seconds"] = 1.0
    (out / "run.json").write_text(json.dumps(data))
    again = gradcheck.audit(out=out, resume=True)
    assert again.jobs[0].status is Status.TIMED_OUT
    assert again.evidence[0].artifacts[0] == report.evidence[0].artifacts[0]
