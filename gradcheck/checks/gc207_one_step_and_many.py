"""GC207: one step and N steps agree equally well."""

import math
from typing import final

from gradcheck import minimal
from gradcheck.artifact import Horizon, Ladder, Precision
from gradcheck.checks.check import AbstractCheck
from gradcheck.checks.resolution import beyond_usable, rounding, signs_of_float32
from gradcheck.checks.sign import power_of_two
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict
from gradcheck.match import FLOAT64, limit_of
from gradcheck.rung import Rung, entries, ordered, rungs

EVEN = 1e-2
"""Part of the growth rate by which a horizon may lie off an even growth of the ratio."""

WORSE = 10.0
"""How much larger than over one step an error must be to count as worse."""


@final
class GC207OneStepAndMany(AbstractCheck):
    """A gradient that is right over one step is as right over many.

    What it measures
    ----------------
    The worst relative error against central differences, beyond their own uncertainty, at each
    horizon of a ladder that starts at the fewest steps and is refined where the error changes.

    Why it matters
    --------------
    Unit tests differentiate one step. Faults of the chain (a buffer overwritten by the next
    step, a state detached, the last iteration only) begin with the second.

    Failing example
    ---------------
        for k in range(steps):
            buffer[:] = state              # backward reads the last state for every step
            state = step(buffer)

    Cure
    ----
    The finding names the first horizon that fails and, where single steps are shown, the first
    bad step. Keep a copy of each state that backward reads; do not reuse gradient buffers.

    Limits
    ------
    The limit of GC201 at every horizon. Where one step fails already, more steps fail here only
    with ten times its error, or with a ratio that grows by an equal factor at each step, which is
    named. Coordinates on a kink, and those whose differences do not settle, are left out, as all
    are in a chaotic rollout beyond the usable horizon (GC301): the finding says up to where.

    References
    ----------
    Griewank, Walther, Evaluating Derivatives, SIAM 2008, chapter 4 (the tape and overwritten
    values).
    """

    code = "GC207"
    name = "one-step-and-many"
    needs = ("horizon",)
    uses = ("agreement", "precision", "steps")
    title = "One step and many steps agree equally well"
    failure_title = "One step passes and many fail"
    error_title = "Agreement over the horizon was not measured"
    limit = FLOAT64

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: the first horizon that fails."""
        horizon = self.needed(evidence, Horizon)
        limit = limit_of(evidence)
        ladder = rungs(horizon.ladders[0], evidence.testbed) if horizon.ladders else []
        judged = [rung for rung in ladder if rung.input is not None]
        precision = evidence.get(Precision)
        if precision is not None and (signs := signs_of_float32(evidence, precision)):
            said = f"the differences of short horizons are float32's, see GC208: {'; '.join(signs)}"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said, limit=limit)]
        if len(judged) < 2:
            said = f"{len(judged)} of {len(ladder)} horizons could be judged: nothing to compare"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said, limit=limit)]
        first, bad = judged[0], [rung for rung in judged if not rung.error <= limit.value]
        worst = max(judged, key=lambda rung: (math.isnan(rung.error), rung.error))
        even = _even_growth(evidence, horizon.ladders[0]) if bad else None
        if even is not None:
            factor, low, high = even
            said = (
                f"the error grows by a factor {factor:.4g} at every step: ratio {low.ratio:.4g} "
                f"at {low.steps} steps, {high.ratio:.4g} at {high.steps}"
            )
            twos = power_of_two(factor, limit.value + EVEN)
            signature = Signature.POWER_OF_TWO if twos else Signature.PLATEAU
            return [self._failure(evidence, said, bad[0], worst, signature)]
        if not bad:
            said = (
                f"{len(judged)} horizons from {first.steps} to {judged[-1].steps} steps agree; "
                f"worst relative error {worst.error:.2g} at {worst.steps} steps"
            )
            if judged[-1].steps < ladder[-1].steps:
                said += f"; up to {ladder[-1].steps} steps the differences settle nowhere"
                if beyond_usable(evidence):
                    said += ": they saturate beyond the usable horizon, see GC301"
            doubt = max(rung.doubt for rung in judged)
            return [
                self.finding(
                    evidence,
                    Verdict.PASS,
                    said,
                    value=worst.error,
                    uncertainty=doubt + rounding(evidence),
                    limit=limit,
                )
            ]
        if bad[0] is first:
            some = "one step fails" if first.steps == 1 else f"{first.steps} steps fail"
            said = f"{some} already (error {first.error:.2g})"
            if not worst.error <= WORSE * first.error:
                said += f", and {worst.steps} steps fail worse (error {worst.error:.2g})"
                return [self._failure(evidence, said, first, worst, None)]
            said += ", and more are no worse: see GC201"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said, limit=limit)]
        good = [rung for rung in judged if rung.steps < bad[0].steps][-1]
        said = (
            f"{good.steps} steps agree (error {good.error:.2g}) and {bad[0].steps} do not (error "
            f"{bad[0].error:.2g}, ratio {bad[0].ratio:.4g})"
        )
        return [self._failure(evidence, said, bad[0], worst, Signature.STALE_STATE)]

    def _failure(
        self,
        evidence: Evidence,
        said: str,
        first: Rung,
        worst: Rung,
        signature: Signature | None,
    ) -> Finding:
        step = minimal.first_bad_step(evidence, limit_of(evidence).value)
        if step is not None:
            said += f"; the Jacobian of step {step} (from 0) is the first that differs"
        where = minimal.locate(evidence).model_copy(
            update={
                "shortest_horizon": first.steps,
                "input": first.input,
                "coordinate": first.coordinate,
                "label": _label(evidence, first),
            }
        )
        return self.finding(
            evidence,
            Verdict.FAIL,
            said,
            input=first.input,
            value=worst.error,
            uncertainty=worst.doubt + rounding(evidence) * (1 + worst.error),
            limit=limit_of(evidence),
            where=where,
            signature=signature,
        )


def _even_growth(evidence: Evidence, ladder: Ladder) -> tuple[float, Rung, Rung] | None:
    """The factor c of a coordinate whose ratio engine / difference is c^steps times a constant,
    with its first and last horizon; None where no coordinate has one other than 1."""
    told: dict[tuple[str | None, int | None], list[Rung]] = {}
    for row in ordered(ladder):
        for entry in entries(row, evidence.testbed):
            told.setdefault((entry.input, entry.coordinate), []).append(entry)
    for found in told.values():
        ratios = [(rung.steps, rung.ratio) for rung in found if 0 < rung.ratio < math.inf]
        if len(ratios) < max(3, len(ladder.rows) / 2) or len(ratios) < len(found):
            continue
        (n0, r0), (n1, r1) = ratios[0], ratios[-1]
        rate = math.log(r1 / r0) / (n1 - n0)
        off = max(abs(math.log(r / r0) - rate * (n - n0)) for n, r in ratios)
        if abs(rate) * (n1 - n0) > EVEN and off <= EVEN * abs(rate):
            return math.exp(rate), found[0], found[-1]
    return None


def _label(evidence: Evidence, rung: Rung) -> str | None:
    for one in evidence.testbed.inputs:
        if one.name == rung.input and rung.coordinate is not None:
            return one.labels[rung.coordinate]
    return None
