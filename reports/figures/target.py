"""Error of fitted parameters and loss left over the solver's budget, a plot for each target."""

import numpy as np

from gradcheck.experiments.target_advantage import QUANTITIES, Quantity
from gradcheck.experiments.target_interval import interval
from gradcheck.experiments.target_record import Origin, Target
from gradcheck.reports.figures.plot import Plot, Series


def plots(found: Target) -> list[Plot]:
    """Of each quantity, all on the same axes."""
    return [
        plot
        for quantity in QUANTITIES
        for origin in found.origins()
        if (plot := _plot(found, quantity, origin)) is not None
    ]


def _plot(found: Target, quantity: Quantity, origin: Origin) -> Plot | None:
    floor = found.search.last_step**quantity.power
    series = [
        one
        for style, engine in enumerate((found.exact, found.other))
        if (one := _series(found, quantity, origin, engine, style, floor)) is not None
    ]
    if not series:
        return None
    caption = (
        "Medians over seeds with 95 % intervals; dashed, the worst seed. "
        f"Below {floor:.0e} is drawn as that: the last step resolves no more."
    )
    lost = sum(not np.isfinite(quantity.of(fit)) for fit in found.fits if fit.origin is origin)
    if lost:
        caption += f" {lost} fits have no end; a point of theirs is not drawn."
    return Plot(
        title=f"Target of {origin}",
        caption=caption,
        x_label="iterations k of the solver",
        y_label=quantity.name,
        series=tuple(one for pair in series for one in pair),
        x_names=tuple(map(str, found.budgets)),
        y_log=True,
        y_range=_range(found, quantity, floor),
    )


def _series(
    found: Target, quantity: Quantity, origin: Origin, engine: str, style: int, floor: float
) -> tuple[Series, ...] | None:
    x, middle, bars, worst_x, worst = [], [], [], [], []
    for place, k in enumerate(found.budgets):
        values = np.array([quantity.of(fit) for fit in found.of(engine, k, origin)])
        if not values.size:
            continue
        # An end of a bar that is no number is left at the last one that is.
        one = interval(np.maximum(values, floor))
        if np.isfinite(one.middle):
            x.append(float(place))
            middle.append(one.middle)
            bars.append((one.low, one.high if np.isfinite(one.high) else one.middle))
        if np.isfinite(values.max()):
            worst_x.append(float(place))
            worst.append(max(float(values.max()), floor))
    if not x:
        return None
    made = [Series(engine, x, middle, style=style, bars=bars)]
    if worst:
        made.append(
            Series(f"{engine}, worst", worst_x, worst, style=style, marker=False, dashed=True)
        )
    return tuple(made)


def _range(found: Target, quantity: Quantity, floor: float) -> tuple[float, float]:
    values = [quantity.of(fit) for fit in found.fits]
    ends = [max(one, floor) for one in values if np.isfinite(one)]
    return min(ends), max(ends)
