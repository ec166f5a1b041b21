"""How the gradient grows or vanishes over the number of steps."""

import numpy as np

from gradcheck.artifact import Horizon, HorizonRow, Ladder
from gradcheck.reports.figures.plot import Mark, Plot, Series


def norms(ladder: Ladder, field: str) -> list[float]:
    """Euclidean norm over all inputs, one for each row of the ladder."""
    return [
        float(np.linalg.norm(np.concatenate([*map(np.asarray, values.values()), np.zeros(0)])))
        for values in (getattr(row, field) for row in ladder.rows)
    ]


def measured(row: HorizonRow) -> tuple[float, float, bool]:
    """Norms of gradient and differences over the coordinates that the differences were measured
    at, and whether these are all."""
    gradient, difference, doubt = (
        np.concatenate([*map(np.asarray, values.values()), np.zeros(0)])
        for values in (row.gradient, row.difference, row.uncertainty)
    )
    there = ~np.isnan(difference) | np.isfinite(doubt)
    if not there.any():
        return np.nan, np.nan, False
    of = float(np.linalg.norm(gradient[there])), float(np.linalg.norm(difference[there]))
    return *of, bool(there.all())


def horizon(artifact: Horizon, first_bad: int | None = None) -> list[Plot]:
    """Norms over time: the engine's gradient on each ladder, and differences on the first.

    `first_bad` is the shortest horizon (steps) that a finding located, to be marked.
    """
    series = []
    for style, ladder in enumerate(artifact.ladders):
        times = [row.steps * ladder.dt if ladder.dt else row.steps for row in ladder.rows]
        series.append(
            Series(
                label=f"gradient, dt {ladder.dt:.3g} s" if ladder.dt else "gradient",
                x=times,
                y=norms(ladder, "gradient"),
                style=style,
            )
        )
        if style == 0:
            series += _against(ladder, times)
    if not series:
        return []
    dt = artifact.ladders[0].dt or 1.0
    return [
        Plot(
            title="Size over the horizon",
            caption="Norm of the gradient over all inputs. Chaos grows per unit of time: the two "
            "time steps then coincide. A bug grows per step: they part.",
            x_label="horizon (s)" if artifact.ladders[0].dt else "horizon (steps)",
            y_label="norm of gradient",
            series=tuple(series),
            x_log=True,
            y_log=True,
            marks=() if first_bad is None else (Mark(first_bad * dt, "first bad"),),
        )
    ]


def _against(ladder: Ladder, times: list[float]) -> list[Series]:
    """The differences; where they were measured at some coordinates only, the gradient's norm
    over these beside them."""
    if not ladder.rows:
        return []
    own, differences, whole = zip(*map(measured, ladder.rows), strict=True)
    of = "" if all(whole) else ", where measured"
    drawn = [Series(f"differences{of}", times, differences, style=2, marker=False, dashed=True)]
    if not all(whole):
        drawn.append(Series(f"gradient{of}", times, own, style=3, line=False))
    return drawn
