"""GC601: cost of the backward pass."""

import math
from typing import final

from gradcheck.artifact import Cost, CostRow
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.checks.growth import power
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.taxonomy import Realization, Retention

REVERSE = Limit(
    value=5.0,
    unit="times the loss",
    why="reverse mode costs at most 4 to 5 evaluations of the loss (cheap gradient principle)",
)


@final
class GC601BackwardCost(AbstractCheck):
    """A gradient costs a small multiple of the loss, whatever the number of inputs.

    What it measures
    ----------------
    Time of the loss with its gradient over time of the loss alone, at the longest horizon; and
    how both grow with the horizon.

    Why it matters
    --------------
    A gradient that costs more than two evaluations for each input has nothing over finite
    differences but accuracy.

    Failing example
    ---------------
        jax.jacfwd(loss)(x)      # one pass for each of 70 inputs

    Cure
    ----
    Use reverse mode or an adjoint for many inputs; check that the backward pass is compiled,
    and does not solve again what the forward pass solved.

    Limits
    ------
    5 for reverse mode and adjoints. Forward mode (nothing retained) and finite differences are
    held against 2 evaluations for each differentiated input coordinate and one more. Small
    times are call overhead; the machine's load moves all of them. A warning at most.

    References
    ----------
    Baur, Strassen, The Complexity of Partial Derivatives, Theor. Comput. Sci. 22 (1983).
    Griewank, Walther, Evaluating Derivatives, SIAM 2008, section 4.6.
    """

    code = "GC601"
    name = "backward-cost"
    needs = ("cost",)
    title = "The gradient costs a small multiple of the loss"
    failure_title = "The gradient costs more than its kind should"
    error_title = "The cost was not measured"
    limit = REVERSE

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: the ratio at the longest horizon."""
        cost = self.needed(evidence, Cost)
        if not cost.rows:
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, "no horizon was timed")]
        limit = _limit(evidence, cost)
        rows = sorted(cost.rows, key=lambda row: row.steps)
        last = rows[-1]
        ratio = last.backward / last.forward if last.forward else math.inf
        steps = [row.steps for row in rows]
        doubt = _doubt(last, ratio)
        noise = f" ± {doubt:.1g}" if doubt is not None else ""
        said = (
            f"loss {last.forward * 1e3:.3g} ms, with gradient {last.backward * 1e3:.3g} ms at "
            f"{last.steps} steps: {ratio:.3g}{noise} times, limit {limit.value:g}"
        )
        grows = power(steps, [row.backward for row in rows])
        if math.isfinite(grows):
            said += f"; grows as horizon^{grows:.2f}"
        # What the clock's own noise explains is no cost.
        verdict = Verdict.PASS if ratio - (doubt or 0.0) <= limit.value else Verdict.WARN
        if math.isnan(ratio):
            verdict = Verdict.FAIL
        return [self.finding(evidence, verdict, said, value=ratio, uncertainty=doubt, limit=limit)]


def _doubt(row: CostRow, ratio: float) -> float | None:
    """How much the ratio may change from run to run; None where that was not recorded."""
    if row.forward_spread is None or row.backward_spread is None or not row.forward:
        return None
    # Of a quotient, to first order, where the two errors know nothing of one another
    return math.hypot(row.backward_spread, ratio * row.forward_spread) / row.forward


def _limit(evidence: Evidence, cost: Cost) -> Limit:
    """The limit for this kind of derivative."""
    card = evidence.card
    by_input = card.realization is Realization.DIFFERENCES or card.retention is Retention.NOTHING
    if not by_input:
        return REVERSE
    return Limit(
        value=2.0 * cost.input_count + 1.0,
        unit=REVERSE.unit,
        why="two evaluations for each input coordinate, as central differences take, and one",
    )
