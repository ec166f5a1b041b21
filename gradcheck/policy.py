"""What a project asks of the gate: `[gate]` in `gradcheck.toml`, or `[tool.gradcheck.gate]`.

[gate]
baseline = "gradcheck-baseline.json"   # relative to the file that says so
noise = 4.0                            # see GateSettings
new_warnings = "error"                 # a PASS that becomes a WARN: "off", "warn" or "error"

[[gate.rule]]                          # the last rule that fits a finding decides
code = "GC6*"                          # *, ? and [...] as in file names; left out: any
engine = "mjx*"
testbed = "drop"
policy = "warn"                        # "off": not compared; "warn": told; "error": fails

[[gate.limit]]                         # an absolute limit on a value, in place of the baseline's
code = "GC601"
limit = 8.0
"""

from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Protocol

from pydantic import Field

from gradcheck.record import Record

ANY = "*"
NOISE = 4.0


class Policy(StrEnum):
    """What a difference does: nothing, since it is not looked for; a warning; a failure."""

    OFF = "off"
    WARN = "warn"
    ERROR = "error"


class Place(Protocol):
    """What rules are asked about: a finding, or (code empty) a job."""

    @property
    def code(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def testbed(self) -> str: ...


class Pattern(Record):
    """Findings by code, engine and testbed, with the wildcards of file names; `*` fits any.

    A pattern with a code fits no job: an engine that crashes is nobody's single check.
    """

    code: str = ANY
    engine: str = ANY
    testbed: str = ANY

    def fits(self, place: Place) -> bool:
        """Is that finding, or that job, among them?"""
        return (
            fnmatchcase(place.code, self.code)
            and fnmatchcase(place.engine, self.engine)
            and fnmatchcase(place.testbed, self.testbed)
        )

    def __str__(self) -> str:
        return f"code {self.code}, engine {self.engine}, testbed {self.testbed}"


class Rule(Pattern):
    """What differences of the findings that it fits do."""

    policy: Policy


class GateLimit(Pattern):
    """An absolute limit: the value of what it fits may be at most this, whatever it was before.

    It takes the place of the comparison with the baseline's value, and allows a WARN.
    """

    code: str
    limit: float = Field(allow_inf_nan=False)


class GateSettings(Record):
    """How the gate judges.

    noise: a value has moved when it differs by more than this many times the uncertainties that
    both runs recorded, taken together (the root of the sum of their squares). At least 1. Where
    uncertainties are standard deviations, 4 means one false alarm in 16 thousand comparisons,
    and an audit makes hundreds.
    """

    baseline: str = "gradcheck-baseline.json"
    noise: float = Field(default=NOISE, ge=1, allow_inf_nan=False)
    new_warnings: Policy = Policy.ERROR
    rule: list[Rule] = Field(default_factory=list)
    limit: list[GateLimit] = Field(default_factory=list)

    def policy(self, place: Place) -> Policy:
        """The policy of the last rule that fits; without any, a difference is an error."""
        return next((one.policy for one in reversed(self.rule) if one.fits(place)), Policy.ERROR)

    def limit_on(self, place: Place) -> float | None:
        """The last absolute limit that fits, if any."""
        return next((one.limit for one in reversed(self.limit) if one.fits(place)), None)
