"""Every check fires on a planted fault and stays quiet on a control: one table."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from gradcheck.artifact import AnyArtifact
from gradcheck.checks import CHECKS, judge
from gradcheck.checks.check import AbstractCheck
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from tests.checks import made_up as m

FAIL, WARN, PASS, ERROR, NONE = (
    Verdict.FAIL,
    Verdict.WARN,
    Verdict.PASS,
    Verdict.ERROR,
    Verdict.NOT_APPLICABLE,
)


@dataclass(frozen=True)
class Case:
    """One spoiled evidence and the worst verdict that a check must give on it."""

    code: str
    name: str
    make: Callable[[], Evidence]
    verdict: Verdict
    signature: Signature | None = None
    says: str = ""

    def __str__(self) -> str:
        return f"{self.code} {self.name}"


def with_(*changed: AnyArtifact, **cards: object) -> Callable[[], Evidence]:
    """Evidence with these artifacts, and these claims on the card."""
    return lambda: m.evidence(*changed, card=cards)


def times(factor: float, name: str = "x") -> dict[str, list[float]]:
    """The right gradient with one input's part multiplied."""
    return {key: [x * (factor if key == name else 1) for x in g] for key, g in m.RIGHT.items()}


def faint(factor: float) -> dict[str, list[float]]:
    """The right gradient with all of it multiplied."""
    return {key: [x * factor for x in g] for key, g in m.RIGHT.items()}


def relu_at_kink(x0: float, x1: float, p: float) -> float:
    return max(x0 - m.X[0], 0.0) + x1 * p


def step_at_jump(x0: float, x1: float, p: float) -> float:
    return 0.3 * (x0 > m.X[0]) + x0 + x1 * p


def gap(x0: float, x1: float, p: float) -> float:
    return max(x0 - m.X[0] - 0.1, 0.0) + x1 * p


def with_noise(x0: float, x1: float, p: float) -> float:
    seed = hash((x0, x1, p)) % 2**32
    return m.loss(x0, x1, p) + 0.1 * float(np.random.default_rng(seed).normal())


def without_p(x0: float, x1: float, p: float) -> float:
    return float(np.sin(x0)) + 1.5 * x1


KINK = {"x": [0.5, m.P], "p": [m.X[1]]}
LEFT = {"x": [0.0, m.P], "p": [m.X[1]]}
OUTSIDE = {"x": [2.0, m.P], "p": [m.X[1]]}
SLOPE_ONE = {"x": [1.0, m.P], "p": [m.X[1]]}
NAN = {"x": [math.nan, m.P], "p": [m.X[1]]}
FROZEN = {"normal": (0.86, 0.859), "tangent": (0.3476, 1.4179)}


def physics_like(gradient: dict[str, list[float]], factor: float) -> AnyArtifact:
    """A physics whose slopes by x are `factor` times the engine's."""
    reference = {"x": [v * factor for v in gradient["x"]], "p": list(gradient["p"])}
    return m.physics(gradient=gradient, reference=reference)


BY_HAND = {"realization": Realization.CUSTOM_ADJOINT}


def ruled(operations: int) -> AnyArtifact:
    """Of ten operations, so many stand under an own rule; 0 where that is not shown."""
    return m.construction(structure=m.STRUCTURE.model_copy(update={"rules": {"f": operations}}))


CASES = (
    # GC101
    Case("GC101", "not stated", with_(referent=None), FAIL, says="not stated"),
    Case(
        "GC101",
        "declared converged, solver cut short",
        with_(
            m.referents(lambda k: 1 + 0.02 * 0.5**k, in_use=3),
            referent=Referent.CONVERGED,
        ),
        FAIL,
        says="not converged at the budget in use",
    ),
    Case(
        "GC101",
        "declared converged, unrolled",
        with_(referent=Referent.CONVERGED),
        FAIL,
        says="follows executed computation",
    ),
    Case(
        "GC101",
        "declared converged, and followed",
        with_(m.referents(lambda k: 1.0), referent=Referent.CONVERGED),
        PASS,
        says="observed: converged equation",
    ),
    Case(
        "GC101",
        "declared converged, no budget to vary",
        with_(m.referents(budgets=()), referent=Referent.CONVERGED),
        NONE,
        says="no measurement reached: made has no knob",
    ),
    Case(
        "GC101",
        "declared executed, follows the converged equation",
        with_(m.referents(lambda k: 1.0)),
        FAIL,
        says="follows converged equation",
    ),
    Case(
        "GC101",
        "declared continuous, follows the program",
        with_(referent=Referent.CONTINUOUS),
        FAIL,
        says="follows executed computation",
    ),
    Case(
        "GC101",
        "declared executed, follows the physics",
        with_(m.referents(lambda k: 1.001)),
        FAIL,
        says="follows continuous dynamics",
    ),
    Case(
        "GC101",
        "declared continuous, and followed",
        with_(m.referents(lambda k: 1.001), referent=Referent.CONTINUOUS),
        PASS,
        says="observed: continuous dynamics",
    ),
    Case(
        "GC101",
        "references coincide",
        with_(m.referents(continuous=1.0, budgets=(60,)), referent=Referent.CONTINUOUS),
        PASS,
        says="coincide here",
    ),
    Case(
        "GC101",
        "declared continuous, no truth",
        with_(m.referents(continuous=None), referent=Referent.CONTINUOUS),
        NONE,
        says="no measurement reached",
    ),
    Case("GC101", "follows none", with_(m.referents(lambda k: 3.0)), NONE, says="no reference"),
    Case(
        "GC101",
        "not measured",
        lambda: m.evidence(without=("referents",)),
        ERROR,
        says="no referents artifact",
    ),
    Case("GC101", "right", m.evidence, PASS, says="observed: executed computation"),
    # GC102, GC103, GC104
    Case("GC102", "not stated", with_(realization=None), FAIL),
    Case("GC102", "right", m.evidence, PASS, says="no rule of its own: generated"),
    Case("GC102", "nothing shown", with_(m.construction(structure=None)), PASS),
    Case(
        "GC102",
        "custom, but no rule",
        with_(realization=Realization.CUSTOM_ADJOINT),
        WARN,
        says="the framework contradicts",
    ),
    Case("GC102", "generated, but all by a rule", with_(ruled(9)), WARN, says="90% by own rules f"),
    Case("GC102", "generated, with a small rule", with_(ruled(3)), PASS, says="or custom adjoint"),
    Case("GC102", "custom, all by a rule", with_(ruled(9), **BY_HAND), PASS),
    Case("GC102", "custom, by a rule of unknown extent", with_(ruled(0), **BY_HAND), PASS),
    Case(
        "GC102",
        "generated, of the continuous dynamics, attached by a rule",
        with_(ruled(9), m.referents(lambda k: 1.001)),
        PASS,
    ),
    Case(
        "GC102",
        "adjoint of linear solves",
        with_(
            m.construction(structure=m.STRUCTURE.model_copy(update={"solves": {"solve": 2}})),
            realization=Realization.EQUATION_ADJOINT,
        ),
        PASS,
        says="2 linear solves",
    ),
    Case("GC103", "not stated", with_(retention=None), FAIL),
    Case("GC103", "nothing, but memory grows", with_(retention=Retention.NOTHING), WARN),
    Case(
        "GC103",
        "store all, but flat",
        with_(m.construction(memory=lambda n: 1e4)),
        PASS,
        says="no state",
    ),
    Case(
        "GC103",
        "store all, but as a square root",
        with_(m.construction(memory=lambda n: 1e4 + 900 * n**0.5)),
        WARN,
        says="as steps^0.42;",
    ),
    Case(
        "GC103",
        "checkpoint, but much more than states",
        with_(m.construction(memory=lambda n: 1e4 + 900.0 * n), retention=Retention.CHECKPOINT),
        WARN,
        says="7 states",
    ),
    Case(
        "GC103",
        "checkpoint at every step",
        with_(m.construction(memory=lambda n: 1e4 + 130.0 * n), retention=Retention.CHECKPOINT),
        PASS,
        says="store all or checkpoint",
    ),
    Case(
        "GC103",
        "inverted, but computed again in quadratic time",
        with_(
            m.construction(memory=lambda n: 1e4),
            m.cost(backward=lambda n: 1e-6 * n**2),
            retention=Retention.INVERT,
        ),
        WARN,
        says="time as steps^2: recompute",
    ),
    Case(
        "GC103",
        "inverted",
        with_(m.construction(memory=lambda n: 1e4), retention=Retention.INVERT),
        PASS,
    ),
    Case("GC103", "memory not told", with_(m.construction(None)), PASS, says="not told"),
    Case("GC103", "right", m.evidence, PASS, says="as steps^1; 50 for each iteration"),
    Case("GC104", "not stated", with_(contact=None), FAIL),
    Case("GC104", "frozen not stated", with_(frozen=None), FAIL, says="freezes"),
    Case("GC104", "none, on a contact scene", with_(contact=ContactTreatment.NONE), WARN),
    Case(
        "GC104",
        "no contact",
        lambda: m.evidence(card={"contact": None}, testbed={"family": "smooth", "speed": 0.0}),
        NONE,
    ),
    Case("GC104", "right", m.evidence, PASS),
    # GC201
    Case("GC201", "sign", with_(m.agreement(gradient=times(-1))), FAIL, Signature.SIGN_FLIP),
    Case("GC201", "factor 2", with_(m.agreement(gradient=times(2))), FAIL, Signature.POWER_OF_TWO),
    Case(
        "GC201",
        "times dt",
        with_(m.agreement(gradient=times(0.01))),
        FAIL,
        Signature.TIME_STEP_FACTOR,
    ),
    Case(
        "GC201",
        "detached",
        with_(m.agreement(gradient=times(0, "p"))),
        FAIL,
        Signature.LOST_DEPENDENCY,
    ),
    Case("GC201", "3 % off", with_(m.agreement(gradient=times(1.03))), FAIL, Signature.PLATEAU),
    Case("GC201", "1e-4 off", with_(m.agreement(gradient=times(1.0001))), FAIL),
    Case("GC201", "NaN", with_(m.agreement(gradient=NAN)), FAIL),
    Case(
        "GC201",
        "1e-4 off by finite differences",
        with_(m.agreement(gradient=times(1.0001)), realization=Realization.DIFFERENCES),
        PASS,
    ),
    Case(
        "GC201",
        "continuous, as declared",
        with_(
            m.agreement(gradient=times(1.02)),
            m.referents(lambda k: 1.001),
            referent=Referent.CONTINUOUS,
        ),
        WARN,
        says="as declared",
    ),
    Case("GC201", "pure noise", with_(m.agreement(with_noise)), WARN, Signature.NOISE),
    Case("GC201", "forward mode differs", with_(m.agreement(forward=times(1 + 1e-6))), WARN),
    Case("GC201", "forward mode agrees", with_(m.agreement(forward=m.RIGHT)), PASS),
    Case("GC201", "at a kink", with_(m.agreement(relu_at_kink, KINK)), PASS),
    Case("GC201", "at a jump", with_(m.agreement(step_at_jump, SLOPE_ONE)), PASS),
    Case("GC201", "right", m.evidence, PASS),
    # GC202
    Case(
        "GC202",
        "sign of the physics, agreeing with the program",
        with_(physics_like(m.RIGHT, -1)),
        FAIL,
        Signature.TIME_DISCRETISATION,
    ),
    Case("GC202", "10 % off", with_(physics_like(m.RIGHT, 1.1)), WARN),
    Case("GC202", "NaN", with_(m.physics(gradient=NAN)), FAIL),
    Case(
        "GC202",
        "a gradient that has vanished, with the wrong sign",
        with_(m.physics(gradient=faint(-1e-17), reference=faint(1e-17))),
        NONE,
        says="vanished",
    ),
    Case(
        "GC202",
        "a gradient that has vanished by mistake",
        with_(m.physics(gradient=times(1e-17))),
        FAIL,
    ),
    Case(
        "GC202",
        "reference does not settle",
        with_(m.physics(uncertainty={"x": [0.5, 0.5], "p": [0.5]})),
        NONE,
        says="does not settle",
    ),
    Case(
        "GC202",
        "no reference for some coordinates",
        with_(m.physics(reference={"x": [math.nan, m.P], "p": [-0.4]})),
        PASS,
        says="1 of 2 coordinates is not known",
    ),
    Case(
        "GC202",
        "no reference at all",
        with_(m.physics(reference={"x": [math.nan] * 2, "p": [math.nan]})),
        NONE,
    ),
    Case("GC202", "right", m.evidence, PASS),
    # GC203
    Case(
        "GC203",
        "detached",
        with_(m.agreement(gradient=times(0, "p"))),
        FAIL,
        Signature.LOST_DEPENDENCY,
    ),
    Case("GC203", "silently absent", with_(m.basics(gradients=[{"x": [1.0, 1.0]}] * 3)), FAIL),
    Case(
        "GC203",
        "not differentiated, with a reason",
        with_(m.basics(undifferentiated={"p": "an integer"})),
        WARN,
        says="an integer",
    ),
    Case("GC203", "no reason", with_(m.basics(undifferentiated={"p": ""})), FAIL),
    Case(
        "GC203",
        "ignored input",
        with_(
            m.agreement(without_p, {**m.RIGHT, "p": [0.0]}),
            m.basics(gradients=[{**m.RIGHT, "p": [0.0]}] * 3),
        ),
        PASS,
    ),
    Case(
        "GC203",
        "zero at a kink",
        with_(m.agreement(relu_at_kink, LEFT), m.basics(gradients=[LEFT] * 3)),
        PASS,
    ),
    Case(
        "GC203",
        "NaN",
        with_(m.agreement(gradient=NAN), m.basics(gradients=[NAN] * 3)),
        FAIL,
        says="not finite",
    ),
    Case("GC203", "right", m.evidence, PASS),
    # GC204, GC205, GC206
    Case("GC204", "one of 1024", with_(m.probes(bad_gradients=1, bad_inputs=["x"])), FAIL),
    Case("GC204", "the loss", with_(m.probes(bad_values=3, bad_forward=True)), FAIL),
    Case("GC204", "nominal", with_(m.basics(gradients=[NAN] * 3)), FAIL),
    Case("GC204", "nothing probed", with_(m.probes(count=0)), ERROR),
    Case("GC204", "right", m.evidence, PASS),
    Case(
        "GC205",
        "changed",
        with_(m.basics(values_with_grad=[m.loss(*m.X, m.P) * 1.001] * 3)),
        FAIL,
        Signature.FORWARD_CHANGED,
    ),
    Case("GC205", "NaN", with_(m.basics(values_with_grad=[math.nan] * 3)), FAIL),
    Case(
        "GC205",
        "last bits",
        with_(m.basics(values_with_grad=[m.loss(*m.X, m.P) * (1 + 4e-16)] * 3)),
        PASS,
    ),
    Case("GC205", "right", m.evidence, PASS),
    Case(
        "GC206",
        "last bit of a gradient",
        with_(m.basics(gradients=[dict(m.RIGHT), times(1 + 3e-16), dict(m.RIGHT)])),
        FAIL,
    ),
    Case("GC206", "rows of a batch mixed up", with_(m.basics(batched=times(1.01))), FAIL),
    Case("GC206", "a batch rounds otherwise", with_(m.basics(batched=times(1 + 1e-14))), PASS),
    Case("GC206", "loss", with_(m.basics(values=[1.0, 1.0, 1.1])), FAIL),
    Case(
        "GC206",
        "NaN each time is the same each time",
        with_(m.basics(values=[math.nan] * 3, gradients=[NAN] * 3, batched=NAN)),
        PASS,
        says="not finite",
    ),
    Case("GC206", "NaN once", with_(m.basics(values=[1.0, math.nan, 1.0])), FAIL),
    Case("GC206", "NaN in one gradient", with_(m.basics(gradients=[m.RIGHT, NAN, NAN])), FAIL),
    Case("GC206", "NaN out of a batch", with_(m.basics(batched=NAN)), FAIL),
    Case("GC206", "once", with_(m.basics(values=[1.0], gradients=[m.RIGHT])), ERROR),
    Case("GC206", "right", m.evidence, PASS),
    # GC207
    Case(
        "GC207",
        "stale from step 3 on",
        with_(m.horizon(m.ladder(lambda n: 1.0 + n * (n > 2), lambda n: 1.0 + 0.1 * n * (n > 2)))),
        FAIL,
        Signature.STALE_STATE,
    ),
    Case(
        "GC207",
        "2^k",
        with_(m.horizon(m.ladder(lambda n: 2.0**n, lambda n: 1.0))),
        FAIL,
        Signature.POWER_OF_TWO,
    ),
    Case(
        "GC207", "wrong from the first", with_(m.horizon(m.ladder(lambda n: 2, lambda n: 1))), NONE
    ),
    Case(
        "GC207",
        "NaN in the end",
        with_(m.horizon(m.ladder(lambda n: math.nan if n > 32 else 1.0, lambda n: 1.0))),
        FAIL,
    ),
    Case("GC207", "right", m.evidence, PASS),
    # GC208, GC209
    Case(
        "GC208",
        "float32 3 % off",
        with_(m.precision(float32=times(1.03))),
        FAIL,
        Signature.PRECISION,
    ),
    Case(
        "GC208",
        "float32 3 % off by chaos",
        with_(m.precision(float32=times(1.03)), m.horizon(m.ladder(lambda n: math.exp(0.3 * n)))),
        WARN,
        says="amplifies",
    ),
    Case(
        "GC207",
        "float32 inside",
        with_(m.precision(value_resolution=6e-8), m.horizon(m.ladder(lambda n: n, lambda n: 1))),
        NONE,
        says="see GC208",
    ),
    Case("GC208", "NaN in float32", with_(m.precision(float32=NAN)), FAIL),
    Case(
        "GC208",
        "float32 inside the loss",
        with_(m.precision(value_resolution=6e-8)),
        FAIL,
        Signature.PRECISION,
    ),
    Case("GC208", "float32 inside", with_(m.precision(gradient_resolution=1.2e-7)), FAIL),
    Case(
        "GC208",
        "noise of a solver, as large between points that float32 cannot tell apart",
        with_(m.precision(value_resolution=6e-8, value_jitter=5e-8)),
        PASS,
    ),
    Case(
        "GC208",
        "a gradient cast to float32",
        with_(
            m.precision(
                moved64=[
                    {k: [float(np.float32(x * factor)) for x in g] for k, g in m.RIGHT.items()}
                    for factor in (1 - 1e-4, 1 + 1e-4)
                ]
            )
        ),
        FAIL,
        says="float32 number",
    ),
    Case(
        "GC208",
        "a gradient that consists of inputs which are float32 numbers",
        with_(
            m.precision(float64={k: [float(np.float32(x)) for x in g] for k, g in m.RIGHT.items()})
        ),
        PASS,
    ),
    Case(
        "GC208",
        "a gradient that consists of data which are float32 numbers",
        with_(
            m.precision(
                moved64=[
                    {k: [float(np.float32(x)) for x in g] for k, g in m.RIGHT.items()}
                    for _ in range(2)
                ]
            )
        ),
        PASS,
    ),
    Case(
        "GC208",
        "short numbers",
        with_(
            m.precision(
                float64={"x": [1.0, 0.5]},
                float32={"x": [1.0, 0.5]},
                moved64=[{"x": [1.0, 0.5]}, {"x": [0.5, 0.25]}],
            )
        ),
        PASS,
    ),
    Case("GC208", "a constant gradient", with_(m.precision(gradient_resolution=math.inf)), PASS),
    Case("GC208", "right", m.evidence, PASS),
    Case("GC209", "radial", with_(m.basics(radial={"x": 0.3})), FAIL, Signature.QUATERNION),
    Case("GC209", "NaN", with_(m.basics(radial={"x": math.nan})), FAIL),
    Case("GC209", "no quaternion", with_(m.basics(radial={})), NONE),
    Case("GC209", "right", m.evidence, PASS),
    # GC301
    Case(
        "GC301",
        "chaos",
        with_(
            m.horizon(
                m.ladder(lambda n: math.exp(30 * n * 0.01)),
                m.ladder(
                    lambda n: math.exp(30 * n * 0.005),
                    dt=0.005,
                    horizons=(2, 4, 8, 16, 32, 64, 128),
                ),
            )
        ),
        WARN,
        says="usable up to",
    ),
    Case(
        "GC301",
        "2^k, which the program has not",
        with_(m.horizon(m.ladder(lambda n: 2.0**n, lambda n: 1.0))),
        FAIL,
        Signature.POWER_OF_TWO,
    ),
    Case(
        "GC301",
        "rate per step",
        with_(
            m.horizon(
                m.ladder(lambda n: 1.3**n, lambda n: math.nan),
                m.ladder(lambda n: 1.3**n, lambda n: math.nan, dt=0.005),
            )
        ),
        FAIL,
    ),
    Case(
        "GC301",
        "not finite",
        with_(m.horizon(m.ladder(lambda n: math.inf if n > 32 else 1.0, lambda n: 1.0))),
        FAIL,
    ),
    Case("GC301", "cubic", with_(m.horizon(m.ladder(lambda n: float(n) ** 3))), PASS),
    Case(
        "GC301", "slow exponential", with_(m.horizon(m.ladder(lambda n: math.exp(0.02 * n)))), PASS
    ),
    Case("GC301", "right", m.evidence, PASS),
    # GC302
    Case("GC302", "decays", with_(m.horizon(m.ladder(lambda n: math.exp(-0.4 * n)))), WARN),
    Case(
        "GC302", "decays a little", with_(m.horizon(m.ladder(lambda n: math.exp(-0.1 * n)))), PASS
    ),
    Case("GC302", "zero in the end", with_(m.horizon(m.ladder(lambda n: float(n < 32)))), NONE),
    Case("GC302", "right", m.evidence, PASS),
    # GC401
    Case(
        "GC401",
        "outside at a kink",
        with_(m.agreement(relu_at_kink, OUTSIDE)),
        FAIL,
        Signature.KINK,
    ),
    Case("GC401", "between", with_(m.agreement(relu_at_kink, KINK)), PASS, Signature.KINK),
    Case("GC401", "left", with_(m.agreement(relu_at_kink, LEFT)), PASS, says="the left one"),
    Case("GC401", "jump", with_(m.agreement(step_at_jump, SLOPE_ONE)), WARN, says="jumps by 0.3"),
    Case("GC401", "jump along a sweep", with_(m.sweep([m.event(1, 1, 1, 0.2)])), WARN),
    Case("GC401", "kink along a sweep", with_(m.sweep([m.event(-1, 1, 1)])), PASS, Signature.KINK),
    Case("GC401", "outside along a sweep", with_(m.sweep([m.event(-1, 1, 3)])), FAIL),
    Case("GC401", "NaN at a kink", with_(m.sweep([m.event(-1, 1, math.nan)])), FAIL),
    Case("GC401", "right", m.evidence, PASS),
    # GC402
    Case("GC402", "gap", with_(m.agreement(gap, LEFT)), WARN, says="stands still up to"),
    Case("GC402", "sweep", with_(m.sweep(gradient=lambda x: float(x > 0.6))), WARN, says="59%"),
    Case(
        "GC402",
        "flat minimum",
        with_(m.agreement(lambda x0, x1, p: (x0 - m.X[0]) ** 2 + x1 * p, LEFT)),
        PASS,
    ),
    Case(
        "GC402",
        "lost, not blind",
        with_(m.sweep(gradient=lambda x: 0.0, difference=lambda x: 1.0)),
        PASS,
    ),
    Case("GC402", "right", m.evidence, PASS),
    # GC403
    Case("GC403", "frozen", with_(m.physics(directions=FROZEN)), FAIL, Signature.FROZEN_NORMAL),
    Case(
        "GC403",
        "frozen and declared",
        with_(m.physics(directions=FROZEN), frozen=("contact normal",)),
        WARN,
    ),
    Case(
        "GC403",
        "NaN",
        with_(m.physics(directions={"normal": (math.nan, 1.0), "tangent": (1.0, 1.0)})),
        FAIL,
    ),
    Case(
        "GC403",
        "normal wrong too",
        with_(m.physics(directions={"normal": (2.0, 1.0), "tangent": (0.1, 1.0)})),
        NONE,
    ),
    Case("GC403", "no directions", with_(m.physics(directions={})), NONE),
    Case(
        "GC403",
        "no reference",
        with_(m.physics(directions={"normal": (1.0, math.nan), "tangent": (1.0, math.nan)})),
        NONE,
    ),
    Case("GC403", "right", m.evidence, PASS),
    # GC501
    Case(
        "GC501",
        "blind to a jump",
        with_(m.smoothing(first_mean=0.0, first_error=0.0, exact=3.989423)),
        WARN,
        says="without any spread",
    ),
    Case(
        "GC501",
        "wrong sign",
        with_(m.smoothing(first_mean=0.002, exact=-0.0148)),
        WARN,
        says="wrong sign",
    ),
    Case("GC501", "noisier", with_(m.smoothing(first_mean=0.79, first_error=0.05)), WARN),
    Case("GC501", "NaN", with_(m.smoothing(first_mean=math.nan)), FAIL),
    Case("GC501", "no exact value", with_(m.smoothing(exact=None)), PASS),
    Case("GC501", "right", m.evidence, PASS),
    # GC601, GC602, GC701
    Case("GC601", "nine times", with_(m.cost(lambda n: 9e-5 * n)), WARN),
    Case(
        "GC601",
        "nine times in forward mode",
        with_(m.cost(lambda n: 9e-5 * n), retention=Retention.NOTHING),
        WARN,
    ),
    Case(
        "GC601",
        "six times in forward mode",
        with_(m.cost(lambda n: 6e-5 * n), retention=Retention.NOTHING),
        PASS,
    ),
    Case("GC601", "NaN", with_(m.cost(lambda n: math.nan)), FAIL),
    Case("GC601", "right", m.evidence, PASS),
    Case("GC602", "quadratic", with_(m.cost(memory=lambda n: 1e4 + 8.0 * n * n)), WARN),
    Case("GC602", "not told", with_(m.cost(memory=lambda n: None)), NONE),
    Case("GC602", "flat", with_(m.cost(memory=lambda n: 1e4)), PASS),
    Case("GC602", "right", m.evidence, PASS),
    Case("GC701", "no version", with_(version=""), FAIL, says="version"),
    Case("GC701", "no command", lambda: m.evidence(provenance={"command": ""}), FAIL),
    Case("GC701", "right", m.evidence, PASS),
)


def findings(case: Case) -> list[Finding]:
    return [finding for finding in judge(case.make()) if finding.code == case.code]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_worst_finding_is_the_expected_one(case: Case) -> None:
    found = findings(case)
    worst = found[0]
    assert worst.verdict is case.verdict, worst.message
    assert case.signature in (None, worst.signature)
    assert any(case.says in finding.message for finding in found), worst.message
    assert all("\n" not in finding.message for finding in found)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_the_table_is_complete(check: type[AbstractCheck]) -> None:
    verdicts = {case.verdict for case in CASES if case.code == check.code}
    assert verdicts & {FAIL, WARN}, "no case makes it fire"
    assert PASS in verdicts, "no case leaves it quiet"


def test_a_right_engine_is_left_alone() -> None:
    assert {finding.verdict for finding in judge(m.evidence())} == {PASS}
