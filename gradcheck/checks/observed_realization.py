"""How a derivative was made, as far as the framework shows it."""

from typing import NamedTuple

from gradcheck.artifact import Construction
from gradcheck.checks.observed_referent import seen
from gradcheck.evidence import Evidence
from gradcheck.structure import Structure
from gradcheck.taxonomy import Realization, Referent

MOST = 0.5
"""Part of the operations from which on own rules make the derivative, and not just help it."""


class ObservedRealization(NamedTuple):
    """What is left possible, and the evidence in words."""

    possible: tuple[Realization, ...]
    told: str


def realization(evidence: Evidence) -> ObservedRealization | None:
    """None where the framework does not show how it differentiates."""
    artifact = evidence.get(Construction)
    if artifact is None or artifact.structure is None:
        return None
    referent = seen(evidence)
    apart = referent is not None and Referent.CONTINUOUS in referent.possible
    return ObservedRealization(
        tuple(_possible(artifact.structure, apart)), _told(artifact.structure)
    )


def _possible(structure: Structure, apart: bool) -> list[Realization]:
    """`apart`: may the derivative be that of another computation than the rollout? Then a rule is
    what attaches it, however it was made."""
    share = structure.share
    if not structure.rules:
        made = [Realization.GENERATED]
        return [*made, Realization.EQUATION_ADJOINT] if structure.solves else made
    by_rule = [Realization.EQUATION_ADJOINT, Realization.CUSTOM_ADJOINT]
    if share is not None and share >= MOST and not apart:
        return by_rule
    return [Realization.GENERATED, *by_rule]


def _told(structure: Structure) -> str:
    said = f"{structure.source}: {structure.operations} operations"
    if structure.rules:
        names = ", ".join(structure.rules)
        share = structure.share
        said += f", own rules {names}" if share is None else f", {share:.0%} by own rules {names}"
    else:
        said += ", no rule of its own"
    if structure.solves:
        said += f", {sum(structure.solves.values())} linear solves differentiated as equations"
    return said
