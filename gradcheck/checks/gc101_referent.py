"""GC101: the referent is stated, and is the one that the gradient follows."""

from typing import final

from gradcheck.checks.check import AbstractCheck
from gradcheck.checks.followed import Followed, Relation, followed
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.taxonomy import Referent

FOLLOWS, DEPARTS = Relation.FOLLOWS, Relation.DEPARTS


@final
class GC101Referent(AbstractCheck):
    """The object that was differentiated is stated, and measurements agree with the statement.

    What it measures
    ----------------
    Which of three references the gradient follows: differences of the program that ran
    (agreement curves below one time step of motion), differences of the program with its solver
    run to convergence (solver budgets varied), and the derivative of the physics (closed form or
    refined time step). The result is held against `referent` on the engine's card.

    Why it matters
    --------------
    "Exact" has no meaning until it is said of what. The derivative of an unconverged solver, of
    the equation it approximates and of the continuous motion are three numbers, which may
    differ in sign; a user who optimises one with the gradient of another is led astray by a
    gradient that is right.

    Failing example
    ---------------
        # the card says Referent.CONVERGED, but the loss comes from three iterations
        def loss(x):
            return solve(x, iterations=3)
        def gradient(x):                     # implicit function theorem: holds at the solution
            z = solve(x, iterations=3)
            return -jnp.linalg.solve(dr_dz(x, z), dr_dx(x, z))

    Cure
    ----
    State the referent on the card. Where it is stated and contradicted: run the solver to
    convergence before an implicit adjoint, or differentiate the iterations that ran.

    Limits
    ------
    References that coincide on a testbed cannot be told apart there; the finding says so. A
    gradient that follows no reference is wrong rather than misnamed: GC201 and GC202 judge it.

    References
    ----------
    Blondel et al., Efficient and Modular Implicit Differentiation, NeurIPS 2022
    (arXiv 2105.15183). Zhong, Han, Brikis, Differentiable Physics Simulations with Contacts: Do
    They Have Correct Gradients w.r.t. Position, Velocity and Control? (arXiv 2207.05060).
    """

    code = "GC101"
    name = "referent"
    needs = ()
    uses = ("agreement", "physics", "referents")
    title = "The referent is stated, and the gradient follows it"
    failure_title = "The referent is not stated, or the gradient follows another"
    error_title = "The referent could not be inferred"
    limit = None

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: whether the statement stands."""
        stated = evidence.card.referent
        if stated is None:
            said = "not stated: what is this the gradient of (executed, converged or continuous)?"
            return [self.finding(evidence, Verdict.FAIL, said)]
        absent = self.absent(evidence, "agreement")
        if absent is not None:
            return [absent]
        seen = followed(evidence)
        verdict, said = _compare(stated, seen)
        others = "; ".join(f"{r}: {how}" for r, how in seen.relations.items())
        return [self.finding(evidence, verdict, f"{said} ({others})")]


def _compare(stated: Referent, seen: Followed) -> tuple[Verdict, str]:
    """The verdict on a statement, with its reason."""
    executed = seen.relations[Referent.EXECUTED]
    own = seen.relations[stated]
    others = seen.others(stated)
    if stated is Referent.CONVERGED:
        if executed is DEPARTS and (own is FOLLOWS or seen.converges):
            return Verdict.FAIL, (
                f"declared {stated}, but the solver is not converged at the budget in use: the "
                "gradient belongs to another computation than the loss"
            )
        if executed is FOLLOWS:
            if own is DEPARTS and seen.unrolled:
                return Verdict.FAIL, f"declared {stated}, follows {Referent.EXECUTED}"
            return Verdict.PASS, f"declared {stated}, and the solve in use agrees with it"
    if own is FOLLOWS:
        return Verdict.PASS, f"declared and followed: {stated}"
    if own is DEPARTS and others:
        return Verdict.FAIL, f"declared {stated}, follows {others[0]}"
    if own is Relation.SAME and executed is FOLLOWS:
        return Verdict.PASS, f"declared {stated}, which coincides here with the program's"
    if own is Relation.UNKNOWN:
        return Verdict.NOT_APPLICABLE, f"declared {stated}, which no measurement reached"
    return Verdict.NOT_APPLICABLE, (
        f"declared {stated}, follows no reference: GC201 and GC202 say how it is wrong"
    )
