"""Which engines on which testbeds, and what names of the configuration stand for."""

import os
from pathlib import Path

import pytest

from gradcheck import config
from gradcheck.config import Config, EngineSettings
from gradcheck.engine import BadInput
from gradcheck.plan import DEFAULT_PLAN, Source, plan

ENGINES = Path(__file__).parent / "engines" / "misbehaving.py"


def names(*wanted: object) -> list[tuple[str, str]]:
    return [(engine.name, one.name) for engine, one in plan(*wanted)]  # type: ignore[arg-type]


def test_the_default_plan_names_what_there_is() -> None:
    pairs = names((), ())
    assert pairs == [(engine, one) for engine, many in DEFAULT_PLAN.items() for one in many]
    assert set(pairs) == {pair for engine, one in pairs for pair in names([engine], [one])}


def test_families_and_repeats_in_a_plan() -> None:
    assert names(["particles", "particles:toi"], ["wall"]) == [
        ("particles:ideal", "wall"),
        ("particles:toi", "wall"),
        ("particles:penalty", "wall"),
    ]
    assert [engine for engine, _ in names((), ["wall"])] == list(DEFAULT_PLAN)


def test_a_file_keeps_its_name_and_is_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sim.py").write_text("Mine = SCENE = 1")
    monkeypatch.chdir(tmp_path)
    ((engine, testbed),) = plan(["sim.py:Mine"], ["sim.py:SCENE"])
    assert engine == Source("sim.py:Mine", f"{tmp_path}/sim.py:Mine")
    assert testbed == Source("sim.py:SCENE", f"{tmp_path}/sim.py:SCENE")
    with pytest.raises(BadInput, match=r"there is no file absent\.py: write"):
        plan(["absent.py:Mine"], [])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, seen from a folder in it."""
    (tmp_path / "sim.py").write_text("Mine = SCENE = 1")
    (tmp_path / "gradcheck.toml").write_text(
        "[audit]\n"
        'engines = ["mine", "sim.py:Mine"]\n'
        'testbeds = ["sim.py:SCENE"]\n'
        "[engines.mine]\n"
        'target = "sim.py:Mine"\n'
        "[engines.far]\n"
        'target = "only_there"\n'
        'python = "venv/bin/python"\n'
    )
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    return tmp_path


def test_files_in_the_configuration_are_relative_to_it(project: Path) -> None:
    found = plan([], [], config.find())
    whole = f"{project}/sim.py:Mine"
    assert [engine for engine, _ in found] == [
        Source("mine", whole),
        Source("sim.py:Mine", whole),
    ]
    assert {testbed for _, testbed in found} == {Source("sim.py:SCENE", f"{project}/sim.py:SCENE")}
    with pytest.raises(BadInput, match=r"there is no file sim\.py"):  # typed here, it means here
        plan(["sim.py:Mine"], [], config.find())


def test_another_python_may_know_other_names(project: Path) -> None:
    ((engine, _),) = plan(["far"], ["wall"], config.find())
    assert engine == Source("far", "only_there", f"{project}/venv/bin/python")


def test_the_link_that_an_environments_python_is_stays(project: Path) -> None:
    """Resolved, it would be the Python that the environment was made of."""
    (project / "venv" / "bin").mkdir(parents=True)
    (project / "venv" / "bin" / "python").symlink_to(os.path.realpath("/bin/sh"))
    ((engine, _),) = plan(["far"], ["wall"], config.find())
    assert engine.python == f"{project}/venv/bin/python"


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (EngineSettings(target="particles"), "target of engine mine is the family particles"),
        (EngineSettings(target="nothing"), "unknown engine 'nothing'"),
        (EngineSettings(), "unknown engine 'mine'"),
        (EngineSettings(target="absent.py:A"), r"there is no file .*absent\.py"),
    ],
)
def test_names_that_stand_for_nothing(said: EngineSettings, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        plan(["mine"], ["wall"], Config(engines={"mine": said}))


@pytest.mark.parametrize("name", ["closed_form", "particles"])
def test_a_built_in_engine_keeps_its_name(name: str) -> None:
    said = Config(engines={name: EngineSettings(target="equations")})
    with pytest.raises(BadInput, match="has the name of a built-in engine"):
        plan([name], ["wall"], said)


def test_a_target_that_is_another_name_given_here_is_told() -> None:
    said = Config(engines={"a": EngineSettings(target="b"), "b": EngineSettings(target="a")})
    with pytest.raises(BadInput, match="the target of engine a is b, a name given here as well"):
        plan(["a"], ["wall"], said)


def test_settings_hold_for_one_of_a_family_and_in_the_default_plan() -> None:
    said = Config(engines={"particles:toi": EngineSettings(python="/other/python")})
    for found in (plan(["particles"], ["wall"], said), plan([], [], said)):
        elsewhere = {engine.name for engine, _ in found if engine.python == "/other/python"}
        assert elsewhere == {"particles:toi"}
