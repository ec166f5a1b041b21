"""The experiment of the fitting target as a page."""

from gradcheck.experiments.target_answer import answer
from gradcheck.experiments.target_record import Target
from gradcheck.experiments.target_table import HEAD, left_out, lines
from gradcheck.reports.experiment import Lines, Page
from gradcheck.reports.figures.target import plots


def page(found: Target) -> Page:
    """All that was found."""
    search = found.search
    return Page(
        title="Solver budget or fitting target?",
        about=found.testbed,
        lead=f"{' and '.join(found.parameters)} of {found.testbed} are fitted to the last state of "
        f"a motion ({found.steps} steps of {found.dt:g} s, k iterations each), by the gradient of "
        f"{found.exact} (the exact one) and of {found.other}.",
        answers=[*left_out(found), *answer(found)],
        first=[
            Lines(
                "Median over seeds [95 % interval], and the worst",
                HEAD,
                list(lines(found, found.origins())),
            )
        ],
        plots=plots(found),
        then=[],
        notes=[
            f"{search.seeds} seeds draw true values within a factor of {search.true:g} of the "
            f"testbed's and starts within {search.start:g}; a search may go a factor of "
            f"{search.bound:g} away, in {search.updates} updates of Adam on logs, steps "
            f"{search.first_step:g} to {search.last_step:g}.",
            "An error is |log(found / true)|, of the worst parameter; each output counts in units "
            "of its spread over the seeds.",
            f"The loss has curvatures {found.curvature[0]:.2g} to {found.curvature[1]:.2g} at its "
            f"minimum; the converged target is converged to {found.unconverged:.0e}.",
        ],
        command=found.command,
        provenance=found.provenance,
    )
