"""All checks, and the one way to run them: recorded evidence in, findings out."""

from collections.abc import Collection, Iterator

from gradcheck.checks.check import AbstractCheck
from gradcheck.checks.gc101_referent import GC101Referent
from gradcheck.checks.gc102_realization import GC102Realization
from gradcheck.checks.gc103_retention import GC103Retention
from gradcheck.checks.gc104_contact_treatment import GC104ContactTreatment
from gradcheck.checks.gc201_agrees_with_program import GC201AgreesWithProgram
from gradcheck.checks.gc202_agrees_with_physics import GC202AgreesWithPhysics
from gradcheck.checks.gc203_carries_gradient import GC203CarriesGradient
from gradcheck.checks.gc204_finite import GC204Finite
from gradcheck.checks.gc205_forward_unchanged import GC205ForwardUnchanged
from gradcheck.checks.gc206_repeatable import GC206Repeatable
from gradcheck.checks.gc207_one_step_and_many import GC207OneStepAndMany
from gradcheck.checks.gc208_float32_holds import GC208Float32Holds
from gradcheck.checks.gc209_nothing_radial import GC209NothingRadial
from gradcheck.checks.gc301_explosion import GC301Explosion
from gradcheck.checks.gc302_vanishing import GC302Vanishing
from gradcheck.checks.gc401_jumps_and_kinks import GC401JumpsAndKinks
from gradcheck.checks.gc402_blind_before_contact import GC402BlindBeforeContact
from gradcheck.checks.gc403_geometry_differentiated import GC403GeometryDifferentiated
from gradcheck.checks.gc501_better_than_zeroth import GC501BetterThanZeroth
from gradcheck.checks.gc601_backward_cost import GC601BackwardCost
from gradcheck.checks.gc602_memory_growth import GC602MemoryGrowth
from gradcheck.checks.gc701_disclosed import GC701Disclosed
from gradcheck.engine import BadInput
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding

CHECKS: tuple[type[AbstractCheck], ...] = (
    GC101Referent,
    GC102Realization,
    GC103Retention,
    GC104ContactTreatment,
    GC201AgreesWithProgram,
    GC202AgreesWithPhysics,
    GC203CarriesGradient,
    GC204Finite,
    GC205ForwardUnchanged,
    GC206Repeatable,
    GC207OneStepAndMany,
    GC208Float32Holds,
    GC209NothingRadial,
    GC301Explosion,
    GC302Vanishing,
    GC401JumpsAndKinks,
    GC402BlindBeforeContact,
    GC403GeometryDifferentiated,
    GC501BetterThanZeroth,
    GC601BackwardCost,
    GC602MemoryGrowth,
    GC701Disclosed,
)


def judge(evidence: Evidence, codes: Collection[str] = ()) -> list[Finding]:
    """Findings of the checks with these codes, or of all, in code order; of one check the worst
    comes first.

    A check whose artifact is missing gives ERROR where measuring failed, and N/A with the reason
    where the engine cannot.
    """
    findings = []
    for kind in _chosen(codes):
        check = kind()
        absent = [check.absent(evidence, need) for need in check.needs]
        missing = [finding for finding in absent if finding is not None]
        findings += missing[:1] or check.judge(evidence)
    return findings


def needed(codes: Collection[str] = ()) -> set[str]:
    """The measurements without which these checks, or all, would judge otherwise."""
    return {kind for check in _chosen(codes) for kind in (*check.needs, *check.uses)}


def _chosen(codes: Collection[str]) -> Iterator[type[AbstractCheck]]:
    return (check for check in CHECKS if not codes or check.code in codes)


def by_code(code: str) -> type[AbstractCheck]:
    """The check of that code, in any case. Raises `BadInput` naming the known codes."""
    for check in CHECKS:
        if check.code == code.upper():
            return check
    known = ", ".join(check.code for check in CHECKS)
    raise BadInput(f"unknown check {code}; the checks are {known}")
