"""What an audit is asked to do. Imports nothing heavy, so that the command's help is quick."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from gradcheck.config import AuditSettings, Config

T = TypeVar("T")

PROFILE = "quick"
SEED = 0
JOBS = 2
TIME_LIMIT = 120.0
MEMORY_LIMIT = 8.0
OUT = "gradcheck-audit"
LOCAL = "local"


@dataclass(frozen=True)
class Request:
    """None and empty mean: not said. Then `config` says it, where given; else the default above
    holds. On `resume` neither is asked, but what was begun in the folder.

    engines, testbeds: names or FILE.py:NAME; where neither is said, the default plan is run.
    codes: judge only by these checks, and measure what they need. time_limit: seconds for one
    measurement. memory_limit: GiB for one child process. jobs: child processes at once.
    executor: `local`, `dask=ADDRESS`, `ray` or `ray=ADDRESS`. resume: go on with what was begun in
    `out`; retry: and measure again what failed there. formats: what is drawn beside what always
    is (`gradcheck.reports.formats`). command: how the report says it was asked.
    """

    engines: Sequence[str] = ()
    testbeds: Sequence[str] = ()
    codes: Sequence[str] = ()
    profile: str | None = None
    seed: int | None = None
    jobs: int | None = None
    time_limit: float | None = None
    memory_limit: float | None = None
    out: str | Path | None = None
    executor: str = LOCAL
    resume: bool = False
    retry: bool = False
    formats: Sequence[str] = ()
    config: Config | None = None
    command: str = field(default_factory=lambda: shlex.join(["gradcheck", *sys.argv[1:]]))

    @property
    def said(self) -> AuditSettings:
        """What the configuration says of audits."""
        from gradcheck.config import AuditSettings

        return self.config.audit if self.config is not None else AuditSettings()

    @property
    def folder(self) -> Path:
        """Where the report is to lie."""
        if self.out is None and self.config is not None and self.said.out is not None:
            return self.config.folder / Path(self.said.out).expanduser()
        return Path(OUT if self.out is None else self.out)


def first(*said: T | None) -> T:
    """The first that is said; the last always is."""
    return next(one for one in said if one is not None)
