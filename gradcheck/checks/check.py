"""The base of every check: a pure judgement of recorded numbers."""

import abc
from typing import ClassVar

from gradcheck.evidence import Evidence
from gradcheck.finding import Finding
from gradcheck.record import Record


class Limit(Record):
    """The number a value is held against: `if not value <= limit: FAIL`, so NaN fails."""

    value: float
    unit: str
    why: str


class AbstractCheck(abc.ABC):
    """One code. Its docstring has the sections *What it measures*, *Why it matters*,
    *Failing example*, *Cure*, *Limits*, *References*, from which `gradcheck explain`, the
    documentation page and the report's text are made.

    needs: kinds of artifact without which there is no judgement. A missing one becomes ERROR
    where measuring failed and N/A, with the reason, where the engine says that it cannot.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    title: ClassVar[str]
    failure_title: ClassVar[str]
    error_title: ClassVar[str]
    limit: ClassVar[Limit | None]

    @abc.abstractmethod
    def judge(self, evidence: Evidence) -> list[Finding]:
        """Findings, the worst first; at least one. Only called when `needs` are all there."""
