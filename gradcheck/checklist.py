"""The reporting checklist: what to say about a simulator's gradients, as one table of data.

Each item has a question, the check codes that answer it, and what the engine's card or the
testbed *states*. What was *measured* comes from the findings of those codes. An item that nothing
measured says so and why; it is never ticked.
"""

from dataclasses import dataclass

from pydantic import Field

from gradcheck import stated
from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.record import Record
from gradcheck.report import Report, worst
from gradcheck.stated import NOT_STATED, Scope, Stated


class ChecklistItem(Record):
    """One item filled in for one engine.

    `verdict` is the worst of its findings, or None: not measured, for the reason in `why`.
    `codes` answered it. For the codes that did not, also where others make a verdict,
    `inapplicable` gives the reason that a check gave, `unmeasured` why there was no answer at
    all. `findings` are places in the report's list, the worst first; `cure` is that of the worst.
    """

    id: str
    section: str
    question: str
    stated: str
    measured: str
    verdict: Verdict | None
    why: str = ""
    codes: list[str] = Field(default_factory=list)
    inapplicable: dict[str, str] = Field(default_factory=dict)
    unmeasured: dict[str, str] = Field(default_factory=dict)
    findings: list[int] = Field(default_factory=list)
    cure: str = ""


@dataclass(frozen=True)
class Item:
    """One row of the checklist."""

    id: str
    section: str
    question: str
    codes: tuple[str, ...]
    stated: Stated


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
        stated.scalar,
    ),
    Item(
        "R2",
        WHAT,
        "Whose derivative is it: that of the computation that ran, of the equation it "
        "approximates, or of the continuous dynamics? Does the measurement agree?",
        ("GC101",),
        stated.field("referent"),
    ),
    Item(
        "R3",
        WHAT,
        "How is the derivative made: by generated differentiation, by an adjoint of the "
        "equations, or by an adjoint written by hand?",
        ("GC102",),
        stated.field("realization"),
    ),
    Item(
        "R4",
        WHAT,
        "How does the backward pass get the states of the forward pass, and what memory does "
        "that take?",
        ("GC103", "GC602"),
        stated.field("retention"),
    ),
    Item(
        "R5",
        WHAT,
        "In which precision and on which device, and does float32 hold what float64 shows?",
        ("GC208", "GC701"),
        stated.precision,
    ),
    Item(
        "R6",
        WHAT,
        "Which solver, with what budget, tolerance and residual at the reported gradient, and "
        "what does a solve cut short do to it?",
        ("GC101", "GC501"),
        stated.solver,
    ),
    Item(
        "R7",
        WHAT,
        "Which contact model, how is its non-smooth map treated, and what is held constant in "
        "the backward pass?",
        ("GC104", "GC403"),
        stated.contact,
    ),
    Item(
        "R8",
        WHAT,
        "What does smoothing cost in physics: penetration, slip, energy, restitution?",
        ("GC404",),
        stated.measured_only,
    ),
    Item(
        "R9",
        WHAT,
        "Which inputs carry a gradient, and which are ignored or detached?",
        ("GC203",),
        stated.inputs,
    ),
    Item(
        "R10",
        RIGHT,
        "Does the gradient agree with the program: by which method, over which step sizes, with "
        "what plateau, along which worst direction?",
        ("GC201",),
        stated.measured_only,
    ),
    Item(
        "R11",
        RIGHT,
        "Does the gradient agree with the physics: a closed form or a refined reference?",
        ("GC202",),
        stated.physics,
    ),
    Item(
        "R12",
        RIGHT,
        "At kinks and jumps, which derivative is returned, and what are the one-sided slopes?",
        ("GC401",),
        stated.field("contact"),
    ),
    Item(
        "R13",
        RIGHT,
        "Is it finite everywhere probed, repeatable, without effect on the forward pass, and as "
        "good over many steps as over one?",
        ("GC204", "GC205", "GC206", "GC207", "GC209"),
        stated.measured_only,
    ),
    Item(
        "R14",
        USE,
        "How does it grow over the horizon (chaos, instability or a bug), and up to which "
        "horizon can it be used?",
        ("GC301",),
        stated.measured_only,
    ),
    Item(
        "R15",
        USE,
        "Where does it vanish: which inputs, from which horizon, for what cause?",
        ("GC302", "GC402"),
        stated.measured_only,
    ),
    Item(
        "R16",
        USE,
        "What are its bias and variance at contact beside a zeroth-order estimate of equal budget?",
        ("GC501",),
        stated.noise,
    ),
    Item(
        "R17",
        USE,
        "Where does the fitting target come from: the same solver cut short, the converged one, "
        "other dynamics, or the real system?",
        ("GC502",),
        stated.measured_only,
    ),
    Item(
        "R18",
        USE,
        "Was a zeroth-order baseline run at equal budget, tuned, with seeds and intervals, and "
        "which won?",
        ("GC503",),
        stated.measured_only,
    ),
    Item(
        "R19",
        USE,
        "Which remedies were on (clipping, truncation, smoothing, mixing), and what did each "
        "change?",
        ("GC504",),
        stated.measured_only,
    ),
    Item(
        "R20",
        COST,
        "How long does the backward pass take beside the forward pass, and how does that grow?",
        ("GC601",),
        stated.measured_only,
    ),
    Item(
        "R21",
        COST,
        "How much memory does it take at its peak, and how does that grow?",
        ("GC602",),
        stated.measured_only,
    ),
    Item(
        "R22",
        REPEAT,
        "Which versions, hardware, seeds, settings and command; are the raw numbers attached?",
        ("GC701",),
        stated.provenance,
    ),
    Item("R23", REPEAT, "What was not run, and why?", (), stated.scope),
)


def fill(report: Report, engine: str) -> list[ChecklistItem]:
    """The checklist of one engine of the report, all items in their order."""
    scope = Scope(
        report=report,
        engine=engine,
        evidence=tuple(one for one in report.evidence if one.engine == engine),
        findings=tuple(
            (place, one) for place, one in enumerate(report.findings) if one.engine == engine
        ),
    )
    return [_fill(item, scope) if item.codes else _left_out(item, scope) for item in ITEMS]


def _fill(item: Item, scope: Scope) -> ChecklistItem:
    findings = [(place, one) for place, one in scope.findings if one.code in item.codes]
    findings.sort(key=lambda pair: WORST_FIRST.index(pair[1].verdict))
    places = [place for place, one in findings if one.verdict is not Verdict.NOT_APPLICABLE]
    judged = [one for _, one in findings if one.verdict is not Verdict.NOT_APPLICABLE]
    answered = {one.code for one in judged}
    inapplicable: dict[str, str] = {}
    for one in (one for _, one in findings if one.code not in answered):
        said = inapplicable.get(one.code)
        if said is None or one.message not in said:
            inapplicable[one.code] = f"{said}; {one.message}" if said else one.message
    unmeasured = {
        code: _reason(code, scope)
        for code in item.codes
        if code not in answered and code not in inapplicable
    }
    why = "; ".join(dict.fromkeys([*inapplicable.values(), *unmeasured.values()]))
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
        codes=[code for code in item.codes if code in answered],
        inapplicable=inapplicable,
        unmeasured=unmeasured,
        findings=places,
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


def _reason(code: str, scope: Scope) -> str:
    """Why a code gave no finding at all."""
    if code not in scope.report.checks:
        return f"no check {code} in this version"
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
