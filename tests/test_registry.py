"""Names of engines and testbeds, and what is said about wrong ones."""

import importlib.metadata
from pathlib import Path

import pytest

from gradcheck import registry
from gradcheck.engine import BadInput, Unsupported
from gradcheck.engines.faulty_table import FAULTS

FILE = Path(__file__).parent / "engines" / "misbehaving.py"


def test_every_built_in_engine_can_be_made() -> None:
    for name in registry.ENGINES:
        assert registry.engine(name).card.name


def test_every_testbed_carries_its_name() -> None:
    assert registry.testbed_names()
    for name in registry.testbed_names():
        assert registry.testbed(name).name == name


def test_a_fault_is_an_engine() -> None:
    first = next(iter(FAULTS))
    assert registry.engine(f"faulty:{first}").card.name


def test_a_family_stands_for_its_variants() -> None:
    assert registry.expand("particles") == [
        "particles:ideal",
        "particles:toi",
        "particles:penalty",
    ]
    assert registry.expand("faulty") == [f"faulty:{fault}" for fault in FAULTS]
    assert registry.expand("mjx") == ["mjx"]


def test_engines_from_files_by_class_and_by_instance(tmp_path: Path) -> None:
    assert registry.engine(f"{FILE}:Good").card.name == "good"
    other = tmp_path / "instance.py"
    other.write_text(
        "from gradcheck.engines.closed_form import ClosedForm\nengine = ClosedForm()\n"
    )
    assert registry.engine(f"{other}:engine").card.name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mujco", "unknown engine 'mujco'; did you mean mujoco"),
        ("faulty:no_such_fault", "unknown engine 'faulty:no_such_fault'"),
        ("quantum", "gradcheck list engines shows all"),
        (f"{FILE}:NeedsArguments", "cannot be made without arguments (TypeError: "),
        (f"{FILE}:NoCard", "has no card"),
        (f"{FILE}:not_an_engine", "is a function that is not a gradcheck.AbstractEngine"),
        (f"{FILE}:Bowl", "is a class that is not a gradcheck.AbstractEngine"),
        (f"{FILE}:BOWL", "is a Testbed that is not a gradcheck.AbstractEngine"),
    ],
)
def test_wrong_engines(name: str, text: str) -> None:
    with pytest.raises(BadInput) as error:
        registry.engine(name)
    assert text in str(error.value)
    assert "\n" not in str(error.value)


def test_wrong_testbeds(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="unknown testbed 'bounse'; did you mean"):
        registry.testbed("bounse")
    with pytest.raises(BadInput, match=r"is a class, not a gradcheck.Testbed"):
        registry.testbed(f"{FILE}:Good")


def test_a_model_that_does_not_compile(tmp_path: Path) -> None:
    file = tmp_path / "broken_model.py"
    file.write_text(BROKEN_MODEL)
    with pytest.raises(BadInput, match=r"the MJCF of .*:TESTBED does not compile: ValueError: "):
        registry.testbed(f"{file}:TESTBED")


BROKEN_MODEL = """
import numpy as np
from gradcheck import Family, Input, Mjcf, Testbed

TESTBED = Testbed(
    name="broken", question="?", family=Family.CONTACT, source="",
    inputs=(Input("qpos", np.zeros(1)),), outputs=("z",), weights=(1.0,),
    scenes=(Mjcf("<mujoco><worldbody><geom type='plnae'/></worldbody></mujoco>", {}),),
)
"""


def test_a_missing_library_is_told_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = registry.Entry("no_such_library", "Engine", needs="'gradcheck[lib]'")
    monkeypatch.setitem(registry.ENGINES, "lib", entry)
    with pytest.raises(Unsupported, match=r"run pip install 'gradcheck\[lib\]'"):
        registry.engine("lib")


def test_an_installed_package_adds_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    good = importlib.metadata.EntryPoint(
        "theirs", "gradcheck.engines.closed_form:ClosedForm", registry.GROUP
    )
    bad = importlib.metadata.EntryPoint("broken", "no_such_library:Engine", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: (good, bad))
    assert {"theirs", "broken"} <= set(registry.engine_names())
    assert registry.engine("theirs").card.name
    with pytest.raises(BadInput, match="the engine 'broken' of an installed package"):
        registry.engine("broken")


def test_engines_that_share_a_process() -> None:
    assert registry.group("particles:toi") == registry.group("faulty:anything")
    assert registry.group("mjx") == registry.group("mjx:reverse")
    assert registry.group("mjx") != registry.group("mujoco")
    assert registry.group("a.py:One") == registry.group("a.py:Two") != registry.group("b.py:One")
    assert registry.group("drake:sap") == registry.group("drake:tamsi")


def test_names_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a report's snippets run in the project that the report is about."""
    (tmp_path / "gradcheck.toml").write_text(
        f'[engines.mine]\ntarget = "{FILE}:Good"\n'
        '[engines.balls]\ntarget = "particles:toi"\n'
        '[engines.far]\ntarget = "x.py:X"\npython = "venv/bin/python"\n'
        '[engines.loop]\ntarget = "pool"\n[engines.pool]\ntarget = "loop"\n'
    )
    monkeypatch.chdir(tmp_path)
    assert registry.engine("mine").card.name == "good"
    assert registry.engine("balls").card == registry.engine("particles:toi").card
    with pytest.raises(Unsupported, match="far runs in another Python: call this from venv/bin"):
        registry.engine("far")
    with pytest.raises(BadInput, match="unknown engine 'loop'"):
        registry.engine("loop")
