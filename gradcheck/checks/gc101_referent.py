"""GC101: the referent is stated, and is the one that the gradient follows."""

from typing import final

from gradcheck.checks.check import AbstractCheck
from gradcheck.checks.observed_referent import Observed, seen
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.taxonomy import Referent


@final
class GC101Referent(AbstractCheck):
    """The object that was differentiated is stated, and measurements agree with the statement.

    What it measures
    ----------------
    How far the gradient is from three references, along random directions, while the solver's
    budget is varied (over all steps and over one) and the time step refined: differences of the
    program that ran (below one time step of motion), the same with the solver run to convergence,
    and the derivative of the physics (closed form, or time steps refined and extrapolated). Where
    two references are ten uncertainties apart, the gradient follows the one that it is ten times
    nearer to than they are to one another. What wins against the others, loses against none and
    holds at the setting in use is the observed referent, held against `referent` on the card.

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
    References that coincide on a testbed cannot be told apart there, nor where no knob sets the
    solver's budget or the time step; the finding says which and why. A gradient that follows no
    reference is wrong rather than misnamed: GC201 and GC202 judge it.

    References
    ----------
    Blondel et al., Efficient and Modular Implicit Differentiation, NeurIPS 2022
    (arXiv 2105.15183). Zhong, Han, Brikis, Differentiable Physics Simulations with Contacts: Do
    They Have Correct Gradients w.r.t. Position, Velocity and Control? (arXiv 2207.05060).
    """

    code = "GC101"
    name = "referent"
    needs = ()
    uses = ("referents",)
    title = "The referent is stated, and the gradient follows it"
    failure_title = "The referent is not stated, or the gradient follows another"
    error_title = "The referent could not be inferred"
    limit = None

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: whether the statement stands, and what was observed."""
        stated = evidence.card.referent
        found = seen(evidence)
        if stated is None:
            said = "not stated: what is this the gradient of (executed, converged or continuous)?"
            verdict = Verdict.FAIL
        elif found is None:
            absent = self.absent(evidence, "referents")
            assert absent is not None
            return [absent]
        else:
            verdict, said = _compare(stated, found)
        if found is None:
            return [self.finding(evidence, verdict, said)]
        # One that is left because it could not be measured is not observed.
        told = found.referent is not None or len(found.possible) != 1
        possible = tuple(str(one) for one in found.possible) if told else None
        return [self.finding(evidence, verdict, f"{said} ({found.told})", observed=possible)]


def _compare(stated: Referent, found: Observed) -> tuple[Verdict, str]:
    """The verdict on a statement, with its reason."""
    if not found.finite:
        return Verdict.NOT_APPLICABLE, f"declared {stated}; GC201 says what the gradient is"
    if found.followed and (
        stated in found.beaten or (found.referent is not None and stated is not found.referent)
    ):
        return Verdict.FAIL, f"declared {stated}, follows {' or '.join(found.followed)}"
    if stated in found.unmeasured:
        why = found.unmeasured[stated]
        return Verdict.NOT_APPLICABLE, f"declared {stated}, which no measurement reached: {why}"
    if stated not in found.followed:
        what = "which it does not follow here" if found.possible else "follows no reference"
        return Verdict.NOT_APPLICABLE, (
            f"declared {stated}, {what}: GC201 and GC202 say how it is wrong"
        )
    if stated is Referent.CONVERGED and found.unconverged:
        return Verdict.FAIL, (
            f"declared {stated}, but the solver is not converged at the budget in use: the "
            "gradient belongs to another computation than the loss"
        )
    if found.referent is None:
        return Verdict.PASS, f"declared {stated}, and not contradicted"
    return Verdict.PASS, f"declared and followed: {stated}"
