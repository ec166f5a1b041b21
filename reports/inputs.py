"""The table of inputs: each coordinate's gradient beside the differences it was held against."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gradcheck.artifact import Agreement, Basics
from gradcheck.curve import Curve, Slope
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from gradcheck.report import worst

AGREEMENT = "GC201"


@dataclass(frozen=True)
class InputRow:
    """One direction, its slopes per `unit`. `note` in place of numbers where the engine gives no
    gradient.

    `error` is how far the gradient is from the difference beyond that one's uncertainty, relative
    to the difference. Where the difference is zero within its uncertainty there is no ratio, and
    the error is infinite for a gradient beyond that uncertainty and None within it.
    `verdict` is the agreement check's on the whole input.
    """

    input: str
    label: str
    unit: str
    gradient: float = math.nan
    difference: float = math.nan
    uncertainty: float = math.nan
    physics: float | None = None
    ratio: float | None = None
    error: float | None = None
    verdict: Verdict | None = None
    note: str = ""


def input_rows(evidence: Evidence, findings: Sequence[Finding]) -> list[InputRow]:
    """Rows in the order measured, after them the inputs that carry no gradient."""
    units = {one.name: one.unit for one in evidence.testbed.inputs}
    agreement = evidence.get(Agreement)
    judged = [one for one in findings if one.code == AGREEMENT]
    rows = [_row(curve, units, judged) for curve in (agreement.curves if agreement else ())]
    basics = evidence.get(Basics)
    without = basics.undifferentiated if basics else {}
    return rows + [
        InputRow(input=name, label=name, unit=units.get(name, ""), note=f"no gradient: {reason}")
        for name, reason in without.items()
    ]


def _row(curve: Curve, units: dict[str, str], judged: Sequence[Finding]) -> InputRow:
    slope = curve.program()
    physics = curve.physics()
    known = abs(slope.value) > slope.uncertainty
    # A curve is stepped in typical changes of the input; slopes are told in the input's unit.
    scale = curve.scale
    name = curve.input if curve.role == "coordinate" else None
    return InputRow(
        input=name or f"{curve.role} direction",
        label=curve.label,
        unit=units.get(name or "", ""),
        gradient=curve.gradient / scale,
        difference=slope.value / scale,
        uncertainty=slope.uncertainty / scale,
        physics=physics.value / scale if physics else None,
        ratio=curve.gradient / slope.value if known else None,
        error=_error(curve.gradient, slope),
        verdict=_verdict(name, judged),
    )


def _error(gradient: float, slope: Slope) -> float | None:
    gap = abs(gradient - slope.value)
    if math.isnan(gap):
        return math.nan
    beyond = max(0.0, gap - slope.uncertainty)
    if abs(slope.value) > slope.uncertainty:
        return beyond / abs(slope.value)
    return math.inf if beyond else None


def _verdict(name: str | None, judged: Sequence[Finding]) -> Verdict | None:
    """The worst that the agreement check said of this input; of other directions: without one."""
    found = [one.verdict for one in judged if one.input == name]
    if not found:
        # A check that has nothing to say of single inputs speaks of all of them.
        found = [one.verdict for one in judged if one.input is None]
    return worst(found) if found else None
