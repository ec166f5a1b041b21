"""A made-up audit with everything that a report may have to draw. No engine is run.

Four engines on four testbeds: passes, a sign error with its minimum, a kink, a NaN, a crash, an
engine that says that it cannot, and a method outside the 3x3 table.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from gradcheck.artifact import (
    Agreement,
    AnyArtifact,
    Basics,
    Cost,
    CostRow,
    Event,
    Horizon,
    HorizonRow,
    Ladder,
    Missing,
    Physics,
    PhysicsRow,
    Precision,
    Probes,
    ReferentRow,
    Referents,
    Setting,
    Slopes,
    Smoothing,
    SmoothRow,
    SweepResult,
)
from gradcheck.curve import Curve
from gradcheck.engine import EngineCard
from gradcheck.evidence import Evidence, InputRecord, Provenance, TestbedRecord
from gradcheck.finding import Finding, Signature, Verdict, Where
from gradcheck.report import CheckText, Job, NotRun, Report, Status
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention

ENGINES = ("exact", "flipped", "differences", "silent")
TESTBEDS = ("bounce", "free_fall", "double_pendulum", "drop")
TITLES = {
    "GC101": "The referent is stated and consistent with what was measured",
    "GC102": "The realization is stated",
    "GC103": "The retention of states is stated",
    "GC104": "The contact treatment is stated",
    "GC201": "The gradient agrees with the program",
    "GC202": "The gradient agrees with the physics",
    "GC203": "Every declared input carries a gradient",
    "GC204": "The gradient is finite everywhere probed",
    "GC205": "The forward result is unchanged by asking for gradients",
    "GC206": "The gradient is repeatable",
    "GC207": "One step and many steps agree equally well",
    "GC208": "float32 holds what float64 shows",
    "GC209": "Nothing along the quaternion",
    "GC301": "No explosion over the horizon",
    "GC302": "No vanishing over the horizon",
    "GC401": "Jumps and kinks are named",
    "GC402": "Not blind before contact",
    "GC403": "Contact geometry is differentiated",
    "GC501": "Better than a zeroth-order estimate",
    "GC601": "Cost of the backward pass",
    "GC602": "Memory growth",
    "GC701": "Versions, device, precision, seeds and settings are disclosed",
}

PROVENANCE = Provenance(
    versions={"gradcheck": "0.1.0", "jax": "0.10.2", "mujoco": "3.17.0"},
    platform="Linux x86_64",
    python="3.11.9",
    device="cpu",
    cores=2,
    precision="float64",
    seed=0,
    profile="quick",
    command="gradcheck audit --out audit",
    started="2026-01-01T12:00:00Z",
    settings={"limits": "default"},
)
CHECKS = {
    code: CheckText(
        code=code,
        title=title,
        failure_title=f"Not so: {title[0].lower()}{title[1:]}",
        measures="Slopes over a curve of step sizes, per input and random direction.",
        why="A gradient of another function misleads every optimiser that follows it.",
        cure=f"Look at the adjoint of the located input first ({code}).",
        limit="relative error at most 1e-6",
    )
    for code, title in TITLES.items()
}


def card(name: str) -> EngineCard:
    """A card; `silent` states nothing, `differences` lies outside the 3x3 table."""
    if name.startswith("silent"):
        return EngineCard(name=name, version="0")
    outside = name.startswith("differences")
    return EngineCard(
        name=name,
        version="1.2",
        summary="A made-up engine.",
        referent=Referent.EXECUTED,
        realization=Realization.DIFFERENCES if outside else Realization.GENERATED,
        retention=Retention.NOTHING if outside else Retention.STORE_ALL,
        contact=ContactTreatment.EXACT_BRANCH,
        frozen=() if outside else ("contact normal",),
        sources={"referent": "manual, section 3"},
    )


def testbed(name: str) -> TestbedRecord:
    """A testbed of two inputs of two coordinates."""
    inputs = [
        InputRecord(
            name=one,
            labels=[f"{one}[0]", f"{one}[1]"],
            scale=1.0,
            reach=1.0,
            unit=unit,
            nominal=[-1.0, 1.0],
        )
        for one, unit in (("position", "m"), ("velocity", "m/s"))
    ]
    return TestbedRecord(
        name=name,
        question="How does the final height depend on the start?",
        family="contact" if name in ("bounce", "drop") else "smooth",
        source="a textbook",
        dt=1 / 480,
        steps=480,
        speed=2.0 if name in ("bounce", "drop") else 0.0,
        inputs=inputs,
        outputs=["height"],
        weights=[1.0],
        truth="closed form",
        noise={"position": 0.1},
        directions=["normal"],
    )


def curve(label: str, one: InputRecord, index: int, claimed: float, slope: float) -> Curve:
    """A smooth loss of the true `slope`, beside a `claimed` gradient, with rounding noise."""
    steps = np.geomspace(1e-9, 0.3, 18)
    rounding = 2e-16 * np.cos(1e5 * np.arange(18))

    def loss(h: np.ndarray) -> list[float]:
        return list(map(float, 1 + slope * h + 0.4 * h**2 + 0.3 * h**3 + rounding))

    return Curve(
        label=label,
        role="coordinate",
        input=one.name,
        index=index,
        direction={one.name: [float(index == 0), float(index == 1)]},
        scale=one.scale,
        gradient=claimed,
        value=1.0,
        steps=list(map(float, steps)),
        plus=loss(steps),
        minus=loss(-steps),
        noise=2e-16,
        boundary=4e-3,
    )


def _agreement(engine: str, scene: TestbedRecord, factor: float) -> Agreement:
    slopes = (0.0, -1.0, 0.7, -0.9)
    places = [(one, index) for one in scene.inputs for index in (0, 1)]
    curves = [
        curve(one.labels[index], one, index, factor * slope, slope)
        for (one, index), slope in zip(places, slopes, strict=True)
    ]
    return Agreement(
        engine=engine, testbed=scene.name, steps=480, dt=scene.dt, curves=curves, truncated={}
    )


def _horizon(engine: str, scene: TestbedRecord, factor: float) -> Horizon:
    def ladder(dt: float) -> Ladder:
        counts = [1, 2, 4, 8, 16, 32, 64, 128, 256, 480]
        rate = 1.3 if scene.name == "double_pendulum" else 0.0
        true = [math.exp(rate * steps * dt * 4) for steps in counts]
        rows = [
            HorizonRow(
                steps=steps,
                value=1.0,
                gradient={"position": [0.0, -size if steps < 32 else -size * factor]},
                difference={"position": [0.0, -size]},
                uncertainty={"position": [1e-9, 1e-9]},
                kink={"position": [False, False]},
            )
            for steps, size in zip(counts, true, strict=True)
        ]
        logs = [math.log(size) for size in true]
        return Ladder(dt=dt, rows=rows, log_largest=logs, log_smallest=[-one for one in logs])

    return Horizon(
        engine=engine, testbed=scene.name, ladders=[ladder(scene.dt), ladder(scene.dt / 2)]
    )


def _sweep(engine: str, scene: TestbedRecord, factor: float) -> SweepResult:
    points = np.linspace(0.5, 1.5, 41)
    slopes = np.where(points < 1, -1.0, 0.0)
    return SweepResult(
        engine=engine,
        testbed=scene.name,
        input="position",
        index=1,
        label="position[1]",
        points=points.tolist(),
        values=np.maximum(1 - points, 0.0).tolist(),
        gradients=(factor * slopes).tolist(),
        differences=slopes.tolist(),
        noise=1e-16,
        events=[
            Event(
                at=1.0,
                left_value=0.0,
                right_value=0.0,
                left_slope=-1.0,
                right_slope=0.0,
                uncertainty=1e-9,
                gradient=0.0,
            )
        ],
    )


def _smoothing(engine: str, scene: TestbedRecord, factor: float) -> Smoothing:
    rows = [
        SmoothRow(
            label=f"position[{index}]",
            input="position",
            index=index,
            sigma=0.1,
            budget=1024,
            first_mean=factor * -0.8,
            first_error=0.02,
            first_variance=0.1,
            first_count=256,
            zeroth_mean=-0.79,
            zeroth_error=0.05,
            zeroth_variance=1.1,
            zeroth_count=512,
            reference_mean=-0.8,
            reference_error=0.01,
            exact=-0.8 if index else None,
        )
        for index in (0, 1)
    ]
    return Smoothing(engine=engine, testbed=scene.name, gradient_cost=4.0, rows=rows)


def _cost(engine: str, scene: TestbedRecord) -> Cost:
    rows = [
        CostRow(
            steps=steps,
            forward=1e-6 * steps + 1e-4,
            backward=4e-6 * steps + 2e-4,
            forward_bytes=1e4,
            backward_bytes=1e4 + 64.0 * steps,
        )
        for steps in (60, 120, 240, 480)
    ]
    return Cost(engine=engine, testbed=scene.name, rows=rows, input_count=4)


def _basics(engine: str, scene: TestbedRecord, factor: float) -> Basics:
    gradient = {"position": [0.0, -factor], "velocity": [0.7 * factor, -0.9 * factor]}
    return Basics(
        engine=engine,
        testbed=scene.name,
        seconds=0.1,
        steps=scene.steps,
        dt=scene.dt,
        inputs={one.name: one.nominal for one in scene.inputs},
        values=[1.2, 1.2],
        values_with_grad=[1.2, 1.2],
        gradients=[gradient, gradient],
        raw_gradient=gradient,
        radial={},
        undifferentiated={"mass": "the engine keeps masses constant"},
        diagnostics={"solver residual": 1e-12},
    )


def _physics(engine: str, scene: TestbedRecord, factor: float) -> Physics:
    errors = [2e-3, 1e-3, 5e-4, 2.5e-4]
    return Physics(
        engine=engine,
        testbed=scene.name,
        source="closed form",
        exact=True,
        gradient={"position": [0.0, -factor], "velocity": [0.7 * factor, -0.9 * factor]},
        reference={"position": [0.0, -1.0], "velocity": [0.7, -0.9]},
        uncertainty={"position": [0.0, 0.0], "velocity": [0.0, 0.0]},
        directions={"normal": (-factor, -1.0)},
        value=1.2,
        truth_value=1.2,
        rows=[
            PhysicsRow(
                dt=scene.dt / 2**fine,
                difference={"position": [0.0, -1.0 - error], "velocity": [0.7, -0.9]},
                gradient={"position": [0.0, -factor], "velocity": [0.7 * factor, -0.9 * factor]},
            )
            for fine, error in enumerate(errors)
        ],
        refinement_errors=[error + abs(factor - 1.0) for error in errors],
    )


def _referents(engine: str, scene: TestbedRecord) -> Referents:
    def slopes(value: float, doubt: float) -> Slopes:
        return Slopes(value=[value, 0.5 * value], uncertainty=[doubt, doubt])

    def row(
        setting: Setting, at: float, iterations: int, dt: float, steps: int | None = None
    ) -> ReferentRow:
        program = -1.0 + 0.5**iterations
        slope = program if engine == "exact" else -1.0
        return ReferentRow(
            setting=setting,
            at=at,
            steps=steps or round(scene.steps * scene.dt / dt),
            dt=dt,
            gradient=[slope, 0.5 * slope],
            references={
                Referent.EXECUTED: slopes(program, 1e-9),
                Referent.CONVERGED: slopes(-1.0, 1e-9),
                Referent.CONTINUOUS: slopes(-1.0 - 0.1 * dt / scene.dt, 1e-6),
            },
            residual=0.5**iterations,
        )

    return Referents(
        engine=engine,
        testbed=scene.name,
        labels=["random 1", "random 2"],
        rows=[
            row(Setting.IN_USE, 0.0, 100, scene.dt),
            *(row(Setting.ITERATIONS, float(k), k, scene.dt) for k in (1, 2, 4, 8, 16)),
            *(row(Setting.ITERATIONS, float(k), k, scene.dt, steps=1) for k in (1, 2, 4)),
            row(Setting.DT, scene.dt / 2, 100, scene.dt / 2),
        ],
        made=dict.fromkeys(Referent, "made up"),
        absent={},
    )


def _artifacts(engine: str, scene: TestbedRecord) -> list[AnyArtifact]:
    factor = -1.0 if engine == "flipped" and scene.name == "bounce" else 1.0
    nan = engine == "flipped" and scene.name == "drop"
    out: list[AnyArtifact] = [
        _basics(engine, scene, factor),
        _agreement(engine, scene, math.nan if nan else factor),
        Probes(
            engine=engine,
            testbed=scene.name,
            count=128,
            bad_values=0,
            bad_gradients=3 if nan else 0,
            first_bad={"position": [0.0, math.inf]} if nan else None,
        ),
        Precision(
            engine=engine,
            testbed=scene.name,
            float64={"position": [0.0, -factor]},
            float32={"position": [0.0, -factor]},
            value64=1.2,
            value32=math.nan if nan else 1.2,
            value_resolution=1e-16,
            gradient_resolution=1e-16,
        ),
        _horizon(engine, scene, factor),
        _cost(engine, scene),
        _physics(engine, scene, factor),
        _referents(engine, scene),
    ]
    if scene.family == "contact":
        out += [_sweep(engine, scene, factor), _smoothing(engine, scene, factor)]
    else:
        out += [
            Missing(
                engine=engine,
                testbed=scene.name,
                measurement=kind,
                reason="this testbed has no contact",
                error=False,
            )
            for kind in ("sweep", "smoothing")
        ]
    return out


OBSERVED = {
    "GC101": (str(Referent.EXECUTED),),
    "GC102": (str(Realization.GENERATED), str(Realization.EQUATION_ADJOINT)),
}


def _findings(engine: str, scene: TestbedRecord) -> list[Finding]:
    def finding(code: str, verdict: Verdict, message: str, **more: object) -> Finding:
        return Finding.model_validate(
            {
                "code": code,
                "engine": engine,
                "testbed": scene.name,
                "verdict": verdict,
                "message": message,
                **more,
            }
        )

    special: dict[str, Finding] = {}
    if engine == "silent":
        for code in ("GC101", "GC102", "GC103", "GC104"):
            special[code] = finding(code, Verdict.FAIL, "the card does not state it")
    if engine == "flipped" and scene.name == "bounce":
        special["GC201"] = finding(
            "GC201",
            Verdict.FAIL,
            "the gradient is +1, differences of the program give -1 at every step size",
            input="position",
            value=2.0,
            unit="relative error",
            limit=1e-6,
            where=Where(
                first_bad_step=32,
                shortest_horizon=32,
                input="position",
                coordinate=1,
                label="position[1]",
                at={"position": [-1.0, 1.0]},
            ),
            signature=Signature.SIGN_FLIP,
            snippet="import gradcheck\n\nprint(gradcheck.__name__)  # a < b & c",
        )
    if engine == "flipped" and scene.name == "drop":
        special["GC204"] = finding(
            "GC204", Verdict.FAIL, "3 of 128 gradients are not finite", value=math.nan, limit=0.0
        )
        special["GC201"] = finding(
            "GC201", Verdict.ERROR, "the gradient is NaN: nothing to compare", value=math.nan
        )
    if scene.family == "contact":
        special.setdefault(
            "GC401",
            finding(
                "GC401",
                Verdict.WARN,
                "there is no derivative at position[1] = 1: left -1.0, right +0.0",
                input="position",
                signature=Signature.KINK,
            ),
        )
    else:
        for code in ("GC401", "GC402", "GC403", "GC501"):
            special[code] = finding(code, Verdict.NOT_APPLICABLE, "this testbed has no contact")
    if engine == "exact":
        for code, seen in OBSERVED.items():
            special[code] = finding(code, Verdict.PASS, "stated and observed", observed=seen)
    special["GC209"] = finding("GC209", Verdict.NOT_APPLICABLE, "no input has a quaternion")
    return [
        special.get(
            code,
            finding(
                code,
                Verdict.PASS,
                "agrees to 3e-11",
                value=3e-11,
                unit="relative error",
                limit=1e-6,
            ),
        )
        for code in TITLES
    ]


def report(
    engines: Sequence[str] = ENGINES,
    testbeds: Sequence[str] = TESTBEDS,
    rename: Callable[[str], str] = lambda name: name,
) -> Report:
    """The made-up audit. `rename` gives engines other (hostile) names in the finished report."""
    scenes = [testbed(name) for name in testbeds]
    pairs = [(engine, scene) for engine in engines for scene in scenes]

    def status(engine: str, scene: TestbedRecord) -> tuple[Status, str]:
        if (engine, scene.name) == ("differences", "double_pendulum"):
            return Status.TIMED_OUT, "no answer within 30 s"
        if (engine, scene.name) == ("differences", "drop"):
            return Status.UNSUPPORTED, "testbed drop is stated as Mjcf, not as Balls"
        return Status.OK, ""

    jobs = [
        Job(
            engine=rename(engine),
            testbed=scene.name,
            status=status(engine, scene)[0],
            reason=status(engine, scene)[1],
            seconds={"basics": 0.1, "agreement": 0.4},
        )
        for engine, scene in pairs
    ]
    ran = [(engine, scene) for engine, scene in pairs if status(engine, scene)[0] is Status.OK]
    evidence = [
        Evidence(
            engine=rename(engine),
            card=card(engine).model_copy(update={"name": rename(engine)}),
            testbed=scene,
            provenance=PROVENANCE,
            artifacts=_artifacts(engine, scene),
        )
        for engine, scene in ran
    ]
    findings = [
        one.model_copy(update={"engine": rename(engine)})
        for engine, scene in ran
        for one in _findings(engine, scene)
    ]
    return Report.build(
        provenance=PROVENANCE,
        evidence=evidence,
        findings=findings,
        jobs=jobs,
        checks=CHECKS,
        not_run=[NotRun(engine="newton", reason="not installed: pip install 'gradcheck[newton]'")],
    )
