"""All that a check may look at: one engine on one testbed, as records."""

from typing import TypeVar

from gradcheck.artifact import AnyArtifact, Artifact, Missing
from gradcheck.engine import EngineCard
from gradcheck.record import Record

A = TypeVar("A", bound=Artifact)


class InputRecord(Record):
    """One named input of a testbed, for the report."""

    name: str
    labels: list[str]
    scale: float
    reach: float
    unit: str
    nominal: list[float]


class TestbedRecord(Record):
    """A testbed as data: what the checks and the report need to know of it."""

    __test__ = False

    name: str
    question: str
    family: str
    source: str
    dt: float
    steps: int
    speed: float
    inputs: list[InputRecord]
    outputs: list[str]
    weights: list[float]
    truth: str | None
    noise: dict[str, float]
    directions: list[str]


class Provenance(Record):
    """What is needed to run it again. Filled by the runner."""

    versions: dict[str, str]
    platform: str
    python: str
    device: str
    cores: int
    precision: str
    seed: int
    profile: str
    command: str
    started: str
    settings: dict[str, str]


class Evidence(Record):
    """One engine on one testbed: its card, the scene, and what was measured."""

    engine: str
    card: EngineCard
    testbed: TestbedRecord
    provenance: Provenance
    artifacts: list[AnyArtifact]

    def get(self, kind: type[A]) -> A | None:
        """The artifact of that type, or None where it is missing."""
        return next((one for one in self.artifacts if isinstance(one, kind)), None)

    def missing(self, measurement: str) -> Missing | None:
        """Why that measurement (an artifact's `kind`) was not made, if it was not."""
        for one in self.artifacts:
            if isinstance(one, Missing) and one.measurement == measurement:
                return one
        return None
