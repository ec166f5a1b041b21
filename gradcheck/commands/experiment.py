"""`gradcheck experiment`: one question each."""

from pathlib import Path
from typing import Annotated

import typer

from gradcheck.commands.command import console

CELLS = """
  gradcheck experiment cells
  gradcheck experiment cells --budget 1 --budget 4 --horizon 16 --horizon 64
  gradcheck experiment cells --engine path/to/file.py:MyEngine
"""


def cells(
    engine: Annotated[
        list[str] | None,
        typer.Option(
            help="An engine with a knob 'iterations', beside no other. May be repeated. Left out: "
            "the nine cells of spring_chain, each with all that it can keep."
        ),
    ] = None,
    testbed: Annotated[str, typer.Option(help="A testbed that they answer.")] = "spring_chain",
    budget: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Iterations k of the solver, several. Left out: 1, 3 and 9."),
    ] = None,
    horizon: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Steps T, several. Left out: 16 and 64."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for cells.json and cells.html.")] = Path(
        "gradcheck-cells"
    ),
) -> None:
    """Does an exact gradient cost memory? Cells and retentions against three references.

    For each engine, solver budget k and horizon T: the error of its gradient against that of the
    program that ran, of the converged equation, of the motion; peak memory of its program; time.
    Prints which are beaten by no other in error and memory both. Rows are kept as they come.
    """
    import shlex

    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from gradcheck import registry
    from gradcheck.experiments import cells as experiment
    from gradcheck.experiments.cells_record import Cells
    from gradcheck.experiments.cells_table import fronts, table
    from gradcheck.reports.experiment import render

    scene = registry.testbed(testbed)
    chosen = [experiment.of_user(name) for name in engine] if engine else experiment.of_chain()
    budgets, horizons = budget or [1, 3, 9], horizon or [16, 64]
    words = ["gradcheck", "experiment", "cells", "--testbed", testbed]
    words += [word for name in engine or () for word in ("--engine", name)]
    words += [word for k in budgets for word in ("--budget", str(k))]
    words += [word for steps in horizons for word in ("--horizon", str(steps))]
    found = Cells(testbed=testbed, command=shlex.join(words), rows=[])
    screen = console()
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=screen, transient=True) as progress:
        task = progress.add_task("")
        for row in experiment.measure(
            scene, chosen, budgets, horizons, lambda text: progress.update(task, description=text)
        ):
            found = found.model_copy(update={"rows": [*found.rows, row]})
            found.save(out / "cells.json")
    screen.print(table(found))
    screen.print(fronts(found))
    render(found, out / "cells.html")
    for name in ("cells.json", "cells.html"):
        typer.echo(f"wrote {out / name}")
    if not any(row.outcome == "measured" for row in found.rows):
        raise typer.Exit(3)
