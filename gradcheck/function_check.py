"""The measurements and checks that make sense for one function, in this process."""

import re

from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.checks import judge
from gradcheck.description import testbed_record
from gradcheck.engine import BadInput, Knob, Unsupported
from gradcheck.engines.function import FunctionEngine
from gradcheck.evidence import Evidence
from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.guard import GuardedEngine
from gradcheck.measure import MEASUREMENTS
from gradcheck.provenance import provenance
from gradcheck.reason import reason
from gradcheck.subject import Profile, Subject

KINDS = ("basics", "agreement", "probes")
# The checks that ask whether a gradient is right; the others are about simulators.
CODES = re.compile("GC2..|GC401")


def check_function(engine: FunctionEngine, seed: int) -> list[Finding]:
    """Findings on a function, the worst first; what does not apply to functions is left out."""
    guarded = GuardedEngine(engine)
    subject = Subject(engine.testbed.name, guarded, engine.testbed, seed, Profile("quick"))
    kinds = (*KINDS, "precision") if Knob.PRECISION in engine.card.knobs else KINDS
    artifacts = [
        _measured(kind, subject, guarded)
        if kind in kinds
        else _missing(kind, subject, "not measured on a function", error=False)
        for kind in MEASUREMENTS
    ]
    evidence = Evidence(
        engine=subject.engine_name,
        card=engine.card,
        testbed=testbed_record(engine.testbed),
        provenance=provenance(seed=seed, profile="quick"),
        artifacts=artifacts,
    )
    applicable = [
        finding
        for finding in judge(evidence)
        if CODES.fullmatch(finding.code) and finding.verdict is not Verdict.NOT_APPLICABLE
    ]
    return sorted(applicable, key=lambda finding: WORST_FIRST.index(finding.verdict))


def _measured(kind: str, subject: Subject, guarded: GuardedEngine) -> AnyArtifact:
    """The artifact, or what the function raised as the reason for having none."""
    guarded.non_finite = ""
    try:
        return MEASUREMENTS[kind](subject)
    except BadInput:
        raise
    except Unsupported as error:
        return _missing(kind, subject, str(error), error=False)
    except Exception as error:
        text = reason(error) + (f"; before, {guarded.non_finite}" if guarded.non_finite else "")
        return _missing(kind, subject, text, error=True)


def _missing(kind: str, subject: Subject, text: str, *, error: bool) -> Missing:
    return Missing(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        measurement=kind,
        reason=text,
        error=error,
    )
