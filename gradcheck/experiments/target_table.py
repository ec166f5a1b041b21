"""The experiment of the fitting target, as a table for the terminal and the page."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from rich.table import Table

from gradcheck.experiments.target_interval import interval
from gradcheck.experiments.target_record import Fit, Outcome, Target

HEAD = (
    "target of",
    "k",
    "gradient of",
    "is off by",
    "error of the parameters",
    "worst",
    "loss left",
    "worst",
    "ended higher",
    "outcomes",
)
NO_END = "no end"


def table(found: Target) -> Table:
    """All fits, a line for the seeds of each."""
    out = Table(title="Median over seeds [95 % interval], and the worst seed")
    for name in HEAD:
        out.add_column(name, overflow="fold")
    for line in lines(found):
        out.add_row(*line)
    return out


def lines(found: Target) -> Iterator[tuple[str, ...]]:
    """Lines of that table."""
    for origin in found.origins():
        for iterations in found.budgets:
            for engine in (found.exact, found.other):
                fits = found.of(engine, iterations, origin)
                if fits:
                    yield (str(origin), str(iterations), engine, *_cells(fits))


def _cells(fits: list[Fit]) -> tuple[str, ...]:
    off = [fit.off for fit in fits if fit.off is not None]
    counted = Counter(fit.outcome for fit in fits)
    return (
        number(float(np.median(off))) if off else "not known",
        *_spread([fit.error for fit in fits]),
        *_spread([fit.left for fit in fits]),
        str(sum(fit.left > 1 for fit in fits if fit.loss is not None)),
        ", ".join(f"{counted[one]} {one}" for one in Outcome if counted[one]),
    )


def _spread(values: list[float]) -> tuple[str, str]:
    middle, low, high = interval(np.array(values))
    return f"{number(middle)} [{number(low)}, {number(high)}]", number(max(values))


def number(value: float) -> str:
    """Three digits; what is infinite has no end."""
    return f"{value:.3g}" if np.isfinite(value) else NO_END


def left_out(found: Target) -> list[str]:
    """What was not run or broke, in sentences."""
    broken = {(fit.engine, fit.iterations, fit.reason) for fit in found.fits if fit.reason}
    return [f"No target of {origin}: {why}." for origin, why in found.left_out.items()] + [
        f"{engine} at k = {iterations} failed: {why}" for engine, iterations, why in sorted(broken)
    ]
