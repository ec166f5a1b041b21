"""GC102: the realization is stated, and is not contradicted by what the framework shows."""

from typing import final

from gradcheck.checks.check import AbstractCheck
from gradcheck.checks.observed_realization import realization
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict


@final
class GC102Realization(AbstractCheck):
    """How the derivative is organised is stated, and what the framework shows agrees.

    What it measures
    ----------------
    Whether the card states `realization`: generated differentiation, equation-level adjoint,
    custom adjoint, or finite differences. Where the framework shows how it differentiates (a JAX
    jaxpr, a PyTorch graph): the derivative rules that the engine brings of its own, the part of
    the operations that these stand for, and linear solves that are differentiated as equations.
    Without own rules the derivative is generated; where own rules stand for most of a step, it is
    not.

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
    An own rule shows that a derivative is not generated, not whether its author solved an
    adjoint equation or reversed the computation by hand: both remain possible. A rule that attaches
    another computation's derivative to the rollout may hold a generated one. Frameworks that show
    nothing are not judged beyond the presence of the statement.

    References
    ----------
    Griewank, Walther, Evaluating Derivatives, SIAM 2008, chapters 3 and 15. Pontryagin-style
    adjoints: Chen et al., Neural Ordinary Differential Equations (arXiv 1806.07366).
    """

    code = "GC102"
    name = "realization"
    needs = ()
    uses = ("construction", "referents")
    title = "The realization is stated, and the framework shows no other"
    failure_title = "The realization is not stated"
    error_title = "The realization could not be judged"
    warning_title = "The stated realization is not what the framework shows"
    limit = None

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: what is stated, and where, beside what was observed."""
        stated = evidence.card.realization
        seen = realization(evidence)
        possible = None if seen is None else tuple(str(one) for one in seen.possible)
        told = "" if seen is None else f"; {seen.told}: {' or '.join(seen.possible)}"
        if stated is None:
            verdict = Verdict.FAIL
            said = "not stated: generated differentiation, an adjoint, or finite differences?"
        elif seen is None or stated in seen.possible:
            source = evidence.card.sources.get("realization", "no source given")
            verdict, said = Verdict.PASS, f"stated: {stated} ({source})"
        else:
            verdict, said = Verdict.WARN, f"declared '{stated}', which the framework contradicts"
        return [self.finding(evidence, verdict, said + told, observed=possible)]
