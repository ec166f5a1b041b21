"""Whether a finer time step brings the engine's gradient to that of the physics."""

from gradcheck.artifact import Physics
from gradcheck.reports.figures.plot import Plot, Series


def physics(artifact: Physics) -> list[Plot]:
    """Relative error of the gradient over the time step."""
    errors = artifact.refinement_errors
    if not errors:
        return []
    steps = [row.dt for row in artifact.rows]
    return [
        Plot(
            title="Error against the physics over the time step",
            caption=f"Reference: {artifact.source}. A gradient that falls to the left tends to "
            "that of the physics; one that stays level is that of another object, however fine "
            "the time step.",
            x_label="time step (s)",
            y_label="relative error of the gradient",
            series=(Series("gradient", steps, errors),),
            x_log=True,
            y_log=True,
        )
    ]
