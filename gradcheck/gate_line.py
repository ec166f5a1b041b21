"""One line of the gate: a difference between two audits, and what it does."""

from enum import StrEnum
from typing import Self

from gradcheck.finding import Verdict
from gradcheck.policy import Place, Policy
from gradcheck.record import Record
from gradcheck.reports.legible import one_line

LONGEST = 600


class Level(StrEnum):
    """What a difference does: it fails the gate, it is to be looked at, or it is told."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @classmethod
    def under(cls, policy: Policy) -> "Level":
        """What a difference of the bad kind does under a policy (not off)."""
        return cls.ERROR if policy is Policy.ERROR else cls.WARNING


class Line(Record):
    """One difference in one line of printable text. Empty names stand for all.

    verdict: of the finding in this audit, where it is about one. better: is it an improvement?
    """

    level: Level
    code: str = ""
    engine: str = ""
    testbed: str = ""
    subject: str = ""
    text: str
    verdict: Verdict | None = None
    better: bool = False

    @classmethod
    def at(
        cls,
        level: Level,
        place: Place,
        text: str,
        subject: str = "",
        *,
        verdict: Verdict | None = None,
        better: bool = False,
    ) -> Self:
        """A line about one finding or job; whatever names and messages hold is made harmless."""
        return cls(
            level=level,
            code=one_line(place.code),
            engine=one_line(place.engine),
            testbed=one_line(place.testbed),
            subject=one_line(subject),
            text=one_line(text, LONGEST),
            verdict=verdict,
            better=better,
        )

    @classmethod
    def of(cls, level: Level, text: str) -> Self:
        """A line about the audit as a whole."""
        return cls(level=level, text=one_line(text, LONGEST))

    @property
    def title(self) -> str:
        """What it is about: `GC201 mjx on drop, qpos`."""
        pair = " on ".join(name for name in (self.engine, self.testbed) if name)
        whole = " ".join(name for name in (self.code, pair) if name)
        return f"{whole}, {self.subject}" if self.subject else whole

    def __str__(self) -> str:
        return f"{self.title}: {self.text}" if self.title else self.text
