"""An experiment as one HTML page: its question, figures, tables, the command."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gradcheck import whole_file
from gradcheck.experiments.cells_record import Cells
from gradcheck.experiments.cells_table import HEAD, cells, front_lines
from gradcheck.reports.figures.cells import cells as plots
from gradcheck.reports.figures.drawing import draw
from gradcheck.reports.figures.palette import DARK, LIGHT
from gradcheck.reports.figures.plot import Plot
from gradcheck.reports.html import TEMPLATES


@dataclass(frozen=True)
class Lines:
    """A table of the page."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Page:
    """What the page says. `answer`: sentences that come first."""

    title: str
    about: str
    command: str
    lead: str
    plots: Sequence[Plot]
    tables: Sequence[Lines]
    answer: Sequence[str] = ()


def render(found: Cells, path: str | Path) -> None:
    """Draw the experiment into `path`. Raises `BadInput` where it cannot be written."""
    front_head = ("against", *HEAD[:4], "error", "memory")
    page = Page(
        title="Does an exact gradient cost memory?",
        about=found.testbed,
        command=found.command,
        lead=f"Gradients on {found.testbed}, held against that of the program that ran, of the "
        "equation that its solver approximates, and of the motion. Errors are per typical change "
        "of each input, relative to the reference's largest slope.",
        plots=plots(found),
        tables=(
            Lines(
                "Beaten by no other of the same k and T, in error and in memory both",
                front_head,
                list(front_lines(found)),
            ),
            Lines("All rows", HEAD, [cells(row) for row in found.rows]),
        ),
    )
    write(page, path)


def write(page: Page, path: str | Path) -> None:
    """Draw a page into `path`. Raises `BadInput` where it cannot be written."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = environment.get_template("style.css.j2").render(light=LIGHT, dark=DARK)
    shown = {f"fig-{place}": plot for place, plot in enumerate(page.plots)}
    drawn = draw(shown)
    whole_file.write(
        path,
        environment.get_template("experiment.html.j2").render(
            style=Markup(style),
            page=page,
            figures=[(plot, Markup(drawn[name])) for name, plot in shown.items()],
        ),
    )
