"""The report as one HTML file that needs nothing else: no network, no second file, no script."""

import base64
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gradcheck import whole_file
from gradcheck.checklist import fill
from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.report import Report, worst
from gradcheck.reports.badge import CLASSES, MEANINGS, WORDS, headline, meaning
from gradcheck.reports.figures.drawing import draw
from gradcheck.reports.figures.palette import DARK, LIGHT
from gradcheck.reports.glossary import GLOSSARY
from gradcheck.reports.number import number
from gradcheck.reports.pair import Numbered, pairs
from gradcheck.reports.table import cards, table

TEMPLATES = Path(__file__).parent / "templates"
NAME_LENGTH = 48
MOST_ENTRIES = 12
ATTENTION = (Verdict.FAIL, Verdict.ERROR, Verdict.WARN)


def render_html(report: Report, path: str | Path) -> None:
    """Draw the report into `path`. Raises `BadInput` where it cannot be written."""
    whole_file.write(path, html(report))


def html(report: Report) -> str:
    """The report as text: the same for the same report, to the byte."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        name=shorten,
        worst_first=_worst_first,
        number=_number,
        where=where_text,
        paragraphs=_paragraphs,
    )
    environment.globals.update(
        classes=CLASSES, words=WORDS, meanings=MEANINGS, glossary=GLOSSARY, attention=ATTENTION
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
    engines = report.summary.engines
    rows = pairs(report, findings)
    ranked = _worst_first(findings)
    plots = {
        f"{one.anchor}-{place}": plot
        for row in rows
        for one in row
        for place, plot in enumerate(one.plots)
    }
    return {
        "report": report,
        "summary": report.summary,
        "headline": headline(report),
        "meaning": meaning(report),
        "rows": rows,
        "figures": {name: Markup(text) for name, text in draw(plots).items()},
        "places": {(one.engine, one.testbed): one.anchor for row in rows for one in row},
        "engines": [
            {
                "anchor": f"e{index}",
                "name": engine,
                "card": cards(report).get(engine),
                "checklist": fill(report, engine),
                "verdict": worst(one.verdict for one in report.findings if one.engine == engine),
            }
            for index, engine in enumerate(engines)
        ],
        "indices": {engine: f"e{index}" for index, engine in enumerate(engines)},
        "bad": _together([one for one in ranked if one.finding.verdict in ATTENTION]),
        "good": [one for one in ranked if one.finding.verdict not in ATTENTION],
        "findings": findings,
        "heading": lambda finding: _heading(finding, report),
        "families": sorted({one.code[:3] for one in report.findings}),
        "table": table(report),
        "not_run": _not_run(report),
    }


def _worst_first(findings: Iterable[Numbered]) -> list[Numbered]:
    return sorted(findings, key=lambda one: WORST_FIRST.index(one.finding.verdict))


def _together(findings: list[Numbered]) -> list[list[Numbered]]:
    """Findings that say the same of one engine on several testbeds, side by side."""
    groups: dict[tuple[str, ...], list[Numbered]] = {}
    for one in findings:
        said = one.finding
        alone = said.where is not None or said.snippet is not None
        key = (said.verdict, said.engine, said.code, said.message, one.anchor if alone else "")
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def _heading(finding: Finding, report: Report) -> str:
    """The check's title for that outcome."""
    text = report.checks.get(finding.code)
    if text is None:
        return ""
    other = {Verdict.FAIL: text.failure_title, Verdict.ERROR: text.error_title}
    return other.get(finding.verdict) or text.title


def shorten(text: str, length: int = NAME_LENGTH) -> str:
    """A name on one line, without its middle where it is long: both ends tell names apart."""
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    head = length // 3
    return f"{flat[:head]}…{flat[head + 1 - length :]}"


def where_text(finding: Finding) -> str:
    """Where a failure was located, in words; empty where it was not."""
    where = finding.where
    if where is None:
        return ""
    parts = []
    if where.label or where.input:
        parts.append(where.label or str(where.input))
    if where.first_bad_step is not None:
        parts.append(f"first bad step {where.first_bad_step}")
    if where.shortest_horizon is not None:
        parts.append(f"shortest horizon {where.shortest_horizon} steps")
    for name, values in (where.at or {}).items():
        shown = ", ".join(number(value, 6) for value in values[:MOST_ENTRIES])
        more = ", …" if len(values) > MOST_ENTRIES else ""
        parts.append(f"{name} = ({shown}{more})")
    return "; ".join(parts)


def _number(value: float | None, digits: int = 3) -> str:
    return "\N{EN DASH}" if value is None else number(value, digits)


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def _not_run(report: Report) -> list[dict[str, Any]]:
    """What was left out, with equal reasons together, faults first."""
    groups: dict[tuple[bool, str, str], list[str]] = {}
    for one in report.summary.not_run:
        place = " ".join(filter(None, (one.testbed or "every testbed", one.measurement)))
        groups.setdefault((not one.error, one.engine, one.reason), []).append(place)
    return [
        {"engine": engine, "reason": reason, "places": places, "error": not fine}
        for (fine, engine, reason), places in sorted(groups.items(), key=lambda item: item[0][0])
    ]


def _hash(script: str) -> str:
    """The script's hash for the page's security policy: no other script may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
