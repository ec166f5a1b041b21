"""GC501: better than a zeroth-order estimate at equal budget."""

import math
from typing import final

from gradcheck.artifact import Smoothing, SmoothRow
from gradcheck.checks.check import AbstractCheck, Limit, worst_first
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict, Where

PART = 0.01


LIMIT = Limit(
    value=4.0,
    unit="standard errors",
    why="one false alarm in 16 thousand rows, and the mean is not exactly normal",
)


@final
class GC501BetterThanZeroth(AbstractCheck):
    """Averaged over noise, the gradient estimates the slope of the mean loss without bias, and
    with less error than finite evaluations of the loss at the same cost.

    What it measures
    ----------------
    Two estimates of the slope of the mean loss under Gaussian noise, at equal budget of loss
    evaluations: the mean of the engine's gradients (first order), and antithetic score-function
    differences (zeroth order). Each against quadrature or a closed form, or, without one, a
    zeroth-order estimate with 16 times the budget.

    Why it matters
    --------------
    At a jump the mean loss has a slope that no gradient of a sample sees: the first-order
    estimate is biased, precise, and may have the wrong sign. More samples do not help. With a
    stiff contact it is unbiased, and its variance can exceed that of not differentiating at all.

    Failing example
    ---------------
        loss = (x > 0).astype(float)     # mean slope 3.99 at sigma 0.1; every gradient is 0

    Cure
    ----
    Use the zeroth-order estimate there, mix the two by their variances, resolve the jump, or
    soften the contact and say what it costs.

    Limits
    ------
    The bias counts beyond 4 combined standard errors (many rows are judged, and 3 would raise a
    false alarm in one of 370) and beyond 1 % of the reference or of the zeroth-order estimate's
    own error. Biased, or with the larger error: a warning and not a failure, since the
    derivative of each sample may be right: it is of little use for the mean.

    References
    ----------
    Suh, Simchowitz, Zhang, Tedrake, Do Differentiable Simulators Give Better Policy Gradients?,
    ICML 2022 (arXiv 2202.00817).
    """

    code = "GC501"
    name = "better-than-zeroth"
    needs = ("smoothing",)
    title = "Better than a zeroth-order estimate at equal budget"
    failure_title = "Biased, or worse than a zeroth-order estimate at equal budget"
    error_title = "Bias and variance were not measured"
    compared = False
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding for each smoothed slope."""
        smoothing = self.needed(evidence, Smoothing)
        if not smoothing.rows:
            said = f"{evidence.testbed.name} has no noise"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        return worst_first([self._row(evidence, row) for row in smoothing.rows])

    def _row(self, evidence: Evidence, row: SmoothRow) -> Finding:
        exact = row.exact is not None
        truth = row.exact if row.exact is not None else row.reference_mean
        error = row.first_error if exact else math.hypot(row.first_error, row.reference_error)
        bias = row.first_mean - truth
        counts = abs(bias) > PART * max(abs(truth), row.zeroth_error)
        score = 0.0 if bias == 0.0 else abs(bias) / error if error else math.inf
        biased = counts and not score <= LIMIT.value
        first = math.hypot(bias if biased else 0.0, row.first_error)
        zeroth = row.zeroth_error
        said = (
            f"{row.label}, sigma {row.sigma:g}, {row.budget} evaluations: first order "
            f"{row.first_mean:.5g} ± {row.first_error:.2g}, zeroth order {row.zeroth_mean:.5g} ± "
            f"{row.zeroth_error:.2g}, {'exact' if exact else 'reference'} {truth:.5g}"
        )
        if not (math.isfinite(row.first_mean) and math.isfinite(truth)):
            return self._verdict(evidence, row, Verdict.FAIL, f"{said}: not finite", math.nan)
        if biased:
            sign = "; of the wrong sign" if row.first_mean * truth < 0 else ""
            spread = f"{score:.3g} standard errors" if error else "without any spread"
            said += f": biased by {bias:.3g}, {spread}{sign}"
            if first > zeroth:
                said += "; the zeroth order has the smaller error"
            return self._verdict(evidence, row, Verdict.WARN, said, score)
        score = score if counts else 0.0
        if first <= zeroth:
            said += ": first order has the smaller error"
            return self._verdict(evidence, row, Verdict.PASS, said, score)
        said += f": first order has {first / zeroth if zeroth else math.inf:.3g} times the error"
        return self._verdict(evidence, row, Verdict.WARN, said, score)

    def _verdict(
        self, evidence: Evidence, row: SmoothRow, verdict: Verdict, said: str, score: float
    ) -> Finding:
        bad = verdict is not Verdict.PASS
        where = Where(input=row.input, coordinate=row.index, label=row.label) if bad else None
        return self.finding(
            evidence,
            verdict,
            said,
            subject=row.label,
            input=row.input,
            value=score,
            uncertainty=1.0,  # in standard errors, the estimate's own is one
            where=where,
        )
