"""What the printed document holds, as plain data: words and figures, without any layout."""

import re
from collections.abc import Sequence
from typing import Any

from gradcheck.checklist import ChecklistItem, fill
from gradcheck.engine import EngineCard
from gradcheck.evidence import Provenance
from gradcheck.finding import Finding, Verdict
from gradcheck.report import Report, worst
from gradcheck.reports.badge import CLASSES, MEANINGS, WORDS, headline, meaning
from gradcheck.reports.choice import Choice, choose
from gradcheck.reports.figures.drawing import draw
from gradcheck.reports.figures.palette import INK, LIGHT
from gradcheck.reports.figures.plot import Plot
from gradcheck.reports.figures.standalone import standalone
from gradcheck.reports.glossary import GLOSSARY
from gradcheck.reports.legible import legible, one_line
from gradcheck.reports.pair import Numbered, Pair, pairs
from gradcheck.reports.table import Cell, cards, table
from gradcheck.reports.wording import (
    ATTENTION,
    Group,
    Topic,
    groups,
    heading,
    left_out,
    measured_text,
    topics,
)

FONT = "Libertinus Serif"
MOST_FIGURES = 24
MOST_FINDINGS = 60
MOST_COLUMNS = 7
MOST_PLACES = 10
WHOLE_ROW = 1200
"""Letters of a table's row that is not broken over pages: a longer one may not fit on one."""
MOST_LETTERS = 2000
"""Of one text. What is longer is in the JSON."""

BREAK = "\N{ZERO WIDTH SPACE}"
JOINTS = re.compile(r"(?<=[_/:])(?=\w)|(?<=\S{24})(?=\S)")
NARROW = re.compile(r"(?<=[_/:])(?=\w)|(?<=\S{12})(?=\S)")
# A break in code would be copied with it: only where the line has no end.
LONG_CODE = re.compile(r"(?<=\S{88})(?=\S)")
PLACES = {
    **dict.fromkeys(["code", "command"], LONG_CODE),
    **dict.fromkeys(["engine", "columns"], NARROW),
}
"""Where a line may be broken, by the name of the text; `JOINTS` in all others."""

Data = dict[str, Any]


def document(report: Report) -> Data:
    """All that the document says, ready for JSON: legible text, numbers, and figures as SVG."""
    findings = [Numbered(f"f{index}", one) for index, one in enumerate(report.findings)]
    rows = pairs(report, findings)
    summary = report.summary
    bad = groups(one for one in report.findings if one.verdict in ATTENTION)
    choice = choose(rows, MOST_FIGURES)
    known = cards(report)
    told: Data = {
        "verdict": _verdict(summary.verdict),
        "measured": summary.measured,
        "headline": headline(report),
        "meaning": meaning(report),
        "counts": [
            {**_verdict(verdict), "count": count, "meaning": MEANINGS[verdict]}
            for verdict, count in summary.counts.items()
        ],
        "engines": [_engine(name, known.get(name), report) for name in summary.engines],
        "testbeds": [one_line(name) for name in summary.testbeds],
        "matrices": _matrices(rows, report),
        "table": _table(report),
        "findings": [_topic(one, report) for one in topics(bad[:MOST_FINDINGS])],
        "findings_shown": min(len(bad), MOST_FINDINGS),
        "findings_total": len(bad),
        "figures": _figures(choice),
        "figures_shown": choice.count,
        "figures_total": choice.total,
        "not_run": [
            {
                "engine": one_line(one.engine),
                "reason": one.reason,
                "places": ", ".join(map(one_line, one.places[:MOST_PLACES])),
                "more": max(0, len(one.places) - MOST_PLACES),
                "error": one.error,
            }
            for one in left_out(report)
        ],
        "provenance": _provenance(report.provenance, report),
        "command": report.provenance.command,
        "started": one_line(report.provenance.started, 60),
        "gradcheck": report.provenance.versions.get("gradcheck", "unknown"),
        "glossary": [{"word": word, "text": text} for word, text in GLOSSARY.items()],
    }
    return {**_safe(told), "svg": _drawn(choice)}


def _engine(name: str, card: EngineCard | None, report: Report) -> Data:
    verdict = worst(one.verdict for one in report.findings if one.engine == name)
    return {
        "name": one_line(name),
        **_verdict(verdict),
        "stated": [
            {"field": field, "said": said} for field, said in (_stated(card) if card else ())
        ],
        "summary": card.summary if card else "It gave no card: it did not run.",
        "version": card.version if card else "",
        "checklist": _sections(fill(report, name), report.findings),
    }


def _stated(card: EngineCard) -> list[tuple[str, str]]:
    frozen = None if card.frozen is None else ", ".join(card.frozen) or "nothing"
    claims = {
        "referent": card.referent,
        "realization": card.realization,
        "retention": card.retention,
        "contact": card.contact,
        "frozen": frozen,
    }
    return [
        (name, f"{claim or 'not stated'}{f' ({source})' if source else ''}")
        for name, claim in claims.items()
        for source in [card.sources.get(name)]
    ]


def _sections(items: Sequence[ChecklistItem], findings: Sequence[Finding]) -> list[Data]:
    sections: dict[str, list[Data]] = {}
    for item in items:
        said = (item.question, item.stated, item.measured, item.cure)
        partly = [f"{code} does not apply: {why}" for code, why in item.inapplicable.items()]
        partly += [f"{code} was not measured: {why}" for code, why in item.unmeasured.items()]
        sections.setdefault(item.section, []).append(
            {
                "id": item.id,
                "question": item.question,
                "stated": item.stated,
                "measured": item.measured,
                **_verdict(item.verdict),
                "partly": partly if item.verdict is not None else [],
                "cure": " ".join(item.cure.split()),
                "whole": sum(map(len, (*said, *partly))) <= WHOLE_ROW,
                "evidence": ", ".join(dict.fromkeys(findings[at].code for at in item.findings)),
            }
        )
    return [{"title": title, "items": rows} for title, rows in sections.items()]


def _matrices(rows: Sequence[Sequence[Pair]], report: Report) -> list[Data]:
    """The summary in tables of so many columns as a page has room for, about equally wide."""
    testbeds = report.summary.testbeds
    tables = -(-len(testbeds) // MOST_COLUMNS)
    wide = -(-len(testbeds) // tables) if tables else 0
    return [
        {
            "columns": [one_line(name, 32) for name in testbeds[start : start + wide]],
            "rows": [
                {
                    "engine": one_line(engine, 32),
                    "cells": [_cell(one) for one in row[start : start + wide]],
                }
                for engine, row in zip(report.summary.engines, rows, strict=True)
            ],
        }
        for start in range(0, len(testbeds), wide or 1)
    ]


def _cell(pair: Pair) -> Data:
    if pair.verdict is None:
        word = pair.note.split(":")[0]
        return {"class": "none", "word": "–" if word == "not planned" else word, "codes": ""}
    more = len(pair.codes) - 3
    codes = " ".join(pair.codes[:3]) + (f" +{more}" if more > 0 else "")
    return {**_verdict(pair.verdict), "codes": codes or pair.note.split(":")[0]}


def _table(report: Report) -> Data:
    made = table(report)

    def entries(cell: Cell) -> list[Data]:
        return [
            {"engine": one_line(one.engine), "said": one.said, **_verdict(one.verdict)}
            for one in cell.engines
        ]

    return {
        "columns": list(made.columns),
        "rows": [
            {"name": name, "cells": [entries(cell) for cell in cells]} for name, cells in made.rows
        ],
        "outside": [
            {"why": why, "engines": entries(cell)} for why, cell in made.outside if cell.engines
        ],
    }


def _topic(topic: Topic, report: Report) -> Data:
    first = topic.first
    text = report.checks.get(first.code)
    return {
        **_verdict(first.verdict),
        "code": first.code,
        "title": heading(first, report),
        "engine": one_line(first.engine),
        "cure": " ".join(text.cure.split()) if text else "",
        "entries": [_entry(one) for one in topic.groups],
    }


def _entry(group: Group) -> Data:
    first, testbeds = group.first, group.testbeds
    more = len(testbeds) - MOST_PLACES
    return {
        "testbeds": ", ".join(map(one_line, testbeds[:MOST_PLACES]))
        + (f" and {more} more" if more > 0 else ""),
        "message": first.message,
        "signature": str(first.signature or ""),
        "measured": measured_text(first),
        "where": group.places[0] if group.places else "",
        "snippet": {"code": group.snippets[0].rstrip("\n")} if group.snippets else None,
    }


def _figures(choice: Choice) -> list[Data]:
    return [
        {
            "engine": one_line(pair.engine),
            "testbed": one_line(pair.testbed),
            **_verdict(pair.verdict),
            "codes": " ".join(pair.codes),
            "plots": [
                {
                    "key": f"{place}-{index}",
                    "title": plot.title,
                    "caption": plot.caption,
                    "notes": _notes(plot),
                    "description": plot.description,
                    "legend": [
                        {
                            "glyph": one.glyph,
                            "label": one_line(one.label, 40),
                            "colour": LIGHT[one.style % len(LIGHT)] if one.style >= 0 else INK,
                        }
                        for one in plot.series
                    ],
                }
                for index, plot in enumerate(plots)
            ],
        }
        for place, (pair, plots) in enumerate(choice.shown)
    ]


def _notes(plot: Plot) -> list[str]:
    notes = ["Points on the lower edge are exactly zero."] if plot.floored else []
    if plot.lost:
        notes.append(f"{plot.lost} points are not finite and cannot be drawn.")
    return notes


def _drawn(choice: Choice) -> dict[str, str]:
    plots = {
        f"{place}-{index}": plot
        for place, (_, chosen) in enumerate(choice.shown)
        for index, plot in enumerate(chosen)
    }
    return {key: standalone(svg, FONT) for key, svg in draw(plots).items()}


def _provenance(told: Provenance, report: Report) -> list[Data]:
    versions = ", ".join(f"{name} {version}" for name, version in told.versions.items())
    facts = {
        "started": told.started,
        "platform": told.platform,
        "cores": told.cores,
        "Python": told.python,
        "device": told.device,
        "precision": told.precision,
        "seed": told.seed,
        "profile": told.profile,
        "versions": versions,
        **told.settings,
        "measured": f"{report.summary.measured} measurements in {len(report.jobs)} jobs",
        "report schema": report.schema_version,
    }
    return [{"name": name, "value": str(value)} for name, value in facts.items()]


def _verdict(verdict: Verdict | None) -> Data:
    return {"class": CLASSES[verdict], "word": WORDS[verdict]}


def _safe(data: Any, joints: re.Pattern[str] = JOINTS) -> Any:
    """Every text legible, cut where it is endless, and with places to break a line."""
    if isinstance(data, str):
        text = legible(data)
        if len(text) > MOST_LETTERS:
            text = f"{text[:MOST_LETTERS]} … ({len(text)} characters; all are in the JSON)"
        return joints.sub(BREAK, text)
    if isinstance(data, dict):
        return {key: _safe(value, PLACES.get(key, JOINTS)) for key, value in data.items()}
    if isinstance(data, list):
        return [_safe(value, joints) for value in data]
    return data
