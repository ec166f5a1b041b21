"""What Python code calls: `check`, `simulate`, `compare`, `audit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gradcheck import registry
from gradcheck.curve import Slope
from gradcheck.engine import (
    AbstractEngine,
    AbstractSimulation,
    Array,
    BadInput,
    Gradient,
    Inputs,
    Settings,
)
from gradcheck.finding import Finding, Verdict
from gradcheck.report import Report, worst
from gradcheck.testbed import Testbed


class WrongGradient(AssertionError):
    """Raised by `CheckResult.raise_if_wrong`; the text is that of the findings."""


@dataclass(frozen=True)
class CheckResult:
    """What was found on one function. `findings`: what applies to a function, the worst first."""

    name: str
    findings: list[Finding]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict."""
        return worst(finding.verdict for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Does nothing fail, and was everything judged?"""
        return self.verdict in (Verdict.PASS, Verdict.WARN)

    def raise_if_wrong(self) -> None:
        """Raise `WrongGradient` with the findings unless all is well."""
        if not self.ok:
            raise WrongGradient(str(self))

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.verdict}"]
        lines += [f"  {one.verdict:<5} {one.code} {one.message}" for one in self.findings]
        return "\n".join(lines)

    def __rich__(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        from gradcheck.verdicts import COLOURS, finding_text

        head = Text(f"{self.name}: ").append(self.verdict, COLOURS[self.verdict])
        return Group(head, *map(finding_text, self.findings))


def check(
    f: Callable[[Any], Any],
    x: Any,
    grad: Callable[[Any], Any] | None = None,
    *,
    seed: int = 0,
    name: str | None = None,
) -> CheckResult:
    """Is the gradient of `f` right near `x`?

    f: a function of one argument that returns one number: of JAX; of PyTorch, if x holds tensors
    or f is a module; of anything, if `grad` gives its gradient, built like x.
    x: floats, an array, or a dictionary (or deeper pytree) of them.
    Computes in float64 and leaves JAX's configuration as it is. Raises `BadInput`.
    """
    from gradcheck.engines.function import function_engine
    from gradcheck.function_check import check_function

    engine = function_engine(f, x, grad, name)
    return CheckResult(engine.testbed.name, check_function(engine, seed))


@dataclass(frozen=True)
class Simulated:
    """An engine's simulation of a testbed. `inputs` are the testbed's own where none are given."""

    simulation: AbstractSimulation
    testbed: Testbed

    @property
    def inputs(self) -> dict[str, Array]:
        """The nominal inputs, by name."""
        return self.testbed.nominal()

    def value(self, inputs: Inputs | None = None) -> float:
        """The loss."""
        return self.simulation.value(self.inputs if inputs is None else inputs)

    def value_and_grad(self, inputs: Inputs | None = None) -> tuple[float, Gradient]:
        """The loss and its gradient by name."""
        return self.simulation.value_and_grad(self.inputs if inputs is None else inputs)


def simulate(engine: str | AbstractEngine, testbed: str | Testbed, **settings: Any) -> Simulated:
    """The simulation that an engine answers a testbed with, both by name or as objects.

    settings: the fields of `gradcheck.Settings`, such as steps=10 or precision="float32".
    Raises `BadInput` for unknown names and settings, `Unsupported` where the engine cannot.
    """
    from pydantic import ValidationError

    try:
        chosen = Settings(**settings)
    except ValidationError as error:
        known = ", ".join(Settings.model_fields)
        raise BadInput(
            f"wrong setting {error.errors()[0]['loc'][0]}: the settings are {known}"
        ) from None
    made = registry.engine(engine) if isinstance(engine, str) else engine
    scene = registry.testbed(testbed) if isinstance(testbed, str) else testbed
    return Simulated(made.simulate(scene, chosen), scene)


@dataclass(frozen=True)
class Comparison:
    """One derivative by the engine beside central differences of its loss.

    `difference` is read off a run of steps, or at the one step asked for, where `uncertainty` is
    NaN. Both per unit of the coordinate.
    """

    label: str
    gradient: float
    difference: float
    uncertainty: float
    step: float

    def __str__(self) -> str:
        return (
            f"{self.label}: engine {self.gradient:.10g}, central difference "
            f"{self.difference:.10g} ± {self.uncertainty:.2g} at step {self.step:.2g}"
        )


def compare(
    sim: Simulated,
    input: str,
    coordinate: int,
    step: float | None = None,
    at: Mapping[str, ArrayLike] | None = None,
) -> Comparison:
    """The engine's derivative by one tangent coordinate of an input beside central differences.

    step: in the unit of the input; None reads a whole curve of steps. at: inputs to look at, in
    place of the nominal ones; flat lists will do. Raises `BadInput` for an unknown input or
    coordinate.
    """
    names = [one.name for one in sim.testbed.inputs]
    if input not in names:
        raise BadInput(f"{sim.testbed.name} has no input {input!r} (it has: {', '.join(names)})")
    one = sim.testbed.input(input)
    if not 0 <= coordinate < one.tangent_size:
        raise BadInput(f"{input} has coordinates 0 to {one.tangent_size - 1}, not {coordinate}")
    here = sim.inputs
    for name, value in (at or {}).items():
        if name not in here:
            raise BadInput(f"{sim.testbed.name} has no input {name!r} (it has: {', '.join(names)})")
        here[name] = np.reshape(np.asarray(value, np.float64), here[name].shape)
    gradient = sim.value_and_grad(here)[1]
    if input not in gradient:
        raise BadInput(f"no gradient by {input}: {sim.simulation.undifferentiated.get(input)}")
    slope = _slope(sim, here, input, coordinate, step)
    return Comparison(
        label=one.labels()[coordinate],
        gradient=float(one.pull(here[input], gradient[input])[coordinate]),
        difference=slope.value,
        uncertainty=slope.uncertainty,
        step=slope.lowest_step,
    )


def _slope(sim: Simulated, here: Inputs, input: str, coordinate: int, step: float | None) -> Slope:
    one = sim.testbed.input(input)

    def moved(by: float) -> float:
        delta = np.zeros(one.tangent_size)
        delta[coordinate] = by
        return sim.value({**here, input: one.retract(np.asarray(here[input]), delta)})

    if step is not None:
        value = (moved(step) - moved(-step)) / (2 * step)
        return Slope(value=value, uncertainty=float("nan"), lowest_step=step, highest_step=step)
    motion = sim.testbed.speed * sim.testbed.dt
    steps = [10.0**exponent for exponent in range(-9, 0)]
    raise NotImplementedError(motion, steps)


def audit(
    engines: Sequence[str] = (),
    testbeds: Sequence[str] = (),
    *,
    out: str | Path = "gradcheck-audit",
    **options: Any,
) -> Report:
    """Audit engines on testbeds in child processes and write the report to `out`.

    options: the fields of `gradcheck.runner.Request`, such as profile="full" or jobs=4.
    """
    from gradcheck import runner

    return runner.audit(
        runner.Request(engines=engines, testbeds=testbeds, out=Path(out), **options)
    )
