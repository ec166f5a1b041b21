"""GC209: nothing along the quaternion itself."""

import math
from typing import final

from gradcheck.artifact import Basics
from gradcheck.checks.check import AbstractCheck, Limit, worst_first
from gradcheck.checks.resolution import EPS
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict, Where

LIMIT = Limit(value=1e-6, unit="relative", why="a projection in float64 leaves about 1e-16")


@final
class GC209NothingRadial(AbstractCheck):
    """The gradient by a unit quaternion has no component along the quaternion.

    What it measures
    ----------------
    For every unit quaternion among the inputs: |g . q| / |g|.

    Why it matters
    --------------
    A unit quaternion cannot change along itself. A radial component is the derivative of a
    motion that does not exist, and an optimiser that follows it leaves the unit sphere; with a
    projection missing, the tangential part is often wrong as well.

    Failing example
    ---------------
        def rotate(q, x): ...      # assumes |q| = 1, and is differentiated as if it did not

    Cure
    ----
    Normalise inside the differentiated function, or project: g - (g . q) q.

    Limits
    ------
    Relative 1e-6: a projection in float64 leaves 1e-16, which a rollout amplifies.

    References
    ----------
    MuJoCo documentation, "Floating objects" (mj_integratePos, mj_differentiatePos).
    Sola, Quaternion kinematics for the error-state Kalman filter (arXiv 1711.02508).
    """

    code = "GC209"
    name = "nothing-radial"
    needs = ("basics",)
    by_input = True
    title = "Nothing along the quaternion"
    failure_title = "A gradient along the quaternion itself"
    error_title = "The radial part was not measured"
    compared = False
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding for each input with a quaternion."""
        basics = self.needed(evidence, Basics)
        if not basics.radial:
            said = f"{evidence.testbed.name} has no quaternion among its differentiated inputs"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        findings = []
        for name, radial in basics.radial.items():
            said = f"{name}: {radial:.2g} of the gradient lies along the quaternion"
            if radial <= LIMIT.value:
                findings.append(
                    self.finding(
                        evidence, Verdict.PASS, said, input=name, value=radial, uncertainty=EPS
                    )
                )
                continue
            if math.isnan(radial):
                said = f"{name}: the part of the gradient along the quaternion is not a number"
            findings.append(
                self.finding(
                    evidence,
                    Verdict.FAIL,
                    said,
                    input=name,
                    value=radial,
                    uncertainty=EPS,
                    where=Where(input=name),
                    signature=Signature.QUATERNION,
                )
            )
        return worst_first(findings)
