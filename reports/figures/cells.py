"""Error over memory, error over the solver's budget, memory over the horizon."""

from collections import Counter

from gradcheck.experiments.cells_answer import known
from gradcheck.experiments.cells_record import Cells, Row
from gradcheck.reports.figures.plot import MOST_SERIES, Plot, Series
from gradcheck.taxonomy import Referent

FLOOR = "An error below the reference's own uncertainty stands at that."


def cells(found: Cells) -> list[Plot]:
    """For each reference one plot over memory and one over budgets; for each engine one of memory
    over horizons. Only what was measured at two places or more is drawn over them."""
    rows = [row for row in found.rows if row.measured]
    return [*_fronts(found), *_errors(rows), *_memory(rows)]


def shown(row: Row, reference: Referent) -> float:
    """The worst error, or what it is not told apart from."""
    error = row.errors[reference]
    return max(error.worst, error.floor)


def _fronts(found: Cells) -> list[Plot]:
    plots = []
    for reference in Referent:
        rows = known(found, reference)
        if not rows:
            continue
        places = Counter((row.iterations, row.steps) for row in rows)
        (k, steps), _ = max(places.items(), key=lambda at: (at[1], at[0][1]))
        rows = [row for row in rows if (row.iterations, row.steps) == (k, steps)]
        series = []
        for style, referent in enumerate(_referents(rows)):
            own = [row for row in rows if row.referent is referent]
            memory = [float(row.memory or 0) for row in own]
            errors = [shown(row, reference) for row in own]
            series.append(Series(_of(referent), memory, errors, style, line=False))
        plots.append(
            Plot(
                title=f"Error against the {reference}, over memory",
                caption=f"Each engine and all that it can keep, k = {k}, T = {steps}; best is "
                f"below and left. {FLOOR}",
                x_label="bytes of the gradient's program",
                y_label="relative error, the worst",
                series=tuple(series),
                x_log=True,
                y_log=True,
            )
        )
    return plots


def _errors(rows: list[Row]) -> list[Plot]:
    plots = []
    for reference in Referent:
        series = []
        for style, referent in enumerate(_referents(rows)):
            worst: dict[int, float] = {}
            for row in rows:
                if row.referent is referent and reference in row.errors and _varied(rows, row):
                    error = shown(row, reference)
                    worst[row.iterations] = max(worst.get(row.iterations, 0.0), error)
            if len(worst) > 1:
                budgets = sorted(worst)
                points = [worst[k] for k in budgets]
                series.append(Series(_of(referent), list(map(float, budgets)), points, style))
        if series:
            plots.append(
                Plot(
                    title=f"Error against the {reference}",
                    caption=f"The worst of those that differentiate the same object. {FLOOR}",
                    x_label="iterations k of the solver",
                    y_label="relative error, the worst",
                    series=tuple(series),
                    x_log=True,
                    y_log=True,
                )
            )
    return plots


def _referents(rows: list[Row]) -> list[Referent | None]:
    """In the order of the table; what no card states comes last."""
    stated = {row.referent for row in rows}
    return [one for one in (*Referent, None) if one in stated]


def _of(referent: Referent | None) -> str:
    return f"of the {referent}" if referent else "of what is not stated"


def _varied(rows: list[Row], row: Row) -> bool:
    """Is it a default of its engine, of the horizon at which the budget was varied?"""
    own = [one for one in rows if one.engine == row.engine and one.keep == row.keep]
    return len({one.iterations for one in own if one.steps == row.steps}) > 1


def _memory(rows: list[Row]) -> list[Plot]:
    plots = []
    for engine in dict.fromkeys(row.engine for row in rows):
        told = [row for row in rows if row.engine == engine and row.memory is not None]
        if not told:
            continue
        common = Counter(row.iterations for row in told).most_common(1)[0][0]
        kept: dict[str, dict[int, float]] = {}
        for row in told:
            if row.iterations == common:
                kept.setdefault(row.keep, {})[row.steps] = float(row.memory or 0)
        kept = {keep: sizes for keep, sizes in kept.items() if len(sizes) > 1}
        series = tuple(
            Series(
                f"keeps {keep}",
                list(map(float, sorted(sizes))),
                [sizes[t] for t in sorted(sizes)],
                at,
            )
            for at, (keep, sizes) in enumerate(list(kept.items())[:MOST_SERIES])
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
