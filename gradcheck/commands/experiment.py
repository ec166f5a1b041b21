"""`gradcheck experiment`: one question each."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradcheck.commands.command import console

if TYPE_CHECKING:
    from rich.console import Console

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
        typer.Option(help="Iterations k of the solver, several. Left out: 1, 3 and 9."),
    ] = None,
    horizon: Annotated[
        list[int] | None,
        typer.Option(help="Steps T, several. Left out: the testbed's own and four times that."),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            help="Points at which errors are taken: the testbed's own inputs, and others within a "
            "typical change of them."
        ),
    ] = 3,
    out: Annotated[Path, typer.Option(help="Folder for cells.json and cells.html.")] = Path(
        "gradcheck-cells"
    ),
) -> None:
    """Does an exact gradient cost memory? Cells and retentions against three references.

    For each engine, solver budget k and horizon T: the error of its gradient against that of the
    program that ran, of the converged equation, of the motion; peak memory of its program; time.
    All that can be kept is measured at the second budget. Prints which gradients no other beats in
    error and memory both, and answers from them. Rows are kept as they come.
    """
    import shlex

    calm()
    from gradcheck import registry
    from gradcheck.experiments import cells as experiment
    from gradcheck.experiments.cells_answer import answers
    from gradcheck.experiments.cells_contender import of_chain, of_user
    from gradcheck.experiments.cells_record import Cells
    from gradcheck.experiments.cells_table import fronts, table
    from gradcheck.experiments.cells_text import front_lines, notes
    from gradcheck.provenance import provenance
    from gradcheck.reports.cells import page
    from gradcheck.reports.experiment import write

    scene = registry.testbed(testbed)
    budgets = budget or list(experiment.BUDGETS)
    horizons = horizon or list(experiment.horizons_of(scene))
    experiment.require(budgets, horizons, seeds)
    chosen = [of_user(name) for name in engine] if engine else of_chain(scene)
    words = ["gradcheck", "experiment", "cells", "--testbed", testbed, "--seeds", str(seeds)]
    words += [word for name in engine or () for word in ("--engine", name)]
    words += [word for k in budgets for word in ("--budget", str(k))]
    words += [word for steps in horizons for word in ("--horizon", str(steps))]
    command = shlex.join(words)
    found = Cells(
        testbed=testbed,
        command=command,
        seeds=list(range(seeds)),
        provenance=provenance(seed=0, profile="experiment", command=command),
    )
    found.save(out / "cells.json")
    screen = console()
    with progress(screen) as told:
        for row in experiment.measure(scene, chosen, budgets, horizons, found.seeds, told):
            found = found.model_copy(update={"rows": [*found.rows, row]})
            found.save(out / "cells.json")
    screen.print(table(found))
    if any(front_lines(found)):
        screen.print(fronts(found))
    for line in (*notes(found), *answers(found)):
        screen.print(line, markup=False)
    write(page(found), out / "cells.html")
    for name in ("cells.json", "cells.html"):
        typer.echo(f"wrote {out / name}")
    if not any(row.measured for row in found.rows):
        raise typer.Exit(3)


@contextmanager
def progress(screen: "Console", text: str = "") -> Iterator[Callable[[str], None]]:
    """Shows what is being done and for how long, until it is left; gives what changes the text."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=screen, transient=True) as shown:
        task = shown.add_task(text)
        yield lambda text: shown.update(task, description=text)


def calm() -> None:
    """What children of an audit are given: room for XLA's threads, a cache of what it compiles."""
    import os
    import sys

    from gradcheck.jobs.interpreter import environment

    for name, value in environment(sys.executable).items():
        os.environ.setdefault(name, value)
