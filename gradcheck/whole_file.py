"""Files that are written whole or not at all, so that a kill leaves no half of one."""

import os
from contextlib import suppress
from pathlib import Path

from gradcheck.engine import BadInput


def require_file(path: str | Path) -> None:
    """Raise `BadInput` for a pipe or a device, whose reading might wait for ever."""
    place = Path(path)
    if place.exists() and not place.is_file() and not place.is_dir():
        raise BadInput(f"cannot read {path}: that is a pipe or a device; give a file")


def write(path: str | Path, content: str | bytes) -> None:
    """Write the file, and its folder where it is absent. Raises `BadInput` where that fails."""
    # Through links: what is replaced is the file that they lead to.
    target = Path(os.path.realpath(path))
    if os.path.lexists(target) and not target.is_file():
        # Replacing a device or a pipe would put a plain file in its place.
        raise BadInput(f"cannot write {path}: that is no file; choose another place")
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        os.replace(partial, target)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise BadInput(
            f"cannot write {path}: {error.strerror}; choose another output folder"
        ) from error
