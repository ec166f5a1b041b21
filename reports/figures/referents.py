"""How far the gradient is from each reference as the solver's budget and the time step vary."""

from collections.abc import Sequence

from gradcheck.artifact import ReferentRow, Referents, Setting
from gradcheck.distances import distances
from gradcheck.reports.figures.plot import Plot, Series
from gradcheck.taxonomy import Referent

TITLE = "Distance to each referent"
CAPTION = (
    "The gradient is that of the reference whose distance stays at the uncertainty while the "
    "others are above it."
)
AXES = {
    Setting.ITERATIONS: "solver iterations",
    Setting.TOLERANCE: "solver tolerance",
    Setting.DT: "time step, s",
}


def referents(artifact: Referents) -> list[Plot]:
    """One plot for each knob and horizon with two settings or more."""
    plots = []
    for setting, label in AXES.items():
        here = [row for row in artifact.rows if row.setting is setting]
        # A finer time step takes more steps over the same duration.
        horizons = [None] if setting is Setting.DT else sorted({row.steps for row in here})[::-1]
        for steps in horizons:
            chosen = [row for row in here if steps in (None, row.steps)]
            if setting is Setting.DT:
                chosen += [row for row in artifact.rows if row.setting is Setting.IN_USE]
            if len(chosen) > 1:
                plots.append(_plot(artifact, chosen, label, steps))
    return plots


def _plot(artifact: Referents, rows: Sequence[ReferentRow], label: str, steps: int | None) -> Plot:
    series: list[Series] = []
    floors: dict[float, float] = {}
    for style, referent in enumerate(Referent):
        points = {
            _at(one.row): one for one in distances(artifact, referent) if _among(one.row, rows)
        }
        if points:
            at = sorted(points)
            away = [max(points[x].distance, _least(points[x].floor)) for x in at]
            series.append(Series(f"from the {referent}", at, away, style=style))
        for x, one in points.items():
            floors[x] = max(floors.get(x, 0.0), _least(one.floor))
    at = sorted(floors)
    series.append(
        Series(
            "uncertainty of the references",
            at,
            [floors[x] for x in at],
            style=-1,
            marker=False,
            dashed=True,
        )
    )
    over = "" if steps is None else f", {steps} step{'s' if steps > 1 else ''}"
    return Plot(
        title=f"{TITLE} over the {label.partition(',')[0]}{over}",
        caption=CAPTION,
        x_label=label,
        y_label="distance, relative",
        series=tuple(series),
        x_log=True,
        y_log=True,
    )


def _among(row: ReferentRow, rows: Sequence[ReferentRow]) -> bool:
    return any(row is one for one in rows)


def _at(row: ReferentRow) -> float:
    return row.at or row.dt


def _least(floor: float) -> float:
    """A logarithmic axis shows no zero."""
    return max(floor, 1e-16)
