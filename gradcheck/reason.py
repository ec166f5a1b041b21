"""Why something failed, in one line."""

import traceback
from pathlib import Path

LONGEST = 300


def one_line(text: str) -> str:
    """The text without line breaks, shortened to what a table can show."""
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"


def reason(error: BaseException) -> str:
    """The kind of the error and its message: `ValueError: no such joint`."""
    text = one_line(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place(error: BaseException, file: str) -> str:
    """` (engine.py, line 12)`: the innermost line of `file` that the error went through."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return f" ({Path(file).name}, line {lines[-1]})" if lines else ""
