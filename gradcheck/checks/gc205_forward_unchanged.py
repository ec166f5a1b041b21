"""GC205: the forward result is unchanged by asking for gradients."""

import math
from statistics import median
from typing import final

from gradcheck.artifact import Agreement, Basics
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict, Where

ROUNDING = 1e-12


LIMIT = Limit(
    value=ROUNDING,
    unit="relative",
    why="two compilations of one program differ in the last few of 16 digits",
)


@final
class GC205ForwardUnchanged(AbstractCheck):
    """The loss is the same number whether or not its gradient is asked for.

    What it measures
    ----------------
    The largest difference between the loss computed alone and with its gradient, relative to the
    loss.

    Why it matters
    --------------
    A forward pass that changes under differentiation (a relaxed contact, another solver, a
    surrogate) means that the gradient belongs to another simulator than the one evaluated.

    Failing example
    ---------------
        if requires_grad:
            stiffness = stiffness / 10      # "for better gradients"

    Cure
    ----
    Use one forward pass for both, or declare the relaxed pass as an engine of its own.

    Limits
    ------
    Relative 1e-12: a compiler may fuse the two programs differently, which moves the last few
    of 16 digits. Where the loss's own noise floor, seen on its step-size curves, is larger
    (chaos amplifies rounding), that is the limit, and it is printed.

    References
    ----------
    Goldberg, What Every Computer Scientist Should Know About Floating-Point Arithmetic, ACM
    Computing Surveys 23 (1991).
    """

    code = "GC205"
    name = "forward-unchanged"
    needs = ("basics",)
    uses = ("agreement",)
    title = "The forward result is unchanged by asking for gradients"
    failure_title = "The forward result changes when gradients are requested"
    error_title = "The forward result was not compared"
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: the repeat that lies farthest from the loss alone."""
        basics = self.needed(evidence, Basics)
        if not basics.values or not basics.values_with_grad:
            said = "the loss was not computed both with and without its gradient"
            return [self.finding(evidence, Verdict.ERROR, said)]
        alone = basics.values[0]
        other = max(basics.values_with_grad, key=lambda v: (math.isnan(v), abs(v - alone)))
        size = max(abs(alone), abs(other))
        difference = abs(alone - other)
        error = difference / size if difference and size else difference
        limit = self._limit(evidence, size)
        # Two compilations of one program may differ by as much as the limit grants them.
        doubt = limit.value
        said = f"loss alone {alone:.17g}, with its gradient {other:.17g}"
        if not error <= limit.value:
            return [
                self.finding(
                    evidence,
                    Verdict.FAIL,
                    said,
                    value=error,
                    uncertainty=doubt,
                    limit=limit,
                    where=Where(),
                    signature=Signature.FORWARD_CHANGED,
                )
            ]
        return [
            self.finding(evidence, Verdict.PASS, said, value=error, uncertainty=doubt, limit=limit)
        ]

    def _limit(self, evidence: Evidence, size: float) -> Limit:
        agreement = evidence.get(Agreement)
        floors = [curve.noise_floor() for curve in agreement.curves] if agreement else []
        finite = [floor for floor in floors if math.isfinite(floor)]
        noise = median(finite) if finite else 0.0
        if size == 0 or noise / size <= ROUNDING:
            return LIMIT
        why = "the loss's own noise floor, which is above rounding"
        return Limit(value=noise / size, unit="relative", why=why)
