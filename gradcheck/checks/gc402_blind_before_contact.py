"""GC402: blind before contact."""

from typing import final

import numpy as np

from gradcheck.artifact import SweepResult
from gradcheck.checks.check import AbstractCheck, Limit, worst_first
from gradcheck.curve import Curve
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict, Where
from gradcheck.match import Outcome, limit_of, matches

NEAREST = 1e-3
"""A loss that stands still over less than this part of a typical change is flat, not blind."""


@final
class GC402BlindBeforeContact(AbstractCheck):
    """The gradient is not zero just because contact has not happened yet.

    What it measures
    ----------------
    Stretches of a sweep on which the gradient is exactly 0 and the output stands still, beside
    others on which it moves; and nominal inputs whose output stands still under small changes
    and moves under larger ones.

    Why it matters
    --------------
    Before contact the derivative is truly 0: right, and blind. An optimiser that starts there
    does not move, although a finite push would reach the object.

    Failing example
    ---------------
        loss = jnp.maximum(0.0, push - gap)     # push < gap: gradient 0 everywhere

    Cure
    ----
    Start in contact, add a distance term to the loss, or smooth: the mean under noise has a
    slope before contact (GC501).

    Limits
    ------
    No blind stretch. The output must stand still, within its noise, over at least a thousandth
    of a typical change: less is a flat minimum. This is a warning: the derivative is right.

    References
    ----------
    Suh, Pang, Tedrake, Bundled Gradients through Contact via Randomized Smoothing
    (arXiv 2109.05143).
    """

    code = "GC402"
    name = "blind-before-contact"
    needs = ("agreement",)
    uses = ("sweep",)
    title = "Not blind before contact"
    failure_title = "The gradient is right and blind before contact"
    error_title = "Blindness was not measured"
    compared = False
    limit = Limit(value=0, unit="blind share", why="a zero gradient moves no optimiser")

    def judge(self, evidence: Evidence) -> list[Finding]:
        """A finding for each blind coordinate and for the sweep."""
        findings = []
        sweep = evidence.get(SweepResult)
        if sweep is not None:
            findings += self._sweep(evidence, sweep)
        else:
            absent = self.absent(evidence, "sweep")
            if absent is not None and absent.verdict is Verdict.ERROR:
                findings.append(absent)
        findings += self._nominal(evidence)
        if not findings:
            said = "no input whose output stands still nearby and moves farther off"
            findings.append(self.finding(evidence, Verdict.PASS, said, value=0, uncertainty=0))
        return worst_first(findings)

    def _sweep(self, evidence: Evidence, sweep: SweepResult) -> list[Finding]:
        gradient = np.array(sweep.gradients, np.float64)
        difference = np.abs(np.array(sweep.differences, np.float64))
        largest = float(np.nanmax(difference)) if np.isfinite(difference).any() else 0.0
        still = (gradient == 0.0) & (difference <= limit_of(evidence).value * largest)
        if largest == 0.0 or not still.any() or still.all():
            return []
        points = np.array(sweep.points, np.float64)
        share = float(still.mean())
        said = (
            f"{sweep.label}: the gradient is exactly 0 and right on {share:.0%} of the sweep, "
            f"from {points[still].min():.4g} to {points[still].max():.4g}; elsewhere the slope "
            f"reaches {largest:.4g}"
        )
        where = Where(input=sweep.input, coordinate=sweep.index, label=sweep.label)
        return [
            self.finding(
                evidence,
                Verdict.WARN,
                said,
                input=sweep.input,
                value=share,
                uncertainty=1 / len(points),  # where contact begins is known to one point
                where=where,
            )
        ]

    def _nominal(self, evidence: Evidence) -> list[Finding]:
        blind = [
            (reach, match.curve)
            for match in matches(evidence)
            if match.curve.role == "coordinate"
            and match.exact_zero
            and match.outcome is Outcome.AGREES
            and (reach := _reach(match.curve)) is not None
        ]
        return [self._curve(evidence, reach, curve) for reach, curve in blind]

    def _curve(self, evidence: Evidence, reach: float, curve: Curve) -> Finding:
        said = (
            f"{curve.label}: the gradient is 0 and right, the output stands still up to changes "
            f"of {reach:.2g} and moves beyond (typical change {curve.scale:.2g})"
        )
        where = Where(input=curve.input, coordinate=curve.index, label=curve.label)
        return self.finding(
            evidence,
            Verdict.WARN,
            said,
            input=curve.input,
            value=reach,
            uncertainty=_next(curve, reach) - reach,  # known to one step of the curve
            where=where,
        )


def _reach(curve: Curve) -> float | None:
    """The largest step up to which the loss stands still, where it moves beyond; else None."""
    steps = np.array(curve.steps)
    values = np.array([curve.plus, curve.minus])
    moved = np.any(np.abs(values - curve.value) > 2 * curve.noise_floor(), axis=0)
    if not moved.any() or moved[0]:
        return None
    reach = float(steps[int(np.argmax(moved)) - 1])
    return reach if reach >= NEAREST else None


def _next(curve: Curve, reach: float) -> float:
    """The step above `reach`."""
    return min(step for step in curve.steps if step > reach)
