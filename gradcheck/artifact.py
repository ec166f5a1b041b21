"""Raw measurements, saved as they come. Numbers only: nothing here is judged.

Each artifact belongs to one engine and one testbed. Units are SI; a gradient's unit is that of
the loss over that of its input. Per-coordinate lists run over tangent coordinates.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from gradcheck.curve import Curve
from gradcheck.record import Record
from gradcheck.structure import Structure
from gradcheck.taxonomy import Referent


class Artifact(Record):
    """What every measurement says about itself."""

    engine: str
    testbed: str
    seed: int = 0
    seconds: float = 0.0


class Basics(Artifact):
    """The loss and its gradient at the nominal inputs, with and without gradients, repeated.

    `gradient` is in tangent coordinates by input; `raw_gradient` in the input's own entries
    (flattened). `radial` is, by input, the largest |gradient . q| / |gradient| over its
    quaternions (0 where the gradient has none). `values` and `gradients` are repeats; `batched`
    is the same gradient out of a batch that holds another point as well.
    """

    kind: Literal["basics"] = "basics"
    steps: int
    dt: float
    inputs: dict[str, list[float]]
    values: list[float]
    values_with_grad: list[float]
    gradients: list[dict[str, list[float]]]
    batched: dict[str, list[float]] = Field(default_factory=dict)
    raw_gradient: dict[str, list[float]]
    radial: dict[str, float]
    undifferentiated: dict[str, str]
    diagnostics: dict[str, float]


class Agreement(Artifact):
    """Step-size curves of the loss along coordinates and random directions, at nominal inputs.

    `truncated` names inputs whose coordinates were sampled, with (measured, total).
    `forward_mode_reason` says why no curve has a derivative by forward mode.
    """

    kind: Literal["agreement"] = "agreement"
    steps: int
    dt: float
    curves: list[Curve]
    truncated: dict[str, tuple[int, int]]
    forward_mode_reason: str | None = None


class Probes(Artifact):
    """Values and gradients at `count` scrambled Sobol points around the nominal inputs.

    `bad_values` and `bad_gradients` count non-finite results. `first_bad` are the inputs of the
    first bad point; `bad_inputs` the names whose gradient is not finite there;
    `first_bad_horizon` the fewest steps at which it is not finite, `bad_forward` whether the
    loss itself is not finite there.
    """

    kind: Literal["probes"] = "probes"
    count: int
    bad_values: int
    bad_gradients: int
    first_bad: dict[str, list[float]] | None = None
    bad_inputs: list[str] = Field(default_factory=list)
    first_bad_horizon: int | None = None
    bad_forward: bool = False


class Precision(Artifact):
    """Gradients in float32 and float64 at the nominal inputs (tangent coordinates by input)."""

    kind: Literal["precision"] = "precision"
    float64: dict[str, list[float]]
    float32: dict[str, list[float]]
    value64: float
    value32: float
    # Do the results of the "float64" run carry float32 rounding? Noise or quantisation of the loss
    # and of the gradient along a line, both relative: 1e-16 in float64, 1e-8 in float32.
    value_resolution: float
    gradient_resolution: float
    # The same at points so close that float32 cannot tell them apart: noise, but no rounding.
    value_jitter: float = 0.0
    gradient_jitter: float = 0.0
    # The "float64" gradients at two points close by, whose inputs float32 cannot hold: at inputs
    # that it can (0.5, or data read as float32), a right gradient may consist of its numbers.
    moved64: tuple[dict[str, list[float]], ...] = ()


class HorizonRow(Record):
    """One horizon: gradient by coordinate, and central differences with their uncertainty."""

    steps: int
    value: float
    gradient: dict[str, list[float]]
    difference: dict[str, list[float]]
    uncertainty: dict[str, list[float]]
    # By input: does the coordinate sit on a kink at this horizon (one-sided slopes apart)?
    kink: dict[str, list[bool]]


class Ladder(Record):
    """Horizons at one dt; the first ladder with the singular values of the product of step
    Jacobians, where these are shown.

    `log_singular` are natural logarithms [row][k] of the largest and smallest singular value.
    """

    dt: float
    rows: list[HorizonRow]
    log_largest: list[float]
    log_smallest: list[float]


class Horizon(Artifact):
    """Gradients over growing horizons; a second ladder at half the time step where possible.

    The first ladder is refined by bisection wherever the disagreement with differences changes
    most, so the first horizon that disagrees is in it.
    """

    kind: Literal["horizon"] = "horizon"
    ladders: list[Ladder]
    second_reason: str | None = None


class Steps(Artifact):
    """Each step's Jacobian by the engine against differences of that step, along the rollout.

    `errors` [steps]: max |J - D| over max |D| of each step; `uncertainty` [steps] likewise that
    of D. `entries`: the worst (row, column) by step. `transposed`: max |J - Dᵀ| / max |D|.
    `indices`: which steps, from 0; all of them unless there are too many to measure.
    """

    kind: Literal["steps"] = "steps"
    dt: float
    errors: list[float]
    uncertainty: list[float]
    entries: list[tuple[int, int]]
    transposed: list[float]
    indices: list[int] = Field(default_factory=list)


class Event(Record):
    """A place on a sweep where value or slope changes abruptly, located by bisection."""

    at: float
    left_value: float
    right_value: float
    left_slope: float
    right_slope: float
    uncertainty: float
    # The engine's own derivative exactly at the event
    gradient: float


class SweepResult(Artifact):
    """One coordinate swept through contact: values, engine gradients and central differences.

    `index` is the tangent coordinate. A difference is NaN where it settles nowhere. `events`: the
    largest, each located. `unsearched`: how many more intervals between `points` hold a value
    that does not follow from the slopes at its ends.
    """

    kind: Literal["sweep"] = "sweep"
    input: str
    index: int
    label: str
    points: list[float]
    values: list[float]
    gradients: list[float]
    differences: list[float]
    # Value at noise-free resolution: what repeats and rounding leave
    noise: float
    events: list[Event]
    unsearched: int = 0


class SmoothRow(Record):
    """Estimates of the slope of the mean loss under noise along one input, at equal budget.

    budget: loss evaluations (a gradient costs `gradient_cost` of them). Means with standard
    errors and per-sample variances; `first` by the engine's gradient, `zeroth` by antithetic
    score-function differences. `exact` is the testbed's quadrature or closed form, if any;
    `reference` a zeroth-order estimate with 16 times the budget otherwise.
    """

    label: str
    input: str
    index: int
    sigma: float
    budget: int
    first_mean: float
    first_error: float
    first_variance: float
    first_count: int
    zeroth_mean: float
    zeroth_error: float
    zeroth_variance: float
    zeroth_count: int
    reference_mean: float
    reference_error: float
    exact: float | None = None


class Smoothing(Artifact):
    """First-order against zeroth-order estimates of a smoothed gradient."""

    kind: Literal["smoothing"] = "smoothing"
    gradient_cost: float
    rows: list[SmoothRow]


class CostRow(Record):
    """Time (the least of repeats, seconds) and peak memory (bytes; None where not told) of one
    rollout.

    `forward_spread` and `backward_spread`: how much the least time may change from run to run, in
    seconds: from the least to the lower quartile of the repeats, and what other work on the
    machine took of the least one itself. None where it was not recorded.
    """

    steps: int
    forward: float
    backward: float
    forward_bytes: float | None
    backward_bytes: float | None
    forward_spread: float | None = None
    backward_spread: float | None = None


class Cost(Artifact):
    """Time and memory of value and of value-with-gradient over the horizon."""

    kind: Literal["cost"] = "cost"
    rows: list[CostRow]
    input_count: int
    memory_reason: str | None = None


class PhysicsRow(Record):
    """One refined time step: differences of the engine with steps well above speed * dt."""

    dt: float
    # Empty where the reference is a closed form
    difference: dict[str, list[float]]
    # gradient of the engine itself at this dt
    gradient: dict[str, list[float]]


class Physics(Artifact):
    """The gradient of the physics: the testbed's truth, or the engine refined in dt.

    `reference` and `uncertainty` by input and tangent coordinate; `source` says which of the two.
    `directions`: named directions of the testbed -> (gradient along it, reference along it).
    `value` of the engine's loss and `truth_value` of the physics where known.
    """

    kind: Literal["physics"] = "physics"
    source: str
    exact: bool
    gradient: dict[str, list[float]]
    reference: dict[str, list[float]]
    uncertainty: dict[str, list[float]]
    directions: dict[str, tuple[float, float]]
    value: float
    truth_value: float | None
    rows: list[PhysicsRow]
    # Does the engine's gradient tend to the reference as dt shrinks? relative errors by dt
    refinement_errors: list[float]


class Slopes(Record):
    """Slopes of one reference along the directions [n], per typical change, with uncertainties
    (infinite where the reference has none)."""

    value: list[float]
    uncertainty: list[float]


class Setting(StrEnum):
    """What was changed for a row of `Referents`."""

    IN_USE = "in use"
    ITERATIONS = "iterations"
    TOLERANCE = "tolerance"
    DT = "dt"


class ReferentRow(Record):
    """The engine's gradient along the directions [n] at one setting, beside the references.

    `at` is the value of what was changed (0 for the setting in use). `references` has those that
    could be had at this setting.
    """

    setting: Setting
    at: float
    steps: int
    dt: float
    gradient: list[float]
    references: dict[Referent, Slopes]
    residual: float | None = None


class Referents(Artifact):
    """Directional derivatives at several solver budgets, horizons and time steps, each beside that
    of the program, of the converged equation, of the physics.

    `made` says how each reference was had, `absent` why one could not be.
    """

    kind: Literal["referents"] = "referents"
    labels: list[str]
    rows: list[ReferentRow]
    made: dict[Referent, str]
    absent: dict[Referent, str]


class MemoryRow(Record):
    """Peak bytes of the loss and of its gradient over so many steps, with so many iterations of the
    solver (None: the engine's own)."""

    steps: int
    iterations: int | None
    forward_bytes: float
    backward_bytes: float


class Construction(Artifact):
    """How the gradient is built: what the framework shows of it, and how its memory grows, over
    horizons far beyond the testbed's own and over the solver's budget.

    `structure_reason` and `memory_reason` say why there is none. `state_bytes` is the size of one
    state in float64, where states are shown.
    """

    kind: Literal["construction"] = "construction"
    structure: Structure | None
    structure_reason: str | None
    horizons: list[MemoryRow]
    budgets: list[MemoryRow]
    memory_reason: str | None
    state_bytes: float | None


class Missing(Artifact):
    """A measurement that was not made. `error` tells a fault (crash, time-out, NaN, wrong shape)
    from an engine that says that it cannot."""

    kind: Literal["missing"] = "missing"
    measurement: str
    reason: str
    error: bool


AnyArtifact = Annotated[
    Basics
    | Agreement
    | Probes
    | Precision
    | Horizon
    | Steps
    | SweepResult
    | Smoothing
    | Cost
    | Physics
    | Referents
    | Construction
    | Missing,
    Field(discriminator="kind"),
]
ARTIFACT: TypeAdapter[AnyArtifact] = TypeAdapter(AnyArtifact)
