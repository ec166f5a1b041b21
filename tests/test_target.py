"""`path/to/file.py:Name`: each way to get it wrong has one clear line."""

from pathlib import Path

import pytest

from gradcheck import target
from gradcheck.engine import BadInput

FILES = {
    "good.py": "import sibling\nvalue = sibling.value\n",
    "sibling.py": "value = 7\n",
    "broken.py": "def f(:\n",
    "absent.py": "import no_such_library\nvalue = 1\n",
    "leaving.py": "import sys\nvalue = 1\nsys.exit(4)\n",
    "conditional.py": "if False:\n    value = 1\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_file_is_imported_beside_its_siblings(folder: Path) -> None:
    assert target.load(f"{folder}/good.py:value") == 7


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nowhere.py:value", "there is no file"),
        ("good.py", "does not say which object"),
        ("good.py:valeu", "has no name 'valeu' (it defines: sibling, value)"),
        ("broken.py:f", "does not parse: SyntaxError"),
        ("absent.py:value", "absent.py does not import, line 1: ModuleNotFoundError: No module"),
        ("leaving.py:value", "leaving.py does not import, line 3: SystemExit: 4"),
        ("conditional.py:value", "has no name 'value' once imported"),
    ],
)
def test_errors(folder: Path, name: str, text: str) -> None:
    with pytest.raises(BadInput) as error:
        target.load(f"{folder}/{name}")
    assert text in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_failed_is_not_taken_for_imported(folder: Path) -> None:
    for _ in range(2):
        with pytest.raises(BadInput, match="does not import"):
            target.load(f"{folder}/absent.py:value")


def test_only_files_are_targets() -> None:
    assert target.is_target("a/b.py:C")
    assert target.is_target("b.py")
    assert not target.is_target("particles:toi")


@pytest.mark.parametrize("name", ["bad\udcff.py", "two\nlines.py", "a\u202eb.py", "nul\0.py"])
def test_a_file_name_that_no_report_can_tell_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="holds what cannot be written: rename the file") as caught:
        target.split(f"{name}:Engine")
    str(caught.value).encode()
    assert "\n" not in str(caught.value)


def test_files_are_followed_through_what_they_import_beside_them(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    texts = {
        "engine.py": "import numpy\nfrom helper import thing\nfrom pack.part import other\n",
        "helper.py": "import engine\n",
        "pack/__init__.py": "from . import deep\n",
        "pack/part.py": "from .deep import this\nother = this\n",
        "pack/deep.py": "this = 1\n",
        "stranger.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = {
        str(Path(one).resolve().relative_to(tmp_path.resolve()))
        for one in target.files(f"{tmp_path / 'engine.py'}:Engine")
    }
    assert found == set(texts) - {"stranger.py"}
