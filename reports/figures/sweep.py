"""One coordinate moved through contact: the loss, and its slope by engine and by differences."""

import numpy as np

from gradcheck.artifact import SweepResult
from gradcheck.reports.figures.plot import Mark, Plot, Series

MOST_EVENTS = 4
MOST_SPANS = 3.0


def sweep(artifact: SweepResult) -> list[Plot]:
    """The loss, then its slope, over the swept coordinate, with the events found."""
    differences, beyond = _clamped(artifact)
    events = [event.at for event in artifact.events[:MOST_EVENTS]]
    word = "event" if len(events) == 1 else "events"
    # One word for all: they often lie close together.
    marks = tuple(Mark(at, "" if place else word) for place, at in enumerate(events))
    return [
        Plot(
            title="Loss through contact",
            caption="A step is a jump and a bend a kink: at either there is no derivative.",
            x_label=artifact.label,
            y_label="loss",
            series=(Series("loss", artifact.points, artifact.values, marker=False),),
            marks=marks,
        ),
        Plot(
            title="Slope through contact",
            caption="Where the gradient is zero and differences over the event are not, an "
            "optimiser is blind."
            + (f" {beyond} differences across a jump lie beyond the edge." if beyond else ""),
            x_label=artifact.label,
            y_label="slope",
            series=(
                Series("gradient", artifact.points, artifact.gradients, line=False),
                Series(
                    "differences",
                    artifact.points,
                    differences,
                    style=2,
                    marker=False,
                    dashed=True,
                ),
            ),
            marks=marks,
        ),
    ]


def _clamped(artifact: SweepResult) -> tuple[list[float], int]:
    """Differences, those across a jump moved to the edge of what the other slopes span.

    A difference across a jump is its height over the step, and would flatten all else.
    """
    slopes = np.asarray(artifact.differences, np.float64)
    usual = np.concatenate([slopes, np.asarray(artifact.gradients, np.float64)])
    usual = usual[np.isfinite(usual)]
    if not usual.size:
        return artifact.differences, 0
    low, high = np.quantile(usual, (0.05, 0.95))
    margin = MOST_SPANS * max(high - low, abs(high), abs(low))
    clamped = np.clip(slopes, low - margin, high + margin)
    return clamped.tolist(), int(np.count_nonzero(np.isfinite(slopes) & (clamped != slopes)))
