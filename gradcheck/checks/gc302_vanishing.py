"""GC302: vanishing over the horizon."""

import math
from typing import NamedTuple, final

import numpy as np

from gradcheck.artifact import Horizon, Ladder
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.checks.resolution import rounding
from gradcheck.checks.trend import trend
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict, Where
from gradcheck.rung import ordered, size

LOST = float(1 / np.sqrt(np.finfo(np.float64).eps))

TOLD = 100.0
"""A fall from which on a rate is read: less may be one event."""


class Decay(NamedTuple):
    """One input: its gradient's largest size, its last one, and between which horizons.

    `rate`: of an exponential, in 1/s, where one fits better than a power of the horizon.
    """

    name: str
    peak: float
    peak_steps: int
    last: float
    last_steps: int
    below_noise: int | None
    rate: float | None

    @property
    def factor(self) -> float:
        """Peak over last; infinite for a last one of exactly 0."""
        return self.peak / self.last if self.last else math.inf


LIMIT = Limit(value=LOST, unit="decay", why="half of float64's digits, 1/sqrt(eps)")


@final
class GC302Vanishing(AbstractCheck):
    """The gradient does not decay below what can be told from noise.

    What it measures
    ----------------
    By input: the largest gradient entry over the horizons of the ladder, and by how much it has
    fallen at the longest; the rate; the first horizon at which it is below the uncertainty of
    the differences that it is held against.

    Why it matters
    --------------
    Dissipation makes a final state forget its start. The gradient is then right and useless: an
    update from it is rounding noise, scaled up by the optimiser.

    Failing example
    ---------------
        v = v * (1 - 10 * dt)        # after 5 s the initial velocity has left the loss

    Cure
    ----
    Shorten the horizon, add losses along the way, or optimise what acts later (controls).

    Limits
    ------
    A fall by 6.7e7 = 1/sqrt(eps), half of float64's digits. A gradient that becomes exactly 0
    while the output does not move either is named apart: out of contact, or ignored.

    References
    ----------
    Bengio, Simard, Frasconi, Learning Long-Term Dependencies with Gradient Descent is Difficult,
    IEEE Trans. Neural Networks 5 (1994).
    """

    code = "GC302"
    name = "vanishing"
    needs = ("horizon",)
    title = "No gradient vanishes over the horizon"
    failure_title = "A gradient vanishes over the horizon"
    error_title = "Decay over the horizon was not measured"
    compared = False
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: the input that fades most."""
        horizon = self.needed(evidence, Horizon)
        if not horizon.ladders or len(horizon.ladders[0].rows) < 2:
            said = "fewer than two horizons: no decay can be read"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        ladder = horizon.ladders[0]
        names = [one.name for one in evidence.testbed.inputs if one.name in ladder.rows[0].gradient]
        decays = [_decay(evidence, ladder, name) for name in names]
        broken = [one for one in decays if not math.isfinite(one.last)]
        if broken:
            one = broken[0]
            said = f"{one.name}: the gradient is not finite at {one.last_steps} steps"
            where = Where(shortest_horizon=one.last_steps, input=one.name)
            return [
                self.finding(
                    evidence, Verdict.FAIL, said, input=one.name, value=math.nan, where=where
                )
            ]
        zeros = [one.name for one in decays if one.peak > 0 and one.last == 0.0]
        faded = [one for one in decays if one.last > 0 and one.factor > LIMIT.value]
        named = f"; exactly 0 in the end, out of contact or ignored: {', '.join(zeros)}"
        if faded:
            worst = max(faded, key=lambda one: one.factor)
            said = f"{_text(worst, ladder.dt)}; {len(faded)} of {len(names)} inputs"
            said += named if zeros else ""
            where = Where(shortest_horizon=worst.last_steps, input=worst.name)
            return [
                self.finding(
                    evidence,
                    Verdict.WARN,
                    said,
                    input=worst.name,
                    value=worst.factor,
                    uncertainty=rounding(evidence) * worst.factor,
                    where=where,
                )
            ]
        alive = [one for one in decays if one.last > 0]
        if not alive:
            said = "no input has a gradient other than 0 at the longest horizon"
            return [
                self.finding(
                    evidence,
                    Verdict.NOT_APPLICABLE,
                    said,
                    signature=Signature.IGNORED_INPUT,
                )
            ]
        worst = max(alive, key=lambda one: one.factor)
        said = _text(worst, ladder.dt) + (named if zeros else "")
        doubt = rounding(evidence) * worst.factor
        return [self.finding(evidence, Verdict.PASS, said, value=worst.factor, uncertainty=doubt)]


def _decay(evidence: Evidence, ladder: Ladder, name: str) -> Decay:
    rows = ordered(ladder)
    sizes = [size(row, evidence.testbed, name) for row in rows]
    finite = [s if math.isfinite(s) else 0.0 for s in sizes]
    peak = int(np.argmax(finite))
    noise = None
    for row in rows[peak + 1 :]:
        pairs = zip(row.gradient[name], row.uncertainty[name], strict=True)
        if noise is None and all(0 < abs(g) <= doubt for g, doubt in pairs):
            noise = row.steps
    falls = trend([row.steps for row in rows[peak:]], ladder.dt, sizes[peak:])
    rate = -falls.rate if falls is not None and falls.exponential and falls.rate < 0 else None
    return Decay(name, finite[peak], rows[peak].steps, sizes[-1], rows[-1].steps, noise, rate)


def _text(decay: Decay, dt: float) -> str:
    if decay.peak == decay.last:
        return f"{decay.name}: largest at the longest horizon, {decay.last_steps} steps"
    said = (
        f"{decay.name}: falls from {decay.peak:.3g} at {decay.peak_steps} steps to "
        f"{decay.last:.3g} at {decay.last_steps}"
    )
    if decay.rate is not None and decay.factor > TOLD:
        horizon = decay.peak_steps + math.log(LOST) / decay.rate / (dt or 1.0)
        said += f", as exp(-{decay.rate:.4g} t), half of float64's digits by {horizon:.0f} steps"
    if decay.below_noise is not None:
        said += f", below the noise of the differences from {decay.below_noise} steps on"
    return said
