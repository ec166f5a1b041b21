"""Any remedy as a record, and what it did: what a report needs to name those that were on."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from gradcheck.record import Record
from gradcheck.remedies.clip import MedianClip
from gradcheck.remedies.smooth import StiffnessSchedule
from gradcheck.remedies.truncate import Truncation

Remedy = Annotated[MedianClip | Truncation | StiffnessSchedule, Field(discriminator="kind")]
# Those that act between the steps of a backward pass.
BackwardRemedy = MedianClip | Truncation


class Effect(Record):
    """What a remedy did in one backward pass.

    `changed` of `total` cotangents (one a sample and step) were scaled down or cut; `non_finite`
    held NaN or infinity and were set to zero.
    """

    remedy: Remedy
    changed: int
    non_finite: int
    total: int

    def describe(self) -> str:
        """In a line: the remedy, and how often it acted."""
        said = f"{self.remedy.describe()}: {self.changed} of {self.total} cotangents changed"
        return said + (f", {self.non_finite} not finite set to zero" if self.non_finite else "")


def described(remedies: Iterable[Remedy]) -> str:
    """All that were on, in a line; "none" where none was."""
    return "; ".join(one.describe() for one in remedies) or "none"
