"""Which object the gradient follows as the solver is cut short."""

from gradcheck.artifact import Referents
from gradcheck.reports.figures.plot import Plot, Series


def referents(artifact: Referents) -> list[Plot]:
    """Gradient and differences along one direction over the solver's iterations."""
    rows = sorted(artifact.rows, key=lambda row: row.iterations)
    if not rows:
        return []
    budgets = [float(row.iterations) for row in rows]
    return [
        Plot(
            title="Slope over solver iterations",
            caption="A gradient on the differences is that of the program that ran; one on the "
            "converged line before the differences are there is that of the converged equation.",
            x_label="solver iterations",
            y_label=f"slope along {artifact.label}",
            series=(
                Series(
                    "converged",
                    budgets,
                    [artifact.converged] * len(rows),
                    style=-1,
                    marker=False,
                    dashed=True,
                ),
                Series(
                    "differences",
                    budgets,
                    [row.difference for row in rows],
                    style=2,
                    spread=[row.uncertainty for row in rows],
                ),
                Series("gradient", budgets, [row.gradient for row in rows], line=False),
            ),
            x_log=True,
        )
    ]
