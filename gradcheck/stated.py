"""What an engine's card and its testbeds state, as an answer to an item of the checklist."""

from collections.abc import Callable
from dataclasses import dataclass

from gradcheck.engine import Knob
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding
from gradcheck.report import Report

NOT_STATED = "not stated"
NO_FIELD = "measured only: a card has no field for it"


@dataclass(frozen=True)
class Scope:
    """All that the audit holds of one engine."""

    report: Report
    engine: str
    evidence: tuple[Evidence, ...]
    findings: tuple[tuple[int, Finding], ...]

    def card(self, field: str) -> str:
        """What the card says in that field, with the place where it is written."""
        if not self.evidence:
            return NOT_STATED
        card = self.evidence[0].card
        claim = getattr(card, field)
        if claim is None:
            return NOT_STATED
        source = f" ({card.sources[field]})" if field in card.sources else ""
        if isinstance(claim, tuple):
            claim = ", ".join(claim) if claim else "nothing"
        return f"{claim}{source}"

    def testbeds(self, text: Callable[[Evidence], str]) -> str:
        """A sentence for each testbed, those of equal wording together."""
        groups: dict[str, list[str]] = {}
        for one in self.evidence:
            groups.setdefault(text(one), []).append(one.testbed.name)
        return "; ".join(f"{', '.join(names)}: {said}" for said, names in groups.items())


Stated = Callable[[Scope], str]


def measured_only(scope: Scope) -> str:
    """No card has a field for this."""
    return NO_FIELD


def field(name: str) -> Stated:
    """What the card says in one of its fields."""
    return lambda scope: scope.card(name)


def scalar(scope: Scope) -> str:
    """The loss, its inputs with their sizes, and the steps, by testbed."""

    def said(one: Evidence) -> str:
        bed = one.testbed
        terms = zip(bed.weights, bed.outputs, strict=False)
        loss = " + ".join(
            name if weight == 1 else f"{weight:g} {name}" for weight, name in terms if weight
        )
        inputs = ", ".join(f"{item.name} [{len(item.labels)}]" for item in bed.inputs)
        length = f"{bed.steps} steps of {bed.dt:.4g} s" if bed.dt else "no time steps"
        return f"{loss or 'a loss'} with respect to {inputs}; {length}"

    return scope.testbeds(said)


def precision(scope: Scope) -> str:
    """The card's precision, and the device of the audit."""
    device = scope.report.provenance.device
    return f"{scope.card('precision')} on {device}"


def solver(scope: Scope) -> str:
    """Which of the solver's settings the engine lets the audit vary."""
    knobs = (Knob.SOLVER, Knob.ITERATIONS, Knob.TOLERANCE)
    offered = [knob for one in scope.evidence[:1] for knob in knobs if knob in one.card.knobs]
    return f"can be varied: {', '.join(offered)}" if offered else NOT_STATED


def contact(scope: Scope) -> str:
    """Contact treatment, and what the backward pass holds constant."""
    return f"contact: {scope.card('contact')}; frozen: {scope.card('frozen')}"


def inputs(scope: Scope) -> str:
    """The named inputs, by testbed."""

    def said(one: Evidence) -> str:
        return ", ".join(item.name for item in one.testbed.inputs)

    return scope.testbeds(said)


def physics(scope: Scope) -> str:
    """Where the derivative of the physics comes from, by testbed."""
    return scope.testbeds(lambda one: f"truth: {one.testbed.truth or 'a refined time step'}")


def noise(scope: Scope) -> str:
    """Standard deviations of the noise, by testbed."""

    def said(one: Evidence) -> str:
        noise = ", ".join(f"{name} ± {sigma:g}" for name, sigma in one.testbed.noise.items())
        return f"noise {noise}" if noise else "no noise"

    return scope.testbeds(said)


def provenance(scope: Scope) -> str:
    """Versions, machine, seed and command."""
    told = scope.report.provenance
    versions = ", ".join(f"{name} {version}" for name, version in told.versions.items())
    return f"{versions}; {told.platform}, {told.cores} cores; seed {told.seed}; {told.command}"


def scope(scope: Scope) -> str:
    """The testbeds that were run, and how thoroughly."""
    names = ", ".join(one.testbed.name for one in scope.evidence)
    return f"run on {names or 'no testbed'}; profile {scope.report.provenance.profile}"
