"""What the runner and its child processes say to one another, one JSON object a line."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from gradcheck.artifact import AnyArtifact
from gradcheck.engine import EngineCard
from gradcheck.evidence import TestbedRecord
from gradcheck.record import Record


class Order(Record):
    """Measure these, in this order.

    `engine` and `testbed` are what the report calls them; `target` and `scene` say what they are
    made of: a registered name or FILE.py:NAME. `python` runs the child; None is the runner's own.
    """

    engine: str
    testbed: str
    target: str
    scene: str
    python: str | None = None
    measurements: tuple[str, ...]
    seed: int
    profile: str


class Ready(Record):
    """The engine has a simulation of the testbed. `versions` by package, as imported there."""

    event: Literal["ready"] = "ready"
    card: EngineCard
    testbed: TestbedRecord
    versions: dict[str, str]
    device: str
    python: str


class Refusal(StrEnum):
    """Why an order cannot be followed at all."""

    UNSUPPORTED = "unsupported"
    BAD_INPUT = "bad input"
    FAULT = "fault"


class Refused(Record):
    """The engine cannot do this testbed, cannot be made, or fails before anything is measured."""

    event: Literal["refused"] = "refused"
    refusal: Refusal
    reason: str


class Started(Record):
    """This measurement has begun; its time limit runs from here."""

    event: Literal["started"] = "started"
    measurement: str


class Done(Record):
    """This measurement has ended, with its artifact or the reason for having none."""

    event: Literal["done"] = "done"
    measurement: str
    artifact: AnyArtifact


class Finished(Record):
    """The order is done; the child waits for the next."""

    event: Literal["finished"] = "finished"


Answer = Ready | Refused | Started | Done | Finished
ANSWER: TypeAdapter[Answer] = TypeAdapter(Annotated[Answer, Field(discriminator="event")])
