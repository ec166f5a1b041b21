"""The report as one HTML file that needs nothing else: no network, no second file, no script."""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from gradcheck import whole_file
from gradcheck.checklist import ChecklistItem, fill
from gradcheck.finding import WORST_FIRST
from gradcheck.report import Report, worst
from gradcheck.reports.badge import CLASSES, MEANINGS, WORDS, headline, meaning
from gradcheck.reports.cases import FAMILIES, cases, family
from gradcheck.reports.figures.data import tsv
from gradcheck.reports.figures.drawing import draw
from gradcheck.reports.figures.palette import DARK, LIGHT
from gradcheck.reports.glossary import GLOSSARY
from gradcheck.reports.legible import legible, one_line
from gradcheck.reports.number import number
from gradcheck.reports.pair import Numbered, Pair, pairs
from gradcheck.reports.side_by_side import Bed, beds
from gradcheck.reports.table import cards, table
from gradcheck.reports.timing import timing
from gradcheck.reports.wording import ATTENTION, heading, left_out, measured_text, where_text

TEMPLATES = Path(__file__).parent / "templates"
MOST_LINKS = 6
"""Links to evidence that stand in a line; the rest is folded away."""


def render_html(report: Report, path: str | Path) -> None:
    """Draw the report into `path`. Raises `BadInput` where it cannot be written."""
    whole_file.write(path, html(report))


def html(report: Report) -> str:
    """The report as text: the same for the same report, to the byte."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        name=one_line,
        breakable=breakable,
        wrapped=wrapped,
        number=_number,
        measured=measured_text,
        seconds=_seconds,
        where=where_text,
        paragraphs=_paragraphs,
        tsv=tsv,
    )
    environment.globals.update(
        attention=ATTENTION,
        classes=CLASSES,
        families=FAMILIES,
        family=family,
        glossary=GLOSSARY,
        meanings=MEANINGS,
        most=MOST_LINKS,
        words=WORDS,
    )
    style = environment.get_template("style.css.j2").render(light=LIGHT, dark=DARK)
    script = environment.get_template("script.js.j2").render()
    return environment.get_template("report.html.j2").render(
        style=Markup(style),
        script=Markup(script),
        script_hash=_hash(script),
        **context(report),
    )


def context(report: Report) -> dict[str, Any]:
    """What the template is filled with."""
    findings = [Numbered(f"f{index}", one) for index, one in enumerate(report.findings)]
    rows = pairs(report, findings)
    testbeds = beds(report.summary.testbeds, rows)
    evidence = Places(testbeds)
    known = cards(report)
    return {
        "report": report,
        "summary": report.summary,
        "headline": headline(report),
        "meaning": meaning(report),
        "rows": [_worst_first(row) for row in rows],
        "engines": [
            {
                "anchor": f"e{index}",
                "name": engine,
                "card": known.get(engine),
                "checklist": [_answered(item, findings) for item in fill(report, engine)],
                "verdict": worst(one.verdict for one in report.findings if one.engine == engine),
            }
            for index, engine in enumerate(report.summary.engines)
        ],
        "indices": {engine: f"e{index}" for index, engine in enumerate(report.summary.engines)},
        "cases": cases([one for one in findings if one.finding.verdict in ATTENTION]),
        "good": [one for one in findings if one.finding.verdict not in ATTENTION],
        "evidence": evidence,
        "heading": lambda finding: heading(finding, report),
        "table": table(report),
        "testbeds": testbeds,
        "figures": {name: Markup(text) for name, text in draw(evidence.plots).items()},
        "timing": timing(report),
        "not_run": left_out(report),
    }


class Places:
    """Where in the page the evidence lies."""

    def __init__(self, testbeds: Sequence[Bed]) -> None:
        every = [(row, one) for bed in testbeds for row in bed.figures for one in row.shown]
        self.plots = {one.anchor: one.plot for _, one in every}
        self._beds = {bed.name: bed.anchor for bed in testbeds}
        self._figures: dict[tuple[str, str, str], list[tuple[int, str, str]]] = {}
        for row, one in every:
            for rank, code in enumerate(row.codes):
                key = (one.pair.engine, one.pair.testbed, code)
                self._figures.setdefault(key, []).append((rank, f"fig-{one.anchor}", row.title))

    def figures(self, one: Numbered) -> list[tuple[str, str]]:
        """Anchor and title of every figure that the finding can be read off, first the one that
        shows little else."""
        said = one.finding
        found = sorted(self._figures.get((said.engine, said.testbed, said.code), []))
        return [(anchor, title) for _, anchor, title in found]

    def bed(self, testbed: str) -> str:
        """The anchor of a testbed; empty where it has no place in the page."""
        return self._beds.get(testbed, "")


@dataclass(frozen=True)
class Answered:
    """An item of the checklist, with its findings: one for each code and testbed, worst first."""

    item: ChecklistItem
    findings: tuple[Numbered, ...]


def _answered(item: ChecklistItem, findings: Sequence[Numbered]) -> Answered:
    found: dict[tuple[str, str], Numbered] = {}
    for place in item.findings:
        one = findings[place]
        found.setdefault((one.finding.code, one.finding.testbed), one)
    return Answered(item, tuple(found.values()))


def _worst_first(row: Iterable[Pair]) -> list[Pair]:
    """The pairs that were planned; those that the engine cannot do come last."""

    def rank(pair: Pair) -> int:
        return len(WORST_FIRST) if pair.verdict is None else WORST_FIRST.index(pair.verdict)

    return sorted((pair for pair in row if pair.planned), key=rank)


def breakable(name: str) -> Markup:
    """A name on one line that may be broken between its words, and so is not within one."""
    return _broken(r"(?<=[_:/.\-])(?=\w)", one_line(name))


def wrapped(text: str) -> Markup:
    """Text in which paths and addresses may be broken between their parts."""
    return _broken(r"(?<=/)(?=\w)", legible(text))


def _broken(where: str, text: str) -> Markup:
    return Markup("<wbr>").join(escape(part) for part in re.split(where, text))


def _shown(value: object) -> object:
    """Whatever comes from outside: nothing invisible in it, and nothing that turns text round."""
    return legible(value) if type(value) is str else value


def _number(value: float | None, digits: int = 3) -> str:
    return "\N{EN DASH}" if value is None else number(value, digits)


def _seconds(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def _hash(script: str) -> str:
    """The script's hash for the page's security policy: no other script may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
