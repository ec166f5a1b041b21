"""Error of the gradient against differences, over the step size of the differences."""

import numpy as np

from gradcheck.artifact import Agreement
from gradcheck.curve import Curve
from gradcheck.reports.figures.plot import MOST_SERIES, Mark, Plot, Series
from gradcheck.reports.glossary import SPEED_DT


def error(curve: Curve) -> list[float]:
    """|difference - gradient| / |gradient| at every step [n]; absolute where it is exactly zero."""
    with np.errstate(all="ignore"):
        distance = np.abs(curve.central() - curve.gradient)
        return list(map(float, distance / (abs(curve.gradient) or 1.0)))


def worst_first(agreement: Agreement) -> list[Curve]:
    """Curves by how far their gradient is from the program's slope; NaN is the worst."""

    def distance(curve: Curve) -> float:
        slope = curve.program()
        beyond = abs(curve.gradient - slope.value) - slope.uncertainty
        size = max(abs(curve.gradient), abs(slope.value))
        off = beyond / size if size else 0.0
        return -np.inf if np.isnan(off) else -off

    return sorted(agreement.curves, key=distance)


def step_curve(agreement: Agreement) -> list[Plot]:
    """One plot of the worst curves, with what noise alone would leave and the time step."""
    curves = worst_first(agreement)[:MOST_SERIES]
    if not curves:
        return []
    series = [
        Series(label=curve.label, x=curve.steps, y=error(curve), style=style)
        for style, curve in enumerate(curves)
    ]
    first = curves[0]
    floor = first.noise_floor()
    series.append(
        Series(
            label=f"noise of the loss, for {first.label}",
            x=first.steps,
            y=[floor / step / (abs(first.gradient) or 1.0) for step in first.steps],
            marker=False,
            dashed=True,
            style=-1,
        )
    )
    marks = [Mark(first.boundary, SPEED_DT)] if first.boundary else []
    more = len(agreement.curves) - len(curves)
    return [
        Plot(
            title="Error over step size",
            caption="A right gradient falls to the noise line; a wrong one stays level. "
            f"Steps right of {SPEED_DT} see the physics, steps left of it the program."
            + (f" The {len(curves)} worst of {len(agreement.curves)} curves." if more else ""),
            x_label="step size (in units of the input's scale)",
            y_label="relative error",
            series=tuple(series),
            x_log=True,
            y_log=True,
            marks=tuple(marks),
        )
    ]
