"""What a project says of its audits: `gradcheck.toml`, or `[tool.gradcheck]` in `pyproject.toml`.

[audit]                       # what `gradcheck audit` does where its options do not say
engines = ["my_simulator"]
testbeds = ["pendulum", "bounce"]
profile = "quick"

[engines.my_simulator]        # a name of its own for an engine
target = "my_simulator.py:MyEngine"
python = "other/venv/bin/python"   # the interpreter that runs it, where not this one

[gate]                        # how `gradcheck gate` judges: see gradcheck/policy.py
baseline = "gradcheck-baseline.json"
"""

import tomllib
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from gradcheck.engine import BadInput
from gradcheck.policy import GateLimit, GateSettings, Rule
from gradcheck.record import Record

FILE = "gradcheck.toml"
PROJECT = "pyproject.toml"


def _plain(name: str) -> str:
    """A name that stands in one line of a log and says something there."""
    if not name.strip() or not name.isprintable():
        raise ValueError("a name needs letters, and none that cannot be printed")
    return name


class AuditSettings(Record):
    """Defaults of `gradcheck audit`; None and empty leave the command's own."""

    engines: list[str] = Field(default_factory=list)
    testbeds: list[str] = Field(default_factory=list)
    codes: list[str] = Field(default_factory=list)
    profile: str | None = None
    seed: int | None = Field(default=None, ge=0)
    jobs: int | None = Field(default=None, ge=1)
    time_limit: float | None = Field(default=None, gt=0)
    memory_limit: float | None = Field(default=None, gt=0)
    out: str | None = None


class EngineSettings(Record):
    """One engine by name. `target`: FILE.py:NAME, or another engine's name; `python`: the
    interpreter of its child processes. Both are relative to the file that says so."""

    target: str | None = None
    python: str | None = None


class Config(Record):
    """All of it. `file` is where it was read, None where a project says nothing."""

    audit: AuditSettings = Field(default_factory=AuditSettings)
    engines: dict[Annotated[str, AfterValidator(_plain)], EngineSettings] = Field(
        default_factory=dict
    )
    gate: GateSettings = Field(default_factory=GateSettings)
    file: Path | None = None

    @property
    def folder(self) -> Path:
        """What relative paths in it are relative to."""
        return self.file.parent if self.file is not None else Path()


def find(folder: Path | None = None) -> Config:
    """The configuration of `folder` (by default the current one) or the nearest above it.

    The search ends at a repository's root. Raises `BadInput`, in one line, for a file that does
    not parse or holds what nobody knows.
    """
    start = (folder or Path()).resolve()
    for place in (start, *start.parents):
        for file, key in ((place / FILE, None), (place / PROJECT, "gradcheck")):
            if file.is_file():
                data = _read(file)
                table = data if key is None else data.get("tool", {}).get(key)
                if table is not None:
                    return _config(table, file)
        if (place / ".git").exists():
            break
    return Config()


def load(file: Path) -> Config:
    """The configuration in that `gradcheck.toml` or `pyproject.toml`. Raises `BadInput`."""
    data = _read(file)
    return _config(
        data.get("tool", {}).get("gradcheck", {}) if file.name == PROJECT else data, file
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{file} is not TOML: {error}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not UTF-8 text: save it as UTF-8") from None
    except OSError as error:
        raise BadInput(f"cannot read {file}: {error.strerror}") from None


def _config(table: Any, file: Path) -> Config:
    try:
        return Config.model_validate({**table, "file": file})
    except (ValidationError, TypeError) as error:
        raise BadInput(f"{file}: {_complaint(error)}") from None


def _complaint(error: ValidationError | TypeError) -> str:
    if not isinstance(error, ValidationError):
        return "[tool.gradcheck] is not a table"
    # A misspelt key is also a missing one: say which word nobody knows.
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    place = ".".join(one if one.isprintable() else ascii(one) for one in map(str, first["loc"]))
    if first["type"] != "extra_forbidden":
        return f"{place}: {first['msg']}"
    known = _known(first["loc"][:-1])
    return f"unknown key {place}; there are {', '.join(known)}" if known else f"unknown {place}"


def _known(place: tuple[int | str, ...]) -> list[str]:
    """The keys of the table at that place."""
    tables: dict[tuple[str, ...], type[Record]] = {
        (): Config,
        ("audit",): AuditSettings,
        ("engines",): EngineSettings,
        ("gate",): GateSettings,
        ("gate", "rule"): Rule,
        ("gate", "limit"): GateLimit,
    }
    names = tuple(one for one in place if isinstance(one, str))
    # Engines are tables under names of their own.
    record = tables.get(names[:1] if names[:1] == ("engines",) else names)
    return [name for name in record.model_fields if name != "file"] if record else []
