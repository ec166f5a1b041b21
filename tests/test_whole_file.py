"""Files are written whole, and only where a file can be."""

import os
import stat
from pathlib import Path

import pytest

from gradcheck import whole_file
from gradcheck.engine import BadInput


def test_a_file_and_its_folder_are_written(tmp_path: Path) -> None:
    whole_file.write(tmp_path / "new" / "file", "ü")
    assert (tmp_path / "new" / "file").read_bytes() == "ü".encode()
    assert os.listdir(tmp_path / "new") == ["file"]


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(BadInput, match="pipe: that is no file; choose another place"):
        whole_file.write(pipe, "x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(BadInput, match="that is no file"):
        whole_file.write(tmp_path, "x")
    with pytest.raises(BadInput, match="that is no file"):
        whole_file.write("", "x")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    whole_file.write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_link_that_leads_in_a_circle_is_told(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(BadInput, match="cannot write"):
        whole_file.write(tmp_path / "one", "x")
    assert (tmp_path / "one").is_symlink()
