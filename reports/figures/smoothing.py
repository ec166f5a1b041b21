"""First-order beside zeroth-order estimates of the slope of a loss under noise."""

from gradcheck.artifact import Smoothing
from gradcheck.reports.figures.plot import Plot, Series

INTERVAL = 1.96
"""Half-width of a 95 % interval in standard errors of a mean of many samples."""

MOST_ROWS = 6


def smoothing(artifact: Smoothing) -> list[Plot]:
    """Means with 95 % intervals of both estimates and of the reference, row by row."""
    rows = artifact.rows[:MOST_ROWS]
    if not rows:
        return []
    places = list(range(len(rows)))

    def series(
        label: str, style: int, shift: float, means: list[float], errors: list[float]
    ) -> Series:
        return Series(
            label=label,
            x=[place + shift for place in places],
            y=means,
            style=style,
            line=False,
            spread=[INTERVAL * one for one in errors],
        )

    return [
        Plot(
            title="Slope under noise, at equal budget",
            caption="Mean and 95 % interval of the gradient, of a zeroth-order estimate from as "
            "many loss evaluations, and of the reference.",
            x_label="input",
            y_label="slope of the mean loss",
            series=(
                series(
                    "gradient",
                    0,
                    -0.2,
                    [row.first_mean for row in rows],
                    [row.first_error for row in rows],
                ),
                series(
                    "zeroth-order",
                    1,
                    0.0,
                    [row.zeroth_mean for row in rows],
                    [row.zeroth_error for row in rows],
                ),
                series(
                    "reference",
                    2,
                    0.2,
                    [row.reference_mean if row.exact is None else row.exact for row in rows],
                    [row.reference_error if row.exact is None else 0.0 for row in rows],
                ),
            ),
            x_names=tuple(row.label for row in rows),
        )
    ]
