"""GC103: the retention of states is stated, and the memory agrees."""

from typing import final

from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.checks.observed_retention import retention
from gradcheck.checks.resolution import EPS
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.taxonomy import Retention

KEPT = (Retention.STORE_ALL, Retention.CHECKPOINT)
NUMBER = 8


@final
class GC103Retention(AbstractCheck):
    """How the backward pass gets the states of the forward pass is stated, and memory agrees.

    What it measures
    ----------------
    Whether the card states `retention`. Where the engine tells its peak memory: the bytes that
    one more time step adds to a gradient, beyond what it adds to the loss alone, up to 16 times the
    testbed's horizon, and how that grows: with every step (states or more are stored), slower
    (checkpoints), or not at all (nothing, inversion, or recomputation, which takes quadratic time).
    Bytes for each iteration of the solver are told as well.

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
    One number of 8 bytes a step is the limit between growing and not growing. 'Store all' and
    'checkpoint' are not contradicted by flat memory: where the scene is linear in its state, the
    compiler stores nothing, and a buffer of fixed size does not grow. A state kept at every step
    may be either of the two, and is not held against them.

    References
    ----------
    Griewank, Walther, Algorithm 799: revolve, ACM TOMS 26 (2000). Chen et al., Training Deep
    Nets with Sublinear Memory Cost (arXiv 1604.06174).
    """

    code = "GC103"
    name = "retention"
    needs = ()
    uses = ("construction", "cost")
    title = "The retention of states is stated"
    failure_title = "The retention of states is not stated"
    error_title = "The retention of states could not be judged"
    warning_title = "The stated retention of states does not fit the memory taken"
    limit = Limit(value=NUMBER, unit="bytes/step", why="one float64 kept for every time step")

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: what is stated, beside the memory that one more step takes."""
        stated, seen = evidence.card.retention, retention(evidence)
        possible = None if seen is None else tuple(str(one) for one in seen.possible)
        if stated is None:
            said = "not stated: are states stored, checkpointed, recomputed or inverted?"
            return [self.finding(evidence, Verdict.FAIL, said, observed=possible)]
        source = evidence.card.sources.get("retention", "no source given")
        if seen is None:
            said = f"stated: {stated} ({source}); memory not told, so not compared"
            return [self.finding(evidence, Verdict.PASS, said)]
        growth, told = seen.per_step, f"a gradient keeps {seen.told}"
        flat = growth <= NUMBER
        if stated in seen.possible or (flat and stated in KEPT):
            verdict, said = Verdict.PASS, f"stated: {stated} ({source}); {told}"
            if stated not in seen.possible:
                # A compiler drops what the gradient of this scene does not need.
                said += ": here it needs no state"
        else:
            verdict, said = Verdict.WARN, f"declared '{stated}', but {told}"
        return [
            self.finding(
                evidence,
                verdict,
                f"{said}: {' or '.join(seen.possible)}",
                value=growth,
                uncertainty=EPS * abs(growth),
                observed=possible,
            )
        ]
