"""The nouns every other file uses: an engine, its card, and a simulation it answers with.

A simulation is a scalar loss of named float64 arrays, and its gradient. That is all an author
must write; everything else here is optional and declared on the card.
"""

import abc
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from gradcheck.record import Record
from gradcheck.structure import Structure
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention

if TYPE_CHECKING:
    from gradcheck.testbed import Testbed

Array = NDArray[np.float64]
Inputs = Mapping[str, Array]
Gradient = dict[str, Array]


class Unsupported(Exception):
    """An engine cannot do this, and says why. Data in the report, never silence."""


class BadInput(Exception):
    """Something the user gave cannot be used; the message names cause and cure in one line."""


class Diverged(Exception):
    """A computation ran away before there was an answer; the message names cause and cure."""


class Ability(StrEnum):
    """What a simulation can do beyond a value and a gradient."""

    BATCH = "batch"
    FORWARD_MODE = "forward mode"
    STEPS = "steps"
    COMPLEX = "complex step"
    MEMORY = "memory"
    STRUCTURE = "structure"


class Knob(StrEnum):
    """A setting that an engine lets the audit vary."""

    STEPS = "steps"
    DT = "dt"
    PRECISION = "precision"
    ITERATIONS = "iterations"
    TOLERANCE = "tolerance"
    SOLVER = "solver"
    CONE = "cone"


class Settings(Record):
    """One choice of an engine's knobs; None means the testbed's or the engine's own value."""

    steps: int | None = None
    dt: float | None = None
    precision: str = "float64"
    iterations: int | None = None
    tolerance: float | None = None
    solver: str | None = None
    cone: str | None = None

    def changed(self) -> set[Knob]:
        """The knobs that differ from their defaults."""
        return {knob for knob in Knob if getattr(self, knob.value) != _DEFAULT_SETTINGS[knob.value]}


_DEFAULT_SETTINGS = {name: field.default for name, field in Settings.model_fields.items()}


class EngineCard(Record):
    """What an engine states about its gradient. None means: not stated.

    `frozen` lists what the backward pass holds constant: () says "nothing", None says nothing.
    `precision` is what it computes in where it is not told otherwise; agreement is judged by it.
    `sources` gives, for each claim (by field name), where it is written.
    """

    name: str
    version: str
    summary: str = ""
    referent: Referent | None = None
    realization: Realization | None = None
    retention: Retention | None = None
    contact: ContactTreatment | None = None
    frozen: tuple[str, ...] | None = None
    precision: Literal["float64", "float32"] = "float64"
    abilities: tuple[Ability, ...] = ()
    knobs: tuple[Knob, ...] = (Knob.STEPS,)
    sources: dict[str, str] = Field(default_factory=dict)


class AbstractSimulation(abc.ABC):
    """A scalar loss of named float64 arrays at one testbed and one choice of settings.

    `undifferentiated` names inputs without a gradient, with the reason; `value_and_grad` leaves
    them out of its dictionary. Shapes of gradients equal shapes of inputs (a quaternion has four
    entries). All arrays are float64, also where the engine computes in float32.
    """

    undifferentiated: Mapping[str, str] = {}

    @abc.abstractmethod
    def value(self, inputs: Inputs) -> float:
        """The loss, computed without asking for a gradient."""

    @abc.abstractmethod
    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        """The loss and its gradient by name."""

    # Optional abilities. The first two have slow defaults; the others refuse by name.

    def values(self, batch: Inputs) -> Array:
        """Losses [n] of a batch whose arrays have a leading axis n."""
        return np.array([self.value(one) for one in unstack(batch)])

    def values_and_grads(self, batch: Inputs) -> tuple[Array, Gradient]:
        """Losses [n] and gradients [n, ...] of a batch whose arrays have a leading axis n."""
        pairs = [self.value_and_grad(one) for one in unstack(batch)]
        names = pairs[0][1].keys() if pairs else ()
        grads = {name: np.stack([grad[name] for _, grad in pairs]) for name in names}
        return np.array([value for value, _ in pairs]), grads

    def exact(self) -> "AbstractSimulation":
        """The same simulation, built for just this horizon: what its cost is measured on.

        Engines that build one program for several horizons return a tighter one here.
        """
        return self

    def jvp(self, inputs: Inputs, tangents: Inputs) -> float:
        """Directional derivative by the engine's own forward mode (`Ability.FORWARD_MODE`)."""
        raise Unsupported("this engine has no forward mode")

    def value_complex(self, inputs: Mapping[str, NDArray[np.complex128]]) -> complex:
        """The loss at complex inputs (`Ability.COMPLEX`)."""
        raise Unsupported("this engine does not evaluate complex inputs")

    def trajectory(self, inputs: Inputs) -> Array:
        """States [steps + 1, n] of the rollout (`Ability.STEPS`)."""
        raise Unsupported("this engine does not show its states")

    def step(self, states: Array, index: NDArray[np.int64], inputs: Inputs) -> Array:
        """Next states [b, n] of states [b, n], each at its own step index (`Ability.STEPS`)."""
        raise Unsupported("this engine does not show its single step")

    def step_jacobians(self, inputs: Inputs) -> Array:
        """Jacobians [steps, n, n] of each step along the rollout, by the engine's own
        differentiation, in the coordinates of `trajectory` (`Ability.STEPS`)."""
        raise Unsupported("this engine does not show its step Jacobians")

    def memory(self) -> tuple[float, float]:
        """Peak bytes of the forward and of the backward program (`Ability.MEMORY`)."""
        raise Unsupported("this engine does not tell its memory")

    def structure(self, inputs: Inputs) -> Structure:
        """What the framework shows of how the loss is differentiated (`Ability.STRUCTURE`)."""
        raise Unsupported("this engine does not show how it is differentiated")

    def diagnostics(self, inputs: Inputs) -> dict[str, float]:
        """What else the engine tells about this rollout: solver residual, iterations, contacts."""
        return {}


class AbstractEngine(abc.ABC):
    """Answers for a testbed with a simulation, or raises `Unsupported` with the reason.

    `probe_limit` bounds how many random states the quick audit asks gradients at: lower it
    where one gradient takes milliseconds. `slow_build` says that each further program (another
    precision, another shape) costs many seconds to build: the quick audit leaves those out.
    """

    card: EngineCard
    probe_limit: int = 1024
    slow_build: bool = False

    @abc.abstractmethod
    def simulate(self, testbed: "Testbed", settings: Settings) -> AbstractSimulation:
        """A simulation of `testbed`. Raises `Unsupported` for a scene or setting it cannot do."""


def unstack(batch: Inputs) -> list[dict[str, Array]]:
    """The single inputs of a batch."""
    count = len(next(iter(batch.values()))) if batch else 0
    return [{name: np.asarray(value[i]) for name, value in batch.items()} for i in range(count)]


def require_knobs(card: EngineCard, settings: Settings) -> None:
    """Raise `Unsupported` for a changed setting that the card does not declare."""
    for knob in sorted(settings.changed() - set(card.knobs)):
        known = ", ".join(card.knobs) or "none"
        raise Unsupported(f"{card.name} has no knob '{knob}' (it has: {known})")
