"""The wheel holds what the tree holds: a sub-package that is not listed is silently left out."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAPPED = {"gradcheck/": "gradcheck/"} | {
    f"{name}/": f"gradcheck/{name}/" for name in ("engines", "testbeds", "reports")
}


def tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return listing.stdout.splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names in a wheel built from a copy of the tracked files, without the links."""
    copy = tmp_path_factory.mktemp("clone")
    for name in tracked():
        source = ROOT / name
        if source.is_symlink() or not source.is_file():
            continue
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    result = subprocess.run([*build, str(copy)], check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    (path,) = out.glob("*.whl")
    return set(zipfile.ZipFile(path).namelist())


def test_wheel_holds_every_file_of_the_packages(wheel: set[str]) -> None:
    expected = set()
    for name in tracked():
        for root, place in MAPPED.items():
            if name.startswith(root) and not (ROOT / name).is_symlink():
                expected.add(place + name.removeprefix(root))
    held = {name for name in wheel if ".dist-info/" not in name}
    assert held == expected


def test_wheel_has_one_import_name(wheel: set[str]) -> None:
    assert {name.split("/")[0] for name in wheel if ".dist-info" not in name} == {"gradcheck"}
