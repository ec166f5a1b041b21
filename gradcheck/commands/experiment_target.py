"""`gradcheck experiment target`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradcheck.commands.command import console
from gradcheck.commands.experiment import calm, progress

if TYPE_CHECKING:
    from gradcheck.engine import AbstractEngine

TARGET = """
  gradcheck experiment target
  gradcheck experiment target --budget 1 --budget 2 --seeds 10
  gradcheck experiment target --engine file.py:Exact --engine file.py:Adjoint \\
    --testbed file.py:TESTBED --parameter stiffness
"""
CHAIN = "spring_chain"
EXACT, OTHER = "executed-custom", "converged-adjoint"
PARAMETERS = ("stiffness", "damping")


def target(
    engine: Annotated[
        list[str] | None,
        typer.Option(
            help="Two engines with a knob 'iterations' and one forward map: first the one with the "
            "derivative of the iterations that ran, then another. Left out: "
            f"{CHAIN}:{EXACT} and {CHAIN}:{OTHER}."
        ),
    ] = None,
    testbed: Annotated[str, typer.Option(help="A testbed that they answer.")] = CHAIN,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            help="An input of one number to fit. May be repeated. Left out: stiffness and damping."
        ),
    ] = None,
    budget: Annotated[
        list[int] | None,
        typer.Option(help="Iterations k of the solver, several. Left out: 1, 2, 4 and 8."),
    ] = None,
    seeds: Annotated[int, typer.Option(help="How often true and starting values are drawn.")] = 20,
    updates: Annotated[int, typer.Option(help="Of a fit, by Adam.")] = 300,
    refine: Annotated[
        int, typer.Option(help="Take so many times as many steps, as much shorter.")
    ] = 1,
    out: Annotated[Path, typer.Option(help="Folder for target.json and target.html.")] = Path(
        "gradcheck-target"
    ),
) -> None:
    """Does the exact derivative's advantage depend on solver budget or fitting target?

    Fits parameters of a forward map of k iterations by two gradients: that of the iterations, and
    another (the equation's adjoint). Targets come from the same iterations, the converged solver,
    the continuous dynamics. Prints the error of the parameters and the loss left, medians over
    seeds with 95 % intervals and the worst, and what the intervals say. Fits are kept as they come.
    """
    calm()
    from gradcheck import registry
    from gradcheck.experiments.target import Experiment
    from gradcheck.experiments.target_answer import answer
    from gradcheck.experiments.target_record import Outcome, Search, Target
    from gradcheck.experiments.target_table import left_out, tables
    from gradcheck.provenance import provenance
    from gradcheck.reports.experiment import write
    from gradcheck.reports.target import page

    _require(budget or [], seeds, updates, refine)
    budgets = sorted(set(budget or [1, 2, 4, 8]))
    names = parameter or list(PARAMETERS)
    search = Search(seeds=seeds, updates=updates)
    command = _command(engine, testbed, names, budgets, seeds, updates, refine)
    exact, other = _engines(engine, 3 * seeds)
    screen = console()
    with progress(screen, "motions to fit to") as told:
        run = Experiment(registry.testbed(testbed), exact, other, names, search, refine)
        found = Target(
            testbed=testbed,
            command=command,
            provenance=provenance(seed=0, profile="experiment", command=command),
            exact=exact.card.name,
            other=other.card.name,
            parameters=names,
            budgets=budgets,
            dt=run.testbed.dt / refine,
            steps=run.testbed.steps * refine,
            search=search,
            left_out=run.left_out,
            curvature=run.motions.curvature,
            unconverged=run.motions.unconverged,
            fits=[],
        )
        # Before the first fit, which takes a while: where it cannot be kept is told now.
        found.save(out / "target.json")
        for fits in run.fits(budgets, told):
            found = found.model_copy(update={"fits": [*found.fits, *fits]})
            found.save(out / "target.json")
    for table in tables(found):
        screen.print(table)
    for text in [*left_out(found), *answer(found)]:
        typer.echo(f"- {text}")
    write(page(found), out / "target.html")
    for name in ("target.json", "target.html"):
        typer.echo(f"wrote {out / name}")
    if all(one.outcome is Outcome.FAILED for one in found.fits):
        raise typer.Exit(3)


def _require(budget: list[int], seeds: int, updates: int, refine: int) -> None:
    """Raise `BadInput` for a number that leaves nothing to fit."""
    from gradcheck.engine import BadInput

    for what, given, least, why in (
        ("budget", budget, 1, "no iteration solves nothing"),
        ("seeds", [seeds], 2, "one seed has no spread"),
        ("updates", [updates], 1, "no update fits nothing"),
        ("refine", [refine], 1, "it divides the time step"),
    ):
        for one in given:
            if one < least:
                raise BadInput(f"--{what} {one}: {why}; give {least} or more")


def _engines(names: list[str] | None, rows: int) -> tuple["AbstractEngine", "AbstractEngine"]:
    """The two; the built-in ones take all rows at once."""
    from gradcheck import registry
    from gradcheck.engine import BadInput

    if not names:
        from gradcheck.engines.spring_chain import SpringChain

        exact, other = (SpringChain(cell, solver="gauss_seidel") for cell in (EXACT, OTHER))
        exact.chunk = other.chunk = rows
        return exact, other
    if len(names) != 2:
        raise BadInput(f"{len(names)} --engine: give two, first that of the exact derivative")
    return registry.engine(names[0]), registry.engine(names[1])


def _command(
    engine: list[str] | None,
    testbed: str,
    names: list[str],
    budgets: list[int],
    seeds: int,
    updates: int,
    refine: int,
) -> str:
    import shlex

    words = ["gradcheck", "experiment", "target", "--testbed", testbed]
    words += [word for name in engine or () for word in ("--engine", name)]
    words += [word for name in names for word in ("--parameter", name)]
    words += [word for k in budgets for word in ("--budget", str(k))]
    words += ["--seeds", str(seeds), "--updates", str(updates), "--refine", str(refine)]
    return shlex.join(words)
