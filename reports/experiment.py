"""An experiment as one HTML page: its question, answers, tables, figures, the command."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gradcheck import whole_file
from gradcheck.experiments import cells_text as text
from gradcheck.experiments.cells_answer import answers
from gradcheck.experiments.cells_record import Cells
from gradcheck.reports.figures.cells import cells as plots
from gradcheck.reports.figures.drawing import draw
from gradcheck.reports.figures.palette import DARK, LIGHT
from gradcheck.reports.html import TEMPLATES


def render(found: Cells, path: str | Path) -> None:
    """Draw the experiment into `path`. Raises `BadInput` where it cannot be written."""
    whole_file.write(path, html(found))


def html(found: Cells) -> str:
    """The page as text."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = environment.get_template("style.css.j2").render(light=LIGHT, dark=DARK)
    shown = {f"fig-{place}": plot for place, plot in enumerate(plots(found))}
    drawn = draw(shown)
    return environment.get_template("experiment.html.j2").render(
        style=Markup(style),
        found=found,
        answers=answers(found),
        notes=text.notes(found),
        figures=[(plot, Markup(drawn[name])) for name, plot in shown.items()],
        front=(text.FRONT, text.FRONT_HEAD, list(text.front_lines(found))),
        all=(text.ALL, text.HEAD, [text.cells(row) for row in found.rows]),
    )
