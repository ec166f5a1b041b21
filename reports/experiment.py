"""An experiment as one HTML page: its question, answers, tables, figures, the command."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gradcheck import whole_file
from gradcheck.evidence import Provenance
from gradcheck.reports.figures.drawing import draw
from gradcheck.reports.figures.palette import DARK, LIGHT
from gradcheck.reports.figures.plot import Plot
from gradcheck.reports.html import TEMPLATES


@dataclass(frozen=True)
class Lines:
    """A table. A row whose fifth cell is the last that holds anything tells why it has no more."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Page:
    """What the page says, in its order: `answers` first, `notes` of how it was measured last."""

    title: str
    about: str
    lead: str
    answers: Sequence[str]
    first: Sequence[Lines]
    plots: Sequence[Plot]
    then: Sequence[Lines]
    notes: Sequence[str]
    command: str
    provenance: Provenance


def html(page: Page) -> str:
    """The page as text."""
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
    return environment.get_template("experiment.html.j2").render(
        style=Markup(style),
        page=page,
        figures=[(plot, Markup(drawn[name])) for name, plot in shown.items()],
    )


def write(page: Page, path: str | Path) -> None:
    """Draw a page into `path`. Raises `BadInput` where it cannot be written."""
    whole_file.write(path, html(page))
