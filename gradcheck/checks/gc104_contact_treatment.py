"""GC104: the contact treatment is stated, and what is frozen."""

from typing import final

from gradcheck.checks.check import AbstractCheck
from gradcheck.evidence import Evidence, TestbedRecord
from gradcheck.finding import Finding, Verdict
from gradcheck.taxonomy import ContactTreatment


@final
class GC104ContactTreatment(AbstractCheck):
    """How the non-smooth map at contact is treated is stated, and what the backward pass freezes.

    What it measures
    ----------------
    Whether the card states `contact` and `frozen` (`()` says "nothing is frozen"; None says
    nothing), on testbeds with contact.

    Why it matters
    --------------
    At contact an engine chooses: the active branch, a penalty, a smoothed or relaxed problem, a
    time of impact. Each gives another gradient for the same motion, and one that holds contact
    points or normals constant is right along the normal and wrong across it.

    Failing example
    ---------------
        card = EngineCard(name="mine", version="1", contact=ContactTreatment.PENALTY)
        # frozen is not stated: are contact normals differentiated?

    Cure
    ----
    Add `contact=...` and `frozen=()` or, say, `frozen=("contact normal",)` to the card.

    Limits
    ------
    Only presence is judged here; GC202, GC401 and GC403 measure what the treatment does.
    Testbeds without contact do not apply.

    References
    ----------
    Suh et al., Do Differentiable Simulators Give Better Policy Gradients? (arXiv 2202.00817).
    Le Lidec et al., Contact Models in Robotics: a Comparative Analysis (arXiv 2304.06372).
    """

    code = "GC104"
    name = "contact-treatment"
    needs = ()
    title = "The contact treatment is stated, and what is frozen"
    failure_title = "The contact treatment, or what is frozen, is not stated"
    error_title = "The contact treatment could not be judged"
    warning_title = "Contact is stated as untreated, on a testbed that has it"
    limit = None

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: what is stated, on a testbed with contact."""
        if not has_contact(evidence.testbed):
            said = f"{evidence.testbed.name} has no contact"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        card = evidence.card
        if card.contact is None:
            said = "not stated: how is the non-smooth map at contact treated?"
            return [self.finding(evidence, Verdict.FAIL, said)]
        if card.frozen is None:
            said = f"contact is stated ({card.contact}), but not what the backward pass freezes"
            return [self.finding(evidence, Verdict.FAIL, said)]
        if card.contact is ContactTreatment.NONE:
            said = f"declared to treat no contact, on {evidence.testbed.name}, which has one"
            return [self.finding(evidence, Verdict.WARN, said)]
        frozen = ", ".join(card.frozen) or "nothing"
        source = card.sources.get("contact", "no source given")
        said = f"stated: {card.contact} ({source}); frozen: {frozen}"
        return [self.finding(evidence, Verdict.PASS, said)]


def has_contact(testbed: TestbedRecord) -> bool:
    """Does the state of this testbed move into contact?"""
    return testbed.family == "contact" or testbed.speed > 0
