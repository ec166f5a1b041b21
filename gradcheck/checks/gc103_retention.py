"""GC103: the retention of states is stated, and the memory agrees."""

from typing import final

from gradcheck.artifact import Cost
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.checks.growth import per_step
from gradcheck.checks.resolution import EPS
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.taxonomy import Retention

FLAT = (Retention.NOTHING, Retention.INVERT)
NUMBER = 8


@final
class GC103Retention(AbstractCheck):
    """How the backward pass gets the states of the forward pass is stated, and memory agrees.

    What it measures
    ----------------
    Whether the card states `retention`. Where the engine tells its peak memory: the bytes that
    one more time step adds to a gradient, beyond what it adds to the loss alone.

    Why it matters
    --------------
    Retention decides the longest horizon that fits. "Nothing retained" and "invert" promise
    memory that does not grow with the horizon; "store all" pays for every step.

    Failing example
    ---------------
        # the card says Retention.NOTHING, but reverse mode over a scan stores every state
        jax.grad(lambda x: jax.lax.scan(step, x, None, length=1000)[0].sum())

    Cure
    ----
    State what is kept. Where it is contradicted: correct the card, or wrap the step in
    `jax.checkpoint`, or use forward mode for few inputs.

    Limits
    ------
    One number of 8 bytes a step is the limit between growing and not growing. Checkpointing
    and recomputation may grow slowly, and are not contradicted by growth; nor is 'store all' by
    its absence, where the scene is linear in its state and the compiler stores nothing.

    References
    ----------
    Griewank, Walther, Algorithm 799: revolve, ACM TOMS 26 (2000). Chen et al., Training Deep
    Nets with Sublinear Memory Cost (arXiv 1604.06174).
    """

    code = "GC103"
    name = "retention"
    needs = ()
    uses = ("cost",)
    title = "The retention of states is stated"
    failure_title = "The retention of states is not stated"
    error_title = "The retention of states could not be judged"
    warning_title = "The stated retention of states does not fit the memory taken"
    limit = Limit(value=NUMBER, unit="bytes/step", why="one float64 kept for every time step")

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: what is stated, beside the memory that one more step takes."""
        stated = evidence.card.retention
        if stated is None:
            said = "not stated: are states stored, checkpointed, recomputed or inverted?"
            return [self.finding(evidence, Verdict.FAIL, said)]
        source = evidence.card.sources.get("retention", "no source given")
        growth = _bytes_per_step(evidence)
        if growth is None:
            said = f"stated: {stated} ({source}); memory not told, so not compared"
            return [self.finding(evidence, Verdict.PASS, said)]
        grows = not growth <= NUMBER
        told = f"a gradient keeps {growth:.3g} bytes more for each step"
        if grows and stated in FLAT:
            verdict, said = Verdict.WARN, f"declared '{stated}', but {told}"
        else:
            verdict, said = Verdict.PASS, f"stated: {stated} ({source}); {told}"
            if not grows and stated is Retention.STORE_ALL:
                # A compiler drops what the gradient of this scene does not need.
                said += ": here it needs no state"
        return [self.finding(evidence, verdict, said, value=growth, uncertainty=EPS * abs(growth))]


def _bytes_per_step(evidence: Evidence) -> float | None:
    """What the gradient keeps beyond the loss, for each step more; None where not told."""
    cost = evidence.get(Cost)
    if cost is None:
        return None
    told = [
        (row.steps, row.backward_bytes - row.forward_bytes)
        for row in cost.rows
        if row.backward_bytes is not None and row.forward_bytes is not None
    ]
    if len({steps for steps, _ in told}) < 2:
        return None
    return per_step([steps for steps, _ in told], [kept for _, kept in told])
