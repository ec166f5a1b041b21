"""What comes of a job: its measurements, or why there are none."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import ConfigDict, Field

from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.jobs.order import Order, Ready, Refusal
from gradcheck.record import Record

INTERRUPTED = "the audit was interrupted before this"


class Cause(StrEnum):
    """What ended a process that measures."""

    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"


class Limits(Record):
    """What a job may take: seconds for one measurement, bytes of memory of its process, seconds
    for importing a library and building a model before anything is measured."""

    seconds: float = 120.0
    memory: int = 8 * 2**30
    setup: float = 120.0


class Outcome(Record):
    """What came of one job, up to now. `ready` is None where nothing could be measured, for
    `reason`; `setup` are the seconds until the engine was ready, `deaths` counts lost processes.
    `ended` is False of a job that is waiting, under way or was interrupted."""

    model_config = ConfigDict(frozen=False)

    order: Order
    ready: Ready | None = None
    refused: Refusal | None = None
    lost: Cause | None = None
    interrupted: bool = False
    ended: bool = False
    deaths: int = 0
    reason: str = ""
    setup: float = 0.0
    artifacts: list[AnyArtifact] = Field(default_factory=list)

    @property
    def left(self) -> tuple[str, ...]:
        """The measurements that nothing is known of yet; of a job that has ended, none."""
        known = {measurement(one) for one in self.artifacts}
        return () if self.ended else tuple(m for m in self.order.measurements if m not in known)

    def forget_faults(self) -> None:
        """Take what crashed, ran out of time or memory, or failed for unknown."""
        self.artifacts = [
            one for one in self.artifacts if not (isinstance(one, Missing) and one.error)
        ]
        self.lost, self.deaths = None, 0
        if self.refused is not Refusal.UNSUPPORTED:
            self.refused, self.reason = None, ""

    def settle(self) -> None:
        """Work out of the artifacts what a kill may have kept from being written: whether a
        process was lost, and whether the job has ended."""
        for one in self.artifacts:
            if self.lost is None and isinstance(one, Missing):
                for cause in Cause:
                    if one.reason.startswith(f"{cause}: "):
                        self.lost, self.deaths = cause, 1
                        self.reason = f"{one.measurement}: {one.reason.removeprefix(f'{cause}: ')}"
        self.ended = False
        hopeless = self.ready is None and self.lost is not None
        self.ended = self.refused is not None or hopeless or not self.left

    def missing(self, measurements: Sequence[str], reason: str) -> list[Missing]:
        """Say of each that it was not made."""
        order = self.order
        return [
            Missing(
                engine=order.engine,
                testbed=order.testbed,
                seed=order.seed,
                measurement=one,
                reason=reason,
                error=True,
            )
            for one in measurements
        ]


def measurement(artifact: AnyArtifact) -> str:
    """Which measurement the artifact tells of, made or not."""
    return artifact.measurement if isinstance(artifact, Missing) else artifact.kind
