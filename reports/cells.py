"""The experiment of the cells as a page."""

from gradcheck.experiments import cells_text as text
from gradcheck.experiments.cells_answer import answers
from gradcheck.experiments.cells_record import Cells
from gradcheck.reports.experiment import Lines, Page
from gradcheck.reports.figures.cells import cells as plots

NOTE = (
    "Memory is the peak of temporary bytes of the gradient's compiled program, where the engine "
    "tells it. Times are the least of repeats, \N{PLUS-MINUS SIGN} what that may change by from "
    "run to run."
)


def page(found: Cells) -> Page:
    """All that was found, the front of the best first."""
    front = list(text.front_lines(found))
    return Page(
        title="Does an exact gradient cost memory?",
        about=found.testbed,
        lead=f"Gradients on {found.testbed}, held against that of the program that ran, of the "
        "equation that its solver approximates, and of the motion.",
        answers=answers(found),
        first=[Lines(text.FRONT, text.FRONT_HEAD, front)] if front else [],
        plots=plots(found),
        then=[Lines(text.ALL, text.HEAD, [text.cells(row) for row in found.rows])],
        notes=[*text.notes(found), NOTE],
        command=found.command,
        provenance=found.provenance,
    )
