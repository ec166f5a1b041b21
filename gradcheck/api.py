"""What Python code calls: `check`, `simulate`, `compare`, `audit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from gradcheck import registry
from gradcheck.comparison import Comparison, compared
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
    settings: Settings

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
    return Simulated(made.simulate(scene, chosen), scene, chosen)


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
    return compared(sim.simulation, sim.testbed, sim.settings, input, coordinate, step, at or {})


def audit(
    engines: Sequence[str] = (),
    testbeds: Sequence[str] = (),
    *,
    out: str | Path | None = None,
    config: str | Path | None = None,
    **options: Any,
) -> Report:
    """Audit engines on testbeds in child processes and write the report to `out`.

    config: the path of a gradcheck.toml, whose engines are known by their names and whose [audit]
    says what is not said here. Without it no configuration is read: a call means the same in every
    folder. out: by default that of the configuration, or gradcheck-audit.
    options: the fields of `gradcheck.request.Request`, such as profile="full", jobs=4 or
    resume=True. Raises `BadInput`.
    """
    from gradcheck import runner
    from gradcheck.config import load

    read = load(Path(config)) if config is not None else None
    return runner.audit(
        runner.Request(engines=engines, testbeds=testbeds, out=out, config=read, **options)
    )
