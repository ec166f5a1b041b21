"""GC602: memory growth."""

import math
from typing import final

from gradcheck.artifact import Cost
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.checks.growth import growth_exponent, per_step
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict

FIT = 1e-12
"""What a least-squares line of logarithms loses: of 16 digits some four. Bytes are counted."""

LIMIT = Limit(value=1.2, unit="exponent", why="storing all states is linear; buffers may double")


@final
class GC602MemoryGrowth(AbstractCheck):
    """The memory of a gradient grows no faster than the horizon.

    What it measures
    ----------------
    Peak bytes of the loss with its gradient over horizons: the exponent of growth beyond the
    shortest horizon, and the bytes that each further step costs.

    Why it matters
    --------------
    Memory bounds the horizon and the batch. Storing all states is linear; more than that means
    that something is kept for each pair of steps, or that solver iterations are unrolled.

    Failing example
    ---------------
        history = jnp.concatenate([history, state[None]])     # copied, and kept, at every step

    Cure
    ----
    Keep one state a step (`lax.scan`), wrap the step in `jax.checkpoint`, use the implicit
    function theorem in place of unrolled solver iterations.

    Limits
    ------
    Exponent 1.2: linear, with room for buffers that double. Judged where the engine tells its
    memory at three horizons or more. A warning at most.

    References
    ----------
    Griewank, Walther, Algorithm 799: revolve, ACM TOMS 26 (2000).
    """

    code = "GC602"
    name = "memory-growth"
    needs = ("cost",)
    title = "Memory grows no faster than the horizon"
    failure_title = "Memory grows faster than the horizon"
    error_title = "Memory was not measured"
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: the exponent of growth."""
        cost = self.needed(evidence, Cost)
        told = [(r.steps, r.backward_bytes) for r in cost.rows if r.backward_bytes is not None]
        steps, peaks = [n for n, _ in told], [b for _, b in told]
        if len(set(steps)) < 3:
            reason = cost.memory_reason or "fewer than three horizons tell their memory"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, f"not told: {reason}")]
        exponent = growth_exponent(steps, peaks)
        said = (
            f"{max(peaks):.3g} bytes at {max(steps)} steps, {per_step(steps, peaks):.3g} more for "
            f"each step, growing as horizon^{exponent:.2f}"
        )
        verdict = Verdict.PASS if exponent <= LIMIT.value else Verdict.WARN
        if math.isnan(exponent):
            verdict = Verdict.FAIL
        return [self.finding(evidence, verdict, said, value=exponent, uncertainty=FIT)]
