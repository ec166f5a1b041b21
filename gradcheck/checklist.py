"""The reporting checklist: what to say about a simulator's gradients, as one table of data.

Each item has a question, the check codes that answer it, and what the engine's card or the
testbed *states*. What was *measured* comes from the findings of those codes. An item that nothing
measured says so and why; it is never ticked.
"""

from collections.abc import Callable
from dataclasses import dataclass

from gradcheck.engine import Knob
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.record import Record
from gradcheck.report import WORST_FIRST, Report, worst

NOT_STATED = "not stated"
NO_FIELD = "measured only: a card has no field for it"


class ChecklistItem(Record):
    """One item filled in for one engine.

    `verdict` is the worst of its findings, or None: not measured, for the reason in `why`.
    `codes` answered it; `unmeasured` gives, for the codes that should have and did not, the
    reason, also where the others make a verdict. `cure` is that of the worst finding.
    """

    id: str
    section: str
    question: str
    stated: str
    measured: str
    verdict: Verdict | None
    why: str = ""
    codes: list[str] = []
    unmeasured: dict[str, str] = {}
    findings: list[Finding] = []
    cure: str = ""


@dataclass(frozen=True)
class Scope:
    """All that the audit holds of one engine."""

    report: Report
    engine: str
    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...]

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


@dataclass(frozen=True)
class Item:
    """One row of the checklist."""

    id: str
    section: str
    question: str
    codes: tuple[str, ...]
    stated: Stated


def _measured_only(scope: Scope) -> str:
    return NO_FIELD


def _field(name: str) -> Stated:
    return lambda scope: scope.card(name)


def _scalar(scope: Scope) -> str:
    def said(one: Evidence) -> str:
        bed = one.testbed
        terms = zip(bed.weights, bed.outputs, strict=False)
        loss = " + ".join(f"{weight:g} {name}" for weight, name in terms if weight)
        inputs = ", ".join(f"{item.name} [{len(item.labels)}]" for item in bed.inputs)
        length = f"{bed.steps} steps of {bed.dt:.4g} s" if bed.dt else "no time steps"
        return f"{loss or 'a loss'} with respect to {inputs}; {length}"

    return scope.testbeds(said)


def _precision(scope: Scope) -> str:
    provenance = scope.report.provenance
    return f"{provenance.precision} on {provenance.device}"


def _solver(scope: Scope) -> str:
    knobs = (Knob.SOLVER, Knob.ITERATIONS, Knob.TOLERANCE)
    offered = [knob for one in scope.evidence[:1] for knob in knobs if knob in one.card.knobs]
    return f"can be varied: {', '.join(offered)}" if offered else NOT_STATED


def _contact(scope: Scope) -> str:
    return f"contact: {scope.card('contact')}; frozen: {scope.card('frozen')}"


def _inputs(scope: Scope) -> str:
    def said(one: Evidence) -> str:
        return ", ".join(item.name for item in one.testbed.inputs)

    return scope.testbeds(said)


def _physics(scope: Scope) -> str:
    return scope.testbeds(lambda one: f"truth: {one.testbed.truth or 'a refined time step'}")


def _noise(scope: Scope) -> str:
    def said(one: Evidence) -> str:
        noise = ", ".join(f"{name} ± {sigma:g}" for name, sigma in one.testbed.noise.items())
        return f"noise {noise}" if noise else "no noise"

    return scope.testbeds(said)


def _provenance(scope: Scope) -> str:
    told = scope.report.provenance
    versions = ", ".join(f"{name} {version}" for name, version in told.versions.items())
    return f"{versions}; {told.platform}, {told.cores} cores; seed {told.seed}; {told.command}"


def _scope(scope: Scope) -> str:
    names = ", ".join(one.testbed.name for one in scope.evidence)
    return f"run on {names or 'no testbed'}; profile {scope.report.provenance.profile}"


WHAT = "What was differentiated"
RIGHT = "Is it correct"
USE = "Is it useful"
COST = "What does it cost"
REPEAT = "Can it be repeated"

ITEMS: tuple[Item, ...] = (
    Item(
        "R1",
        WHAT,
        "Which scalar was differentiated, with respect to which inputs, over how many steps of "
        "what length?",
        ("GC701",),
        _scalar,
    ),
    Item(
        "R2",
        WHAT,
        "Whose derivative is it: that of the computation that ran, of the equation it "
        "approximates, or of the continuous dynamics? Does the measurement agree?",
        ("GC101",),
        _field("referent"),
    ),
    Item(
        "R3",
        WHAT,
        "How is the derivative made: by generated differentiation, by an adjoint of the "
        "equations, or by an adjoint written by hand?",
        ("GC102",),
        _field("realization"),
    ),
    Item(
        "R4",
        WHAT,
        "How does the backward pass get the states of the forward pass, and what memory does "
        "that take?",
        ("GC103", "GC602"),
        _field("retention"),
    ),
    Item(
        "R5",
        WHAT,
        "In which precision and on which device, and does float32 hold what float64 shows?",
        ("GC208", "GC701"),
        _precision,
    ),
    Item(
        "R6",
        WHAT,
        "Which solver, with what budget, tolerance and residual at the reported gradient, and "
        "what does a solve cut short do to it?",
        ("GC101", "GC501"),
        _solver,
    ),
    Item(
        "R7",
        WHAT,
        "Which contact model, how is its non-smooth map treated, and what is held constant in "
        "the backward pass?",
        ("GC104", "GC403"),
        _contact,
    ),
    Item(
        "R8",
        WHAT,
        "What does smoothing cost in physics: penetration, slip, energy, restitution?",
        ("GC404",),
        _measured_only,
    ),
    Item(
        "R9",
        WHAT,
        "Which inputs carry a gradient, and which are ignored or detached?",
        ("GC203",),
        _inputs,
    ),
    Item(
        "R10",
        RIGHT,
        "Does the gradient agree with the program: by which method, over which step sizes, with "
        "what plateau, along which worst direction?",
        ("GC201",),
        _measured_only,
    ),
    Item(
        "R11",
        RIGHT,
        "Does the gradient agree with the physics: a closed form or a refined reference?",
        ("GC202",),
        _physics,
    ),
    Item(
        "R12",
        RIGHT,
        "At kinks and jumps, which derivative is returned, and what are the one-sided slopes?",
        ("GC401",),
        _field("contact"),
    ),
    Item(
        "R13",
        RIGHT,
        "Is it finite everywhere probed, repeatable, without effect on the forward pass, and as "
        "good over many steps as over one?",
        ("GC204", "GC205", "GC206", "GC207", "GC209"),
        _measured_only,
    ),
    Item(
        "R14",
        USE,
        "How does it grow over the horizon (chaos, instability or a bug), and up to which "
        "horizon can it be used?",
        ("GC301",),
        _measured_only,
    ),
    Item(
        "R15",
        USE,
        "Where does it vanish: which inputs, from which horizon, for what cause?",
        ("GC302", "GC402"),
        _measured_only,
    ),
    Item(
        "R16",
        USE,
        "What are its bias and variance at contact beside a zeroth-order estimate of equal "
        "budget?",
        ("GC501",),
        _noise,
    ),
    Item(
        "R17",
        USE,
        "Where does the fitting target come from: the same solver cut short, the converged one, "
        "other dynamics, or the real system?",
        ("GC502",),
        _measured_only,
    ),
    Item(
        "R18",
        USE,
        "Was a zeroth-order baseline run at equal budget, tuned, with seeds and intervals, and "
        "which won?",
        ("GC503",),
        _measured_only,
    ),
    Item(
        "R19",
        USE,
        "Which remedies were on (clipping, truncation, smoothing, mixing), and what did each "
        "change?",
        ("GC504",),
        _measured_only,
    ),
    Item(
        "R20",
        COST,
        "How long does the backward pass take beside the forward pass, and how does that grow?",
        ("GC601",),
        _measured_only,
    ),
    Item(
        "R21",
        COST,
        "How much memory does it take at its peak, and how does that grow?",
        ("GC602",),
        _measured_only,
    ),
    Item(
        "R22",
        REPEAT,
        "Which versions, hardware, seeds, settings and command; are the raw numbers attached?",
        ("GC701",),
        _provenance,
    ),
    Item("R23", REPEAT, "What was not run, and why?", (), _scope),
)


def fill(report: Report, engine: str) -> list[ChecklistItem]:
    """The checklist of one engine of the report, all items in their order."""
    scope = Scope(
        report=report,
        engine=engine,
        evidence=tuple(one for one in report.evidence if one.engine == engine),
        findings=tuple(one for one in report.findings if one.engine == engine),
    )
    return [_fill(item, scope) if item.codes else _left_out(item, scope) for item in ITEMS]


def _fill(item: Item, scope: Scope) -> ChecklistItem:
    findings = [one for one in scope.findings if one.code in item.codes]
    judged = [one for one in findings if one.verdict is not Verdict.NOT_APPLICABLE]
    judged.sort(key=lambda one: WORST_FIRST.index(one.verdict))
    codes = [code for code in item.codes if any(one.code == code for one in judged)]
    unmeasured = {code: _reason(code, findings, scope) for code in item.codes if code not in codes}
    why = "; ".join(dict.fromkeys(unmeasured.values()))
    text = scope.report.checks.get(judged[0].code) if judged else None
    blamed = bool(judged) and judged[0].verdict is not Verdict.PASS
    return ChecklistItem(
        id=item.id,
        section=item.section,
        question=item.question,
        stated=item.stated(scope) or NOT_STATED,
        measured=_measured(judged) if judged else f"not measured: {why}",
        verdict=worst(one.verdict for one in judged) if judged else None,
        why="" if judged else why,
        codes=codes,
        unmeasured=unmeasured,
        findings=judged,
        cure=text.cure if text and blamed else "",
    )


def _measured(judged: list[Finding]) -> str:
    """The worst finding's own words, after how many testbeds share its verdict."""
    verdict = judged[0].verdict
    beds = {one.testbed for one in judged}
    same = {one.testbed for one in judged if one.verdict is verdict}
    return f"{verdict} on {len(same)} of {len(beds)} testbeds. {judged[0].testbed}: " + (
        judged[0].message
    )


def _reason(code: str, findings: list[Finding], scope: Scope) -> str:
    """Why a code gave no verdict."""
    if code not in scope.report.checks:
        return f"no check {code} in this version"
    said = dict.fromkeys(one.message for one in findings if one.code == code)
    if said:
        return "; ".join(said)
    jobs = [job for job in scope.report.jobs if job.engine == scope.engine and job.reason]
    return "; ".join(dict.fromkeys(job.reason for job in jobs)) or "no job measured it"


def _left_out(item: Item, scope: Scope) -> ChecklistItem:
    """The item that the report itself answers: everything left out, each with its reason."""
    rows = [one for one in scope.report.summary.not_run if one.engine == scope.engine]
    groups: dict[str, list[str]] = {}
    for row in rows:
        place = " ".join(filter(None, (row.testbed or "all testbeds", row.measurement)))
        groups.setdefault(row.reason, []).append(place)
    said = "; ".join(f"{', '.join(places)}: {reason}" for reason, places in groups.items())
    if not scope.evidence:
        why = said or "this engine was not run"
        return ChecklistItem(
            id=item.id,
            section=item.section,
            question=item.question,
            stated=item.stated(scope),
            measured=f"not measured: {why}",
            verdict=None,
            why=why,
        )
    return ChecklistItem(
        id=item.id,
        section=item.section,
        question=item.question,
        stated=item.stated(scope),
        measured=said or "everything planned was measured",
        verdict=Verdict.ERROR if any(row.error for row in rows) else Verdict.PASS,
    )
