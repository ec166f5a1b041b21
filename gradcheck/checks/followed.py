"""Which reference a gradient follows: the program, the converged equation or the physics.

Inferred from measurements alone, whatever the card says. References that coincide on a testbed
cannot be told apart there, and that is said.
"""

import math
from enum import StrEnum
from typing import NamedTuple

from gradcheck.artifact import BudgetRow, Physics, Referents
from gradcheck.evidence import Evidence
from gradcheck.match import Match, Outcome, excess, limit_of, matches
from gradcheck.plateau import SETTLED
from gradcheck.taxonomy import Referent


class Relation(StrEnum):
    """How a gradient stands to one reference."""

    FOLLOWS = "follows"
    DEPARTS = "departs from"
    SAME = "cannot be told from the program's on this testbed"
    UNKNOWN = "was not measured"


class Followed(NamedTuple):
    """How the gradient stands to each reference.

    `unrolled`: under budgets that leave the solve unconverged it equals the program's own slope.
    `converges`: at the largest budget it equals the converged equation's.
    """

    relations: dict[Referent, Relation]
    unrolled: bool
    converges: bool

    def others(self, stated: Referent) -> list[Referent]:
        """The references that it clearly follows beside the stated one."""
        return [r for r, how in self.relations.items() if how is Relation.FOLLOWS and r != stated]


def followed(evidence: Evidence) -> Followed:
    """What the agreement, referents and physics artifacts say."""
    judged = matches(evidence)
    converged, unrolled, converges = _converged(evidence)
    relations = {
        Referent.EXECUTED: _executed(judged),
        Referent.CONVERGED: converged,
        Referent.CONTINUOUS: _continuous(evidence, judged),
    }
    return Followed(relations, unrolled, converges)


def _executed(judged: tuple[Match, ...]) -> Relation:
    if any(match.outcome is Outcome.DIFFERS for match in judged):
        return Relation.DEPARTS
    if any(match.outcome is Outcome.AGREES and match.moves for match in judged):
        return Relation.FOLLOWS
    return Relation.UNKNOWN


def _converged(evidence: Evidence) -> tuple[Relation, bool, bool]:
    referents = evidence.get(Referents)
    if referents is None or not referents.rows:
        return Relation.UNKNOWN, False, False
    limit, truth = limit_of(evidence).value, referents.converged
    doubt = referents.converged_uncertainty

    def near(row: BudgetRow, reference: float, uncertainty: float) -> bool:
        return excess(row.gradient, reference, uncertainty, abs(reference)) <= limit

    def apart(row: BudgetRow) -> bool:
        gap = abs(row.difference - truth)
        return row.uncertainty + doubt <= SETTLED * gap and gap > limit * abs(truth)

    cut = [row for row in referents.rows if apart(row)]
    last = max(referents.rows, key=lambda row: row.iterations)
    converges = near(last, truth, doubt)
    if not cut:
        return Relation.SAME, False, converges
    follows = all(near(row, truth, doubt) for row in cut)
    unrolled = all(near(row, row.difference, row.uncertainty) for row in cut)
    return (Relation.FOLLOWS if follows else Relation.DEPARTS), unrolled, converges


def _continuous(evidence: Evidence, judged: tuple[Match, ...]) -> Relation:
    physics = evidence.get(Physics)
    if physics is None:
        return Relation.UNKNOWN
    limit = limit_of(evidence).value
    compared, near = 0, []
    for match in judged:
        curve = match.curve
        if curve.role != "coordinate" or curve.input not in physics.reference:
            continue
        if match.outcome not in (Outcome.AGREES, Outcome.DIFFERS) or curve.index is None:
            continue
        # Curves are per unit of their direction, a typical change; references per unit of input.
        truth = physics.reference[curve.input][curve.index] * curve.scale
        doubt = physics.uncertainty[curve.input][curve.index] * curve.scale
        gap = abs(match.slope.value - truth)
        if not math.isfinite(gap):
            continue
        compared += 1
        if match.slope.uncertainty + doubt <= SETTLED * gap and gap > limit * match.scale:
            near.append(abs(curve.gradient - truth) <= doubt + SETTLED * gap)
    if not compared:
        return Relation.UNKNOWN
    if not near:
        return Relation.SAME
    return Relation.FOLLOWS if all(near) else Relation.DEPARTS
