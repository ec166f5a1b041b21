"""One engine on one testbed through the audit's own measurements and checks, in this process."""

import functools
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.checks import CHECKS, judge
from gradcheck.description import testbed_record
from gradcheck.engine import AbstractEngine, AbstractSimulation, Array, Settings, Unsupported
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding
from gradcheck.guard import GuardedEngine
from gradcheck.measure import MEASUREMENTS
from gradcheck.provenance import provenance
from gradcheck.reason import reason
from gradcheck.subject import Subject
from gradcheck.testbed import Testbed

# What checks look at beyond what they cannot do without.
ALSO = {
    "GC101": ("referents",),
    "GC102": ("construction", "referents"),
    "GC103": ("construction", "cost"),
    "GC202": ("agreement",),
    "GC205": ("agreement",),
    "GC207": ("agreement", "steps"),
    "GC403": ("agreement",),
}


def kinds_for(codes: Collection[str]) -> list[str]:
    """The measurements that checks of those codes read, in the audit's order."""
    wanted = {kind for code in codes for kind in ALSO.get(code, ())}
    wanted |= {kind for check in CHECKS if check.code in codes for kind in check.needs}
    return [kind for kind in MEASUREMENTS if kind in wanted]


def examine(
    name: str, engine: AbstractEngine, testbed: Testbed, kinds: Collection[str], seed: int
) -> tuple[Evidence, list[Finding]]:
    """Measure, in the audit's quick profile, what is in `kinds`, and judge it by all checks."""
    guarded = GuardedEngine(engine)
    subject = Subject(name, guarded, testbed, seed)
    evidence = Evidence(
        engine=name,
        card=engine.card,
        testbed=testbed_record(testbed),
        provenance=provenance(seed=seed, profile="quick"),
        artifacts=[_measured(kind, subject, kind in kinds) for kind in MEASUREMENTS],
    )
    return evidence, judge(evidence)


def _measured(kind: str, subject: Subject, wanted: bool) -> AnyArtifact:
    why, error = "left out of the benchmark", False
    if wanted:
        try:
            return MEASUREMENTS[kind](subject)
        except Unsupported as refusal:
            why = str(refusal)
        except Exception as problem:
            why, error = reason(problem), True
    return Missing(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        measurement=kind,
        reason=why,
        error=error,
    )


class Pinned(AbstractEngine):
    """An engine that is always shown the same testbed, whichever inputs it is asked about.

    Testbeds that differ in their nominal inputs alone share one compiled program through it.
    """

    def __init__(self, engine: AbstractEngine, testbed: Testbed) -> None:
        self.engine = engine
        self.testbed = testbed
        self.card = engine.card
        self.probe_limit = engine.probe_limit
        self.slow_build = engine.slow_build

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        return self.engine.simulate(self.testbed, settings)


@functools.cache
def right_engine(name: str) -> AbstractEngine:
    """The engine of that name, once in this process, so that its programs are compiled once."""
    from gradcheck.engines.faulty import right_engine as found

    return found(name)


@functools.cache
def public_testbed(name: str) -> Testbed:
    """The testbed of that name, once in this process."""
    from gradcheck import registry

    return registry.testbed(name)


def jittered(testbed: Testbed, seed: int, size: float) -> Testbed:
    """The testbed with every nominal input moved by up to `size` of its typical change.

    Seed 0 leaves it as it is.
    """
    if seed == 0 or size == 0:
        return testbed
    random = np.random.default_rng([seed, *testbed.name.encode()])
    return replace(
        testbed,
        inputs=tuple(
            replace(
                one,
                default=one.retract(
                    one.default, size * one.scale * random.uniform(-1, 1, one.tangent_size)
                ),
            )
            for one in testbed.inputs
        ),
    )


def flat(inputs: Mapping[str, Array]) -> Array:
    """All inputs as one vector, in their order."""
    return np.concatenate([np.ravel(array) for array in inputs.values()])


def unflat(vector: Array, like: Mapping[str, Array]) -> dict[str, Array]:
    """The inverse of `flat`."""
    out, begin = {}, 0
    for name, array in like.items():
        out[name] = np.asarray(vector[begin : begin + array.size], np.float64).reshape(array.shape)
        begin += array.size
    return out
