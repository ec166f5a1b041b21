"""Made-up evidence of one right engine, of which a test spoils one part at a time.

The loss is f(x, p) = sin(x0) + x1 p + 0.2 at x = (0.7, -0.4), p = 1.5,
seen as a rollout of 64 steps.
"""

from collections.abc import Callable, Mapping

import numpy as np

from gradcheck.artifact import (
    Agreement,
    AnyArtifact,
    Basics,
    Construction,
    Cost,
    CostRow,
    Event,
    Horizon,
    HorizonRow,
    Ladder,
    MemoryRow,
    Physics,
    Precision,
    Probes,
    ReferentRow,
    Referents,
    Setting,
    Slopes,
    Smoothing,
    SmoothRow,
    Steps,
    SweepResult,
)
from gradcheck.curve import Curve
from gradcheck.engine import EngineCard
from gradcheck.evidence import Evidence, InputRecord, Provenance, TestbedRecord
from gradcheck.structure import Structure
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention

WHO = {"engine": "made", "testbed": "up"}
X = (0.7, -0.4)
P = 1.5
RIGHT = {"x": [float(np.cos(X[0])), P], "p": [X[1]]}
STEPS = [float(h) for h in 10.0 ** np.linspace(-9, -0.5, 18)]
HORIZONS = (1, 2, 4, 8, 16, 32, 64)

Loss = Callable[[float, float, float], float]
Gradient = Mapping[str, list[float]]


def loss(x0: float, x1: float, p: float) -> float:
    """The loss of the right engine."""
    return float(np.sin(x0) + x1 * p + 0.2)


def curve(
    f: Loss,
    direction: Mapping[str, list[float]],
    gradient: float,
    *,
    label: str,
    name: str | None = None,
    index: int | None = None,
    boundary: float | None = None,
    forward_mode: float | None = None,
) -> Curve:
    """The curve of f along a direction."""
    d = np.array([*direction.get("x", [0.0, 0.0]), *direction.get("p", [0.0])])
    here = np.array([*X, P])

    def at(h: float) -> float:
        return f(*map(float, here + h * d))

    return Curve(
        label=label,
        role="random" if name is None else "coordinate",
        input=name,
        index=index,
        direction={key: list(value) for key, value in direction.items()},
        scale=1.0,
        gradient=gradient,
        forward_mode=forward_mode,
        value=at(0.0),
        steps=STEPS,
        plus=[at(h) for h in STEPS],
        minus=[at(-h) for h in STEPS],
        noise=0.0,
        boundary=boundary,
    )


def agreement(
    f: Loss = loss, gradient: Gradient = RIGHT, *, forward: Gradient | None = None
) -> Agreement:
    """Curves of f along all coordinates and one random direction, beside a gradient."""
    directions: list[tuple[str | None, int | None, str, dict[str, list[float]]]] = [
        ("x", 0, "x[0]", {"x": [1.0, 0.0]}),
        ("x", 1, "x[1]", {"x": [0.0, 1.0]}),
        ("p", 0, "p[0]", {"p": [1.0]}),
        (None, None, "random 0", {"x": [0.6, -0.3], "p": [0.74]}),
    ]

    def along(g: Gradient, d: dict[str, list[float]]) -> float:
        pairs = [pair for key in d for pair in zip(g[key], d[key], strict=True)]
        return float(sum(a * b for a, b in pairs if b))

    curves = [
        curve(
            f,
            d,
            along(gradient, d),
            label=label,
            name=name,
            index=index,
            forward_mode=None if forward is None else along(forward, d),
        )
        for name, index, label, d in directions
        if all(key in gradient for key in d)
    ]
    return Agreement(**WHO, steps=64, dt=0.01, curves=curves, truncated={})


def basics(**changes: object) -> Basics:
    """Three repeats of one loss and gradient."""
    value = loss(*X, P)
    fields: dict[str, object] = {
        "steps": 64,
        "dt": 0.01,
        "inputs": {"x": list(X), "p": [P]},
        "values": [value] * 3,
        "values_with_grad": [value] * 3,
        "gradients": [dict(RIGHT)] * 3,
        "raw_gradient": dict(RIGHT),
        "radial": {"x": 1e-17},
        "undifferentiated": {},
        "diagnostics": {},
    }
    return Basics.model_validate({**WHO, **fields, **changes})


def probes(**changes: object) -> Probes:
    """1024 finite points."""
    return Probes.model_validate(
        {**WHO, "count": 1024, "bad_values": 0, "bad_gradients": 0, **changes}
    )


def precision(**changes: object) -> Precision:
    """float32 to 1e-7."""
    fields: dict[str, object] = {
        "float64": dict(RIGHT),
        "float32": {key: [x * (1 + 1e-7) for x in entries] for key, entries in RIGHT.items()},
        "value64": 1.0,
        "value32": 1.0,
        "value_resolution": 1e-16,
        "gradient_resolution": 1e-15,
        "moved64": [
            {key: [x * factor for x in entries] for key, entries in RIGHT.items()}
            for factor in (1 - 1e-4, 1 + 1e-4)
        ],
    }
    return Precision.model_validate({**WHO, **fields, **changes})


def ladder(
    gradient: Callable[[int], float] = lambda n: 1.0 + 0.1 * n,
    difference: Callable[[int], float] | None = None,
    *,
    dt: float = 0.01,
    horizons: tuple[int, ...] = HORIZONS,
) -> Ladder:
    """A ladder whose only entry, x[0], is `gradient(n)` beside `difference(n)` ± 1e-9 of it."""
    rows = []
    for n in horizons:
        truth = (difference or gradient)(n)
        doubt = 1e-9 * abs(truth)
        rows.append(
            HorizonRow(
                steps=n,
                value=1.0,
                gradient={"x": [gradient(n), 0.0], "p": [0.0]},
                difference={"x": [truth, 0.0], "p": [0.0]},
                uncertainty={"x": [doubt, 1e-12], "p": [1e-12]},
                kink={"x": [False, False], "p": [False]},
            )
        )
    return Ladder(dt=dt, rows=rows, log_largest=[], log_smallest=[])


def horizon(*ladders: Ladder) -> Horizon:
    """Ladders, or one whose gradient grows linearly."""
    return Horizon(**WHO, ladders=list(ladders) or [ladder()])


def steps(first_bad: int | None = None) -> Steps:
    """64 right step Jacobians, from `first_bad` on wrong ones."""
    bad = [first_bad is not None and n >= first_bad for n in range(64)]
    return Steps(
        **WHO,
        dt=0.01,
        errors=[0.3 if one else 1e-10 for one in bad],
        uncertainty=[1e-10] * 64,
        entries=[(0, 1)] * 64,
        transposed=[1.0] * 64,
    )


def sweep(
    events: list[Event] | None = None,
    gradient: Callable[[float], float] = lambda x: 1.0,
    difference: Callable[[float], float] | None = None,
) -> SweepResult:
    """x[0] swept over [0, 1]; by default a straight line without events."""
    points = [float(x) for x in np.linspace(0, 1, 41)]
    return SweepResult(
        **WHO,
        input="x",
        index=0,
        label="x[0]",
        points=points,
        values=points,
        gradients=[gradient(x) for x in points],
        differences=[(difference or gradient)(x) for x in points],
        noise=1e-15,
        events=events or [],
    )


def event(left: float, right: float, gradient: float, jump: float = 0.0) -> Event:
    """An event at 0.4 with these slopes."""
    return Event(
        at=0.4,
        left_value=0.0,
        right_value=jump,
        left_slope=left,
        right_slope=right,
        uncertainty=1e-8,
        gradient=gradient,
    )


def smoothing(**changes: object) -> Smoothing:
    """One unbiased row, ten times as precise as its zeroth-order rival."""
    fields: dict[str, object] = {
        "label": "x[0]",
        "input": "x",
        "index": 0,
        "sigma": 0.1,
        "budget": 4096,
        "first_mean": 0.7601,
        "first_error": 1e-3,
        "first_variance": 1e-3,
        "first_count": 1024,
        "zeroth_mean": 0.765,
        "zeroth_error": 1e-2,
        "zeroth_variance": 0.4,
        "zeroth_count": 2048,
        "reference_mean": 0.762,
        "reference_error": 2.5e-3,
        "exact": 0.7607,
    }
    row = SmoothRow.model_validate({**fields, **changes})
    return Smoothing(**WHO, gradient_cost=3.0, rows=[row])


def cost(
    backward: Callable[[int], float] = lambda n: 3e-5 * n,
    memory: Callable[[int], float | None] = lambda n: 1e4 + 64.0 * n,
) -> Cost:
    """Three times the loss, storing 64 bytes a step."""
    rows = [
        CostRow(
            steps=n,
            forward=1e-5 * n,
            backward=backward(n),
            forward_bytes=1e4,
            backward_bytes=memory(n),
            forward_spread=3e-7 * n,
            backward_spread=1.2e-6 * n,
        )
        for n in (8, 16, 32, 64)
    ]
    return Cost(**WHO, rows=rows, input_count=3)


def physics(**changes: object) -> Physics:
    """An engine 0.1 % off the physics, along normal and tangent as well."""
    fields: dict[str, object] = {
        "source": "closed form",
        "exact": True,
        "gradient": dict(RIGHT),
        "reference": {key: [x * 1.001 for x in entries] for key, entries in RIGHT.items()},
        "uncertainty": {key: [0.0 for _ in entries] for key, entries in RIGHT.items()},
        "directions": {"normal": (0.86, 0.859), "tangent": (1.418, 1.4179)},
        "value": 1.0,
        "truth_value": 1.0,
        "rows": [],
        "refinement_errors": [],
    }
    return Physics.model_validate({**WHO, **fields, **changes})


ALONG = (1.0, -0.5, 0.8, 0.3)


def referents(
    gradient: Callable[[float], float] | None = None,
    *,
    in_use: int = 60,
    continuous: float | None = 1.001,
    budgets: tuple[int, ...] = (1, 2, 4, 8),
) -> Referents:
    """Budgets of a solver whose slope is 1 - 0.5^k, and a half time step with half the error; by
    default unrolled and followed exactly. `gradient` of the budget; the physics has `continuous`.
    """

    def along(slope: float, doubt: float) -> Slopes:
        return Slopes(value=[slope * x for x in ALONG], uncertainty=[doubt] * len(ALONG))

    def row(setting: Setting, k: int, fine: int = 1) -> ReferentRow:
        executed = 1 - 0.5**k + (0.0 if continuous is None else continuous - 1) * (1 - 1 / fine)
        references = {
            Referent.EXECUTED: along(executed, 1e-10),
            Referent.CONVERGED: along(executed + 0.5**k, 1e-10),
        }
        if not budgets:
            del references[Referent.CONVERGED]
        if continuous is not None:
            references[Referent.CONTINUOUS] = along(continuous, 1e-9)
        slope = executed if gradient is None else gradient(k)
        return ReferentRow(
            setting=setting,
            at={Setting.ITERATIONS: float(k), Setting.DT: 0.01 / fine}.get(setting, 0.0),
            steps=64 * fine,
            dt=0.01 / fine,
            gradient=[slope * x for x in ALONG],
            references=references,
            residual=0.5**k,
        )

    absent = {} if budgets else {Referent.CONVERGED: "made has no knob 'iterations'"}
    if continuous is None:
        absent[Referent.CONTINUOUS] = "testbed up has no closed form"
    return Referents(
        **WHO,
        labels=[f"random {k + 1}" for k in range(len(ALONG))],
        rows=[
            row(Setting.IN_USE, in_use),
            *(row(Setting.ITERATIONS, k) for k in budgets),
            row(Setting.DT, in_use, 2),
        ],
        made={name: "a formula" for name in Referent if name not in absent},
        absent=absent,
    )


STRUCTURE = Structure(source="a made-up graph", operations=10)


def construction(
    memory: Callable[[int], float] | None = lambda n: 1e4 + 300.0 * n,
    structure: Structure | None = STRUCTURE,
    per_iteration: float = 50.0,
) -> Construction:
    """Bytes of a gradient over the horizon; a state has 128."""

    def row(steps: int, iterations: int | None = None) -> MemoryRow:
        assert memory is not None
        more = per_iteration * (iterations or 0)
        return MemoryRow(
            steps=steps,
            iterations=iterations,
            forward_bytes=1e3,
            backward_bytes=memory(steps) + more,
        )

    told = memory is not None
    return Construction(
        **WHO,
        structure=structure,
        structure_reason=None if structure else "made does not show how it is differentiated",
        horizons=[row(n) for n in (16, 64, 1024)] if told else [],
        budgets=[row(64, k) for k in (2, 8)] if told else [],
        memory_reason=None if told else "made does not tell its memory",
        state_bytes=128.0,
    )


CARD = EngineCard(
    name="made",
    version="1.0",
    referent=Referent.EXECUTED,
    realization=Realization.GENERATED,
    retention=Retention.STORE_ALL,
    contact=ContactTreatment.EXACT_BRANCH,
    frozen=(),
    sources={"referent": "its README"},
)
PROVENANCE = Provenance(
    versions={"gradcheck": "0.1.0"},
    platform="Linux",
    python="3.11.9",
    device="cpu",
    cores=2,
    precision="float64",
    seed=0,
    profile="quick",
    command="gradcheck audit",
    started="2026-01-01T00:00:00Z",
    settings={},
)


def record(name: str, values: tuple[float, ...]) -> InputRecord:
    """An input of scale 1."""
    labels = [f"{name}[{i}]" for i in range(len(values))]
    return InputRecord(
        name=name, labels=labels, scale=1.0, reach=1.0, unit="m", nominal=list(values)
    )


TESTBED = TestbedRecord(
    name="up",
    question="How does the loss depend on x and p?",
    family="contact",
    source="a test",
    dt=0.01,
    steps=64,
    speed=1.0,
    inputs=[record("x", X), record("p", (P,))],
    outputs=["f"],
    weights=[1.0],
    truth=None,
    noise={"x": 0.1},
    directions=["normal", "tangent"],
)


def evidence(
    *changed: AnyArtifact,
    without: tuple[str, ...] = (),
    card: Mapping[str, object] | None = None,
    testbed: Mapping[str, object] | None = None,
    provenance: Mapping[str, object] | None = None,
) -> Evidence:
    """The right engine's evidence, with these artifacts in place of its own."""
    own: list[AnyArtifact] = [
        basics(),
        agreement(),
        probes(),
        precision(),
        horizon(),
        steps(),
        sweep(),
        smoothing(),
        cost(),
        physics(),
        referents(),
        construction(),
    ]
    replaced = {one.kind for one in changed} | set(without)
    return Evidence(
        engine="made",
        card=CARD.model_copy(update=dict(card or {})),
        testbed=TESTBED.model_copy(update=dict(testbed or {})),
        provenance=PROVENANCE.model_copy(update=dict(provenance or {})),
        artifacts=[*(one for one in own if one.kind not in replaced), *changed],
    )
