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
    Setting.ITERATIONS: ("over solver iterations", "iterations of the solver"),
    Setting.TOLERANCE: ("over the solver's tolerance", "tolerance of the solver"),
    Setting.DT: ("over the time step", "time step, s"),
}


def referents(artifact: Referents) -> list[Plot]:
    """One plot for each knob and horizon with two settings or more."""
    plots = []
    (used,) = (row for row in artifact.rows if row.setting is Setting.IN_USE)
    for setting, (title, label) in AXES.items():
        here = [row for row in artifact.rows if row.setting is setting]
        if setting is Setting.DT:  # over the same duration
            groups = {title: [*here, used]}
        else:
            groups = {
                title: [row for row in here if row.steps == used.steps],
                f"{title}, one step": [row for row in here if row.steps != used.steps],
            }
        for name, rows in groups.items():
            if len(rows) > 1:
                plots.append(_plot(artifact, rows, f"{TITLE} {name}", label))
    return plots


def _plot(artifact: Referents, rows: Sequence[ReferentRow], title: str, label: str) -> Plot:
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
    return Plot(
        title=title,
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
