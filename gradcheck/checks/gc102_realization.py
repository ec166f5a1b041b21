"""GC102: the realization is stated."""

from typing import final

from gradcheck.checks.check import AbstractCheck
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict


@final
class GC102Realization(AbstractCheck):
    """How the derivative is organised is stated.

    What it measures
    ----------------
    Whether the card states `realization`: generated differentiation, equation-level adjoint,
    custom adjoint, or finite differences.

    Why it matters
    --------------
    The realization decides where faults can sit and what a gradient costs: a hand-written
    adjoint can forget a term that generated differentiation cannot, and finite differences cost
    one rollout for each input.

    Failing example
    ---------------
        card = EngineCard(name="mine", version="1", referent=Referent.EXECUTED)

    Cure
    ----
    Add `realization=Realization.GENERATED` (or the one that is true) to the card, and its source
    under `sources["realization"]`.

    Limits
    ------
    A statement cannot be refuted from outside: only its presence is judged. The finding says
    where the statement is written, or that no source is given.

    References
    ----------
    Griewank, Walther, Evaluating Derivatives, SIAM 2008, chapters 3 and 15. Pontryagin-style
    adjoints: Chen et al., Neural Ordinary Differential Equations (arXiv 1806.07366).
    """

    code = "GC102"
    name = "realization"
    needs = ()
    title = "The realization is stated"
    failure_title = "The realization is not stated"
    error_title = "The realization could not be judged"
    limit = None

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: what is stated, and where."""
        stated = evidence.card.realization
        if stated is None:
            said = "not stated: generated differentiation, an adjoint, or finite differences?"
            return [self.finding(evidence, Verdict.FAIL, said)]
        source = evidence.card.sources.get("realization", "no source given")
        return [self.finding(evidence, Verdict.PASS, f"stated: {stated} ({source})")]
