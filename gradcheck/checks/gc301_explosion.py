"""GC301: explosion over the horizon, its cause and the usable horizon."""

import math
from typing import final

from gradcheck import minimal
from gradcheck.artifact import Horizon, Ladder
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.checks.resolution import CARRIED, rounding
from gradcheck.checks.sign import power_of_two
from gradcheck.checks.trend import Trend, trend
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict
from gradcheck.match import limit_of
from gradcheck.rung import Rung, ordered, rungs, size

DOUBLES = 1.5
HALF = 0.5


LIMIT = Limit(
    value=100.0, unit="growth", why="two of a gradient's digits, over the measured horizon"
)


@final
class GC301Explosion(AbstractCheck):
    """The gradient does not grow exponentially with the horizon; if it does, why, and to where
    it is usable.

    What it measures
    ----------------
    The largest gradient entry (per typical change) over a ladder of horizons: whether a power
    of the horizon or an exponential fits its logarithm better; the rate, on a second ladder at
    half the time step as well; and whether differences of the program grow alike.

    Why it matters
    --------------
    Chaos grows at a rate per unit of time, which no code can cure: beyond a horizon the gradient
    is right and of no use. An adjoint bug grows at a rate per step. The two look the same on one
    curve and part when the time step is halved.

    Failing example
    ---------------
        def backward(_, ct): return 2 * ct      # 2^steps: doubles its rate when dt is halved

    Cure
    ----
    Of a bug: see the factor per step, and GC207. Of chaos: shorten or split the horizon
    (multiple shooting), clip per sample, or use a zeroth-order estimate beyond it.

    Limits
    ------
    A growth of 100 over the ladder, beyond which it counts. The usable horizon is the one at
    which the amplification reaches 6.7e7 = 1/sqrt(eps): there a float64 gradient has lost half
    of its digits, and a change of 1e-8 of a typical one leaves the linear range. Growth by a
    power of the horizon is no explosion, whatever its size.

    References
    ----------
    Metz, Freeman, Schoenholz, Kachman, Gradients are Not All You Need (arXiv 2111.05803).
    Benettin et al., Lyapunov Characteristic Exponents, Meccanica 15 (1980).
    """

    code = "GC301"
    name = "explosion"
    needs = ("horizon",)
    uses = ("agreement", "steps")
    title = "No exponential growth over the horizon"
    failure_title = "The gradient grows exponentially"
    error_title = "Growth over the horizon was not measured"
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: how the gradient grows, why, and the usable horizon."""
        horizon = self.needed(evidence, Horizon)
        if not horizon.ladders or not horizon.ladders[0].rows:
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, "no horizon was measured")]
        ladder = horizon.ladders[0]
        broken = _not_finite(evidence, ladder)
        if broken is not None:
            said = f"the gradient is not finite from {broken} steps on"
            where = minimal.locate(evidence).model_copy(update={"shortest_horizon": broken})
            return [self.finding(evidence, Verdict.FAIL, said, value=math.inf, where=where)]
        grown = _trend(evidence, ladder)
        if grown is None:
            said = "fewer than four horizons with a gradient: no growth can be read"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        growth = grown.factor()
        if not grown.exponential or growth <= LIMIT.value:
            said = (
                f"grows as horizon^{grown.order:.2f}"
                if not grown.exponential
                else f"grows by a factor {growth:.3g}"
            )
            said += f" up to {ladder.rows[-1].steps} steps: no explosion"
            value = growth if grown.exponential else 1.0
            doubt = value * (grown.doubt() + rounding(evidence))
            return [self.finding(evidence, Verdict.PASS, said, value=value, uncertainty=doubt)]
        return [self._explodes(evidence, horizon, grown)]

    def _explodes(self, evidence: Evidence, horizon: Horizon, grown: Trend) -> Finding:
        ladder = horizon.ladders[0]
        judged = [rung for rung in rungs(ladder, evidence.testbed) if rung.input is not None]
        limit = limit_of(evidence).value
        right = bool(judged) and judged[-1].error <= limit
        alone = bool(judged) and not right and _grows_alone(judged, grown)
        half = _trend(evidence, horizon.ladders[1]) if len(horizon.ladders) > 1 else None
        said = f"grows as exp({grown.rate:.4g} t), by a factor {grown.factor():.3g}"
        doubt = grown.factor() * (grown.doubt() + rounding(evidence))
        if half is not None:
            said += f"; exp({half.rate:.4g} t) at half the time step"
        # The second ladder covers less time: rates are compared over what both cover.
        early = _trend(evidence, ladder, until=half.last) if half is not None else None
        doubled = half is not None and half.rate > DOUBLES * (early or grown).rate
        if alone or (doubled and not right):
            factor = math.exp(grown.rate * (ladder.dt or 1.0))
            said += f": a factor {factor:.4g} for each step, which the program does not have"
            twos = power_of_two(factor, limit + 1e-2)
            return self.finding(
                evidence,
                Verdict.FAIL,
                said,
                value=grown.factor(),
                uncertainty=doubt,
                where=minimal.locate(evidence),
                signature=Signature.POWER_OF_TWO if twos else Signature.PLATEAU,
            )
        if doubled:
            said += ": the program itself grows with each step (an unstable integration)"
        elif half is not None:
            said += ": the same for each second (chaos, or an unstable motion)"
        else:
            said += f": cause not told apart ({horizon.second_reason or 'one time step only'})"
        usable = math.log(CARRIED) / grown.rate
        steps = usable / (ladder.dt or 1.0)
        beyond = "" if usable <= grown.last else ", beyond what was measured"
        said += f"; usable up to {usable:.3g} s ({steps:.0f} steps{beyond})"
        return self.finding(evidence, Verdict.WARN, said, value=grown.factor(), uncertainty=doubt)


def _trend(evidence: Evidence, ladder: Ladder, until: float = math.inf) -> Trend | None:
    rows = [row for row in ladder.rows if row.steps * (ladder.dt or 1.0) <= until * (1 + 1e-9)]
    sizes = [size(row, evidence.testbed) for row in rows]
    return trend([row.steps for row in rows], ladder.dt, sizes)


def _not_finite(evidence: Evidence, ladder: Ladder) -> int | None:
    bad = (row.steps for row in ordered(ladder) if not math.isfinite(size(row, evidence.testbed)))
    return next(bad, None)


def _grows_alone(judged: list[Rung], grown: Trend) -> bool:
    """Do the program's own differences grow by less than half of the gradient's digits?"""
    sizes = [abs(rung.difference) for rung in judged if rung.difference]
    if len(sizes) < 2:
        return False
    return math.log(max(sizes) / sizes[0]) < HALF * math.log(grown.factor())
