"""Time of the loss and of the loss with its gradient over the number of steps."""

from gradcheck.artifact import Cost
from gradcheck.reports.figures.plot import Plot, Series


def cost(artifact: Cost) -> list[Plot]:
    """Time over the horizon, and peak memory where the engine tells it."""
    steps = [float(row.steps) for row in artifact.rows]
    if not steps:
        return []
    plots = [
        Plot(
            title="Time over the horizon",
            caption="The least of repeats. Lines of equal slope: a fixed ratio at every horizon.",
            x_label="steps",
            y_label="seconds",
            series=(
                Series("loss", steps, [row.forward for row in artifact.rows]),
                Series(
                    "loss and gradient", steps, [row.backward for row in artifact.rows], style=1
                ),
            ),
            x_log=True,
            y_log=True,
        )
    ]
    told = [row for row in artifact.rows if row.backward_bytes is not None]
    if told:
        nan = float("nan")
        plots.append(
            Plot(
                title="Peak memory over the horizon",
                caption="Peak bytes of each program.",
                x_label="steps",
                y_label="bytes",
                series=tuple(
                    Series(
                        label,
                        [float(row.steps) for row in told],
                        [nan if size is None else size for size in sizes],
                        style=style,
                    )
                    for style, (label, sizes) in enumerate(
                        (
                            ("loss", [row.forward_bytes for row in told]),
                            ("loss and gradient", [row.backward_bytes for row in told]),
                        )
                    )
                ),
                x_log=True,
                y_log=True,
            )
        )
    return plots
