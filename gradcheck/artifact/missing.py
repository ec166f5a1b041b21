"""A measurement that was not made."""

from typing import Literal

from gradcheck.artifact.base import Artifact


class Missing(Artifact):
    """A measurement that was not made. `error` tells a fault (crash, time-out, NaN, wrong shape)
    from an engine that says that it cannot."""

    kind: Literal["missing"] = "missing"
    measurement: str
    reason: str
    error: bool
