"""One point: the loss and its gradient, there, around it, and in float32."""

from typing import Literal

from pydantic import Field

from gradcheck.artifact.base import Artifact


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
