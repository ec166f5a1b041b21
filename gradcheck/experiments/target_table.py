"""The experiment of the fitting target, as a table for the terminal and the page."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from rich.table import Table

from gradcheck.experiments.target_interval import FEWEST, interval
from gradcheck.experiments.target_record import Fit, Origin, Outcome, Target

HEAD = (
    "target of",
    "k",
    "gradient of",
    "is off by",
    "error of the parameters",
    "worst",
    "loss left",
    "worst",
    "outcomes",
)
NO_END = "no end"


def tables(found: Target) -> Iterator[Table]:
    """One for each target."""
    for origin in found.origins():
        out = Table(title=f"Target of {origin}: median over seeds [95 % interval], and the worst")
        for name in HEAD[1:]:
            out.add_column(name, overflow="fold")
        for line in lines(found, [origin]):
            out.add_row(*line[1:])
        yield out


def lines(found: Target, origins: Sequence[Origin]) -> Iterator[tuple[str, ...]]:
    """A line for the fits of each target, budget and engine."""
    for origin in origins:
        for iterations in found.budgets:
            for engine in (found.exact, found.other):
                fits = found.of(engine, iterations, origin)
                if fits:
                    yield (str(origin), str(iterations), engine, *_cells(fits))


def _cells(fits: list[Fit]) -> tuple[str, ...]:
    off = [fit.off for fit in fits if fit.off is not None]
    counted = Counter(fit.outcome for fit in fits)
    outcomes = [f"{counted[one]} {one}" for one in Outcome if counted[one]]
    if higher := sum(fit.left > 1 for fit in fits if fit.loss is not None):
        outcomes.append(f"{higher} with more loss than at the start")
    return (
        number(float(np.median(off))) if off else "not known",
        *_spread([fit.error for fit in fits]),
        *_spread([fit.left for fit in fits]),
        ", ".join(outcomes),
    )


def _spread(values: list[float]) -> tuple[str, str]:
    middle, low, high = interval(np.array(values))
    ends = f" [{number(low)}, {number(high)}]" if len(values) >= FEWEST else ""
    return number(middle) + ends, number(max(values))


def number(value: float) -> str:
    """Two digits; what is infinite has no end."""
    return f"{value:.2g}" if np.isfinite(value) else NO_END


def left_out(found: Target) -> list[str]:
    """What was not run or broke, in sentences."""
    broken = {(fit.engine, fit.iterations, fit.reason) for fit in found.fits if fit.reason}
    return [f"No target of {origin}: {why}." for origin, why in found.left_out.items()] + [
        f"{engine} at k = {iterations} failed: {why}" for engine, iterations, why in sorted(broken)
    ]
