"""One gradient held against one step-size curve: agrees, differs, or cannot be told, and why.

The one place where "agrees with the program" is decided; every check that needs it asks here.
"""

import math
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from gradcheck.artifact import Agreement
from gradcheck.curve import Curve, Slope
from gradcheck.evidence import Evidence
from gradcheck.limit import Limit
from gradcheck.plateau import SETTLED
from gradcheck.taxonomy import Realization

FLOAT64 = Limit(
    value=1e-5,
    unit="relative",
    why="central differences in float64 hold 7 to 10 digits, and a right gradient 12 or more",
)
FLOAT32 = Limit(
    value=1e-2,
    unit="relative",
    why="the gradient itself is computed in float32, which holds 7 digits before a rollout "
    "amplifies its rounding",
)
DIFFERENCES = Limit(
    value=1e-3,
    unit="relative",
    why="the gradient is itself made of difference quotients, whose truncation and noise a "
    "rollout amplifies",
)

NEGLIGIBLE = 1e-5
"""Part of the testbed's largest slope below which a slope counts as zero.

A relative error is taken of the slope, or of this part of the largest one: below it a gradient
is the rounding of the larger ones.
"""


class Outcome(StrEnum):
    """What one curve says about one derivative."""

    AGREES = "agrees"
    DIFFERS = "differs"
    KINK = "kink: left and right slopes stay apart"
    JUMP = "jump: the loss itself is discontinuous"
    UNSETTLED = "the differences settle nowhere"
    SATURATED = "the loss moves over its range at steps that are too small to tell a slope below"
    VOID = "0, -g or 2g would pass too"


class Match(NamedTuple):
    """One curve judged. `error` is |g - D| less the uncertainty of D, over the `scale` of D."""

    curve: Curve
    outcome: Outcome
    slope: Slope
    error: float
    scale: float

    @property
    def exact_zero(self) -> bool:
        """Is the engine's derivative exactly zero?"""
        return self.curve.gradient == 0.0

    @property
    def moves(self) -> bool:
        """Does the program's slope differ from zero by ten uncertainties and more?"""
        return self.slope.uncertainty < SETTLED * abs(self.slope.value)

    @property
    def ratio(self) -> float:
        """Engine over differences; NaN where these are zero."""
        return self.curve.gradient / self.slope.value if self.slope.value else math.nan


def limit_of(evidence: Evidence) -> Limit:
    """The limit of agreement with the program for this engine, with its reason."""
    if evidence.card.realization is Realization.DIFFERENCES:
        return DIFFERENCES
    return FLOAT32 if evidence.card.precision == "float32" else FLOAT64


def matches(evidence: Evidence) -> tuple[Match, ...]:
    """All curves of the agreement artifact judged; empty where it is missing."""
    agreement = evidence.get(Agreement)
    return _judged(_Same(agreement), limit_of(evidence).value) if agreement is not None else ()


class _Same:
    """An artifact as a key by identity: six checks ask for the same curves."""

    def __init__(self, artifact: Agreement) -> None:
        self.artifact = artifact

    def __hash__(self) -> int:
        return id(self.artifact)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.artifact is self.artifact


@lru_cache(maxsize=4)
def _judged(same: _Same, limit: float) -> tuple[Match, ...]:
    curves = same.artifact.curves
    slopes = [curve.program() for curve in curves]
    settled = [abs(s.value) for s in slopes if s.uncertainty <= SETTLED * abs(s.value)]
    largest = max(settled, default=0.0)
    return tuple(judge(c, s, largest, limit) for c, s in zip(curves, slopes, strict=True))


def judge(curve: Curve, slope: Slope, largest: float, limit: float) -> Match:
    """One curve against its engine's derivative, beside slopes of at most `largest`."""
    scale = max(abs(slope.value), NEGLIGIBLE * largest)
    error = excess(curve.gradient, slope.value, slope.uncertainty, scale)
    return Match(curve, _outcome(curve, slope, scale, error, largest, limit), slope, error, scale)


def excess(claimed: float, reference: float, uncertainty: float, scale: float) -> float:
    """|claimed - reference| beyond its uncertainty, over `scale`.

    Infinite for a difference at scale 0, NaN where anything is NaN.
    """
    beyond = abs(claimed - reference) - uncertainty
    if math.isnan(beyond):
        return math.nan
    if beyond <= 0:
        return 0.0
    return beyond / scale if scale else math.inf


def alternatives_pass(
    claimed: float, reference: float, uncertainty: float, scale: float, limit: float
) -> bool:
    """Would 0, -g or 2g pass where g does? Then the test says nothing. Not asked of g = 0."""
    if claimed == 0.0:
        return False
    others = (0.0, -claimed, 2 * claimed)
    return any(excess(other, reference, uncertainty, scale) <= limit for other in others)


def _outcome(
    curve: Curve, slope: Slope, scale: float, error: float, largest: float, limit: float
) -> Outcome:
    if curve.jump():
        return Outcome.JUMP
    if curve.kink():
        left, right = curve.one_sided()
        if abs(right.value - left.value) > limit * scale:
            return Outcome.KINK
    if not math.isfinite(curve.gradient):
        return Outcome.DIFFERS
    if not math.isfinite(slope.value):
        return _undecided(curve, Outcome.UNSETTLED)
    resolved = slope.uncertainty <= SETTLED * scale
    if not error <= limit:
        # Ten uncertainties away is wrong, even where the slope itself is known to no digit.
        far = slope.uncertainty <= SETTLED * abs(curve.gradient - slope.value)
        return Outcome.DIFFERS if resolved or far else _undecided(curve, Outcome.UNSETTLED)
    movement = curve.movement()
    ignored = movement == 0.0 and curve.gradient == 0.0
    # Zero to all digits that matter beside the other slopes, or beside its own motion far off.
    flat = slope.uncertainty <= limit * max(largest, movement)
    if resolved or ignored or flat:
        return Outcome.AGREES
    void = alternatives_pass(curve.gradient, slope.value, slope.uncertainty, scale, limit)
    return _undecided(curve, Outcome.VOID if void else Outcome.UNSETTLED)


def _undecided(curve: Curve, otherwise: Outcome) -> Outcome:
    """Why a curve says nothing."""
    return Outcome.SATURATED if math.isfinite(curve.saturation()) else otherwise
