"""Error over the solver's budget, by what was differentiated; memory over the horizon."""

from gradcheck.experiments.cells_record import Cells, Row
from gradcheck.reports.figures.plot import Plot, Series
from gradcheck.taxonomy import Referent

MOST = 6


def cells(found: Cells) -> list[Plot]:
    """One plot for each reference, and one of memory for each engine with several horizons."""
    measured = [row for row in found.rows if row.outcome == "measured"]
    return [*_errors(measured), *_memory(measured)]


def _errors(rows: list[Row]) -> list[Plot]:
    plots = []
    names = list(dict.fromkeys(row.referent for row in rows))
    for reference in Referent:
        series = []
        for style, referent in enumerate(names):
            worst: dict[int, float] = {}
            for row in rows:
                if row.referent is referent and reference in row.errors and _own(rows, row):
                    error = row.errors[reference]
                    shown = max(error.value, error.floor)
                    worst[row.iterations] = max(worst.get(row.iterations, 0.0), shown)
            if len(worst) > 1:
                budgets = sorted(worst)
                points = [worst[k] for k in budgets]
                label = f"of the {referent}"
                series.append(Series(label, [float(k) for k in budgets], points, style=style))
        if series:
            plots.append(
                Plot(
                    title=f"Error against the {reference}",
                    caption="The worst of the engines that differentiate the same object; an error "
                    "below the reference's own uncertainty stands at that.",
                    x_label="iterations k of the solver",
                    y_label="relative error",
                    series=tuple(series),
                    x_log=True,
                    y_log=True,
                )
            )
    return plots


def _own(rows: list[Row], row: Row) -> bool:
    """Is it of the horizon at which the budget was varied?"""
    varied = {one.iterations for one in rows if one.steps == row.steps}
    return len(varied) > 1


def _memory(rows: list[Row]) -> list[Plot]:
    plots = []
    for engine in dict.fromkeys(row.engine for row in rows):
        kept: dict[str, dict[int, float]] = {}
        budgets = [row.iterations for row in rows if row.engine == engine]
        common = max(set(budgets), key=budgets.count)
        for row in rows:
            if row.engine == engine and row.memory is not None and row.iterations == common:
                kept.setdefault(row.keep, {})[row.steps] = row.memory
        series = tuple(
            Series(
                f"keeps {keep}",
                [float(steps) for steps in sorted(sizes)],
                [sizes[steps] for steps in sorted(sizes)],
                style=style,
            )
            for style, (keep, sizes) in enumerate(list(kept.items())[:MOST])
            if len(sizes) > 1
        )
        if series:
            plots.append(
                Plot(
                    title=f"Memory of {engine}",
                    caption=f"Peak bytes of the gradient's program, k = {common}.",
                    x_label="steps T",
                    y_label="bytes",
                    series=series,
                    x_log=True,
                    y_log=True,
                )
            )
    return plots
