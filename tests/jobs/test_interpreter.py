"""An engine in an environment of its own: a real one, with little in it and a module only there."""

import importlib.util
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import gradcheck
from gradcheck.engine import BadInput
from gradcheck.jobs import software
from gradcheck.jobs.interpreter import probe
from gradcheck.report import Report, Status

ENGINES = Path(__file__).parents[1] / "engines" / "misbehaving.py"
# What the worker imports, with what these import.
NEEDED = (
    "annotated_types",
    "numpy",
    "numpy.libs",
    "pydantic",
    "pydantic_core",
    "scipy",
    "scipy.libs",
    "typing_extensions.py",
    "typing_inspection",
)
ENGINE = f"""
import importlib.util
import sys

import only_there
from gradcheck.target import load

if importlib.util.find_spec("jinja2") or "jax" in sys.modules:
    raise ImportError("this is not the environment that was asked for")
good = load({str(ENGINES) + ":Good"!r})
SCENE = load({str(ENGINES) + ":BOWL"!r})


class Far(good):
    card = good.card.model_copy(update={{"version": only_there.VERSION}})
"""
CONFIG = """
[audit]
engines = ["far"]
testbeds = ["sim.py:SCENE"]
codes = ["GC204", "GC206"]

[engines.far]
target = "sim.py:Far"
python = "there/bin/python"
"""


def packages(folder: Path) -> Path:
    """Where packages of the environment in `folder` are looked for."""
    found = next(folder.glob("lib/python*/site-packages"), folder / "Lib" / "site-packages")
    assert found.is_dir()
    return found


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with what a worker needs, a module of its own, and a JAX that no worker may
    import."""
    folder = tmp_path_factory.mktemp("project") / "there"
    venv.create(folder, symlinks=True)
    spec = importlib.util.find_spec("numpy")
    assert spec is not None
    assert spec.origin is not None
    ours = Path(spec.origin).parents[1]
    for name in NEEDED:
        if (ours / name).exists():
            (packages(folder) / name).symlink_to(ours / name)
    (packages(folder) / "only_there.py").write_text('VERSION = "far away"\n')
    (packages(folder) / "jax.py").write_text('raise ImportError("a JAX that conflicts")\n')
    return folder


@pytest.fixture(scope="module")
def project(there: Path) -> Path:
    (there.parent / "sim.py").write_text(ENGINE)
    (there.parent / "gradcheck.toml").write_text(CONFIG)
    (there.parent / "deep").mkdir()
    return there.parent


def test_an_engine_runs_in_its_own_environment(project: Path) -> None:
    """Asked for in a folder of the project, by the configuration alone."""
    result = subprocess.run(
        [sys.executable, "-m", "gradcheck", "audit", "--out", "out"],
        cwd=project / "deep",
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stderr == ""
    report = Report.load(project / "deep" / "out" / "report.json")
    assert [(job.engine, job.testbed, job.status) for job in report.jobs] == [
        ("far", "sim.py:SCENE", Status.OK)
    ]
    assert report.evidence[0].card.version == "far away"
    assert {one.code: one.verdict for one in report.findings} == {"GC204": "PASS", "GC206": "PASS"}
    assert "jinja2" not in report.provenance.versions
    resumed = gradcheck.audit(out=project / "deep" / "out", resume=True)
    assert resumed.findings == report.findings


def test_what_is_there_is_told(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)  # it finds our package all the same
    found = probe(str(there / "bin" / "python"), "far")
    assert found.source == software.here().source
    assert "numpy" not in found.versions  # it has no metadata there
    assert found.python == software.here().python


def test_an_environment_without_what_a_worker_needs(there: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    python = tmp_path / "bare" / "bin" / "python"
    with pytest.raises(BadInput) as caught:
        probe(str(python), "far")
    assert str(caught.value) == (
        f"the Python of engine far, {python}, cannot import pydantic: "
        f"run {python} -m pip install numpy 'pydantic>=2.9' scipy"
    )


def test_an_older_pydantic_is_told_by_name(there: Path, tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text("class BaseModel: pass\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {there}/bin/python "$@"\n')
    python.chmod(0o755)
    with pytest.raises(BadInput, match=r"cannot import pydantic: run .* 'pydantic>=2\.9'"):
        probe(str(python), "far")


@pytest.mark.parametrize(
    ("script", "mode", "complaint"),
    [
        (None, 0, r"is not there: correct `python` under \[engines\.far\]"),
        ("#!/bin/sh\nexit 0\n", 0o644, "does not start: Permission denied"),
        ("no program", 0o755, "does not start: Exec format error"),
        ("#!/bin/sh\necho 3.8; exit 31\n", 0o755, "is Python 3.8; .* needs 3.11 or newer"),
        ("#!/bin/sh\necho hello\n", 0o755, "does not run gradcheck's worker"),
        ("#!/bin/sh\necho oh no >&2; exit 1\n", 0o755, "gradcheck's worker: oh no"),
    ],
)
def test_what_is_no_python(tmp_path: Path, script: str | None, mode: int, complaint: str) -> None:
    python = tmp_path / "python"
    if script is not None:
        python.write_text(script)
        python.chmod(mode)
    with pytest.raises(BadInput, match=complaint) as caught:
        probe(str(python), "far")
    assert "\n" not in str(caught.value)


def test_a_bad_environment_is_told_before_measuring(tmp_path: Path) -> None:
    config = tmp_path / "gradcheck.toml"
    config.write_text('[engines.mujoco]\npython = "gone/bin/python"\n')
    with pytest.raises(BadInput, match=r"the Python of engine mujoco, .*/gone/bin/python, is not"):
        gradcheck.audit(
            ["closed_form", "mujoco"], ["pendulum"], config=config, out=tmp_path / "out"
        )
    assert not (tmp_path / "out" / "artifacts").exists()
