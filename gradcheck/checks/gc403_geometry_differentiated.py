"""GC403: contact geometry is differentiated, not frozen."""

import math
from typing import final

from gradcheck import minimal
from gradcheck.artifact import Physics
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.checks.resolution import rounding
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict
from gradcheck.match import excess

SHARE = 0.05
NAMED = ("normal", "geometry", "frame", "contact point")


LIMIT = Limit(
    value=0.2, unit="relative", why="beyond what a time discretisation leaves (see GC202)"
)


@final
class GC403GeometryDifferentiated(AbstractCheck):
    """The gradient sees that contact points and normals move with the state.

    What it measures
    ----------------
    The derivative along the contact normal and along the tangent, each against the physics. The
    pattern "normal right, tangent wrong" is a frozen contact geometry.

    Why it matters
    --------------
    In an oblique impact the normal turns as the bodies shift sideways, and that turning is
    most of the sensitivity across. An adjoint that holds the normal constant passes every
    head-on test.

    Failing example
    ---------------
        normal = jax.lax.stop_gradient((b - a) / jnp.linalg.norm(b - a))

    Cure
    ----
    Differentiate the collision function as well: distance, points and normal. Or declare it:
    `frozen=("contact normal",)` makes this a warning.

    Limits
    ------
    Relative 5 % along both, as in GC202 (of the reference, or of a twentieth of the larger
    one); the tangent is wrong beyond 20 %. Needs a testbed that names both directions.

    References
    ----------
    Testbed `oblique_impact`: two elastic balls in closed form. Werling et al., Fast and
    Feature-Complete Differentiable Physics for Articulated Rigid Bodies with Contact, RSS 2021
    (arXiv 2103.16021).
    """

    code = "GC403"
    name = "geometry-differentiated"
    needs = ("physics",)
    uses = ("agreement", "horizon", "steps")
    title = "Contact geometry is differentiated"
    failure_title = "Contact geometry is frozen in the backward pass"
    error_title = "Contact directions were not measured"
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: the worst normal and the worst tangent direction."""
        physics = self.needed(evidence, Physics)
        normal = _errors(physics, "normal")
        tangent = _errors(physics, "tangent")
        if not normal or not tangent:
            said = f"{evidence.testbed.name} has no reference along a normal and a tangent"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        along, across = max(normal, key=_rank), max(tangent, key=_rank)
        said = (
            f"along the normal: engine {along[1]:.6g}, physics {along[2]:.6g} (error "
            f"{along[0]:.2g}); across: engine {across[1]:.6g}, physics {across[2]:.6g} (error "
            f"{across[0]:.2g})"
        )
        # The directions' references come without an uncertainty of their own.
        doubt = rounding(evidence) * (1 + across[0])
        if not along[0] <= SHARE and not math.isnan(along[0]):
            said += "; the normal itself is wrong: see GC202"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        if across[0] <= LIMIT.value and not math.isnan(along[0]):
            return [self.finding(evidence, Verdict.PASS, said, value=across[0], uncertainty=doubt)]
        frozen = [one for one in evidence.card.frozen or () if any(n in one for n in NAMED)]
        if frozen:
            said += f"; declared as frozen: {', '.join(frozen)}"
        return [
            self.finding(
                evidence,
                Verdict.WARN if frozen else Verdict.FAIL,
                said,
                value=across[0],
                uncertainty=doubt,
                where=minimal.locate(evidence),
                signature=Signature.FROZEN_NORMAL,
            )
        ]


Row = tuple[float, float, float]


def _errors(physics: Physics, kind: str) -> list[Row]:
    """(relative error, engine, physics) along each direction of that kind."""
    truths = [abs(truth) for _, truth in physics.directions.values() if math.isfinite(truth)]
    largest = max(truths, default=0.0)
    return [
        (excess(claimed, truth, 0.0, max(abs(truth), SHARE * largest)), claimed, truth)
        for name, (claimed, truth) in physics.directions.items()
        if name.startswith(kind) and math.isfinite(truth)
    ]


def _rank(row: Row) -> tuple[bool, float]:
    return math.isnan(row[0]), row[0]
