"""What several audits say differently: a row for each check of an engine, testbed and subject."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.merged import Audit
from gradcheck.report import Status
from gradcheck.reports.number import number

JOB = "job"


class Kind(IntEnum):
    """What differs in a row, most important first."""

    VERDICT = 0
    VALUE = 1
    NOTHING = 2


@dataclass(frozen=True)
class Cell:
    """What one audit says: its worst verdict and value. `word` in place of both: a job's end."""

    verdict: Verdict
    value: float | None = None
    uncertainty: float | None = None
    word: str = ""

    @property
    def text(self) -> str:
        """The verdict and the value, as they are compared and shown."""
        if self.word:
            return self.word
        return f"{self.verdict}" if self.value is None else f"{self.verdict} {number(self.value)}"

    def apart(self, other: "Cell") -> bool:
        """Do the values differ, as they are shown and by more than both runs' uncertainty?"""
        if self.text == other.text:
            return False
        noise = None
        if self.uncertainty is not None and other.uncertainty is not None:
            noise = self.uncertainty + other.uncertainty
        if noise is None or self.value is None or other.value is None:
            return True
        return not abs(self.value - other.value) <= noise


@dataclass(frozen=True)
class Row:
    """One check, and what each column says of it; None where it says nothing.

    `engine` is empty where every column is an engine of its own.
    """

    engine: str
    testbed: str
    code: str
    subject: str
    unit: str
    cells: tuple[Cell | None, ...]

    @property
    def kind(self) -> Kind:
        """What differs."""
        if len({one and (one.verdict, one.word) for one in self.cells}) > 1:
            return Kind.VERDICT
        held = [one for one in self.cells if one is not None]
        moved = any(one.apart(other) for at, one in enumerate(held) for other in held[:at])
        return Kind.VALUE if moved else Kind.NOTHING


@dataclass(frozen=True)
class Changes:
    """Rows of what all columns hold, most important first, and the pairs that some lack.

    A column is an audit, or an engine where no two audits hold an engine of the same name.
    `alone` are pairs of engine and testbed with the columns that hold them.
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    alone: tuple[tuple[str, str, tuple[str, ...]], ...]

    def of(self, kind: Kind) -> list[Row]:
        """The rows in which that differs."""
        return [one for one in self.rows if one.kind is kind]


Key = tuple[str, str]
Said = dict[Key, dict[tuple[str, str], tuple[Cell, str]]]
"""What a column says by pair and then by code and subject: a cell with its unit."""


def changes(audits: Sequence[Audit]) -> Changes:
    """The rows of the audits, those whose verdicts differ first."""
    engines = [list(dict.fromkeys(audit.report.summary.engines)) for audit in audits]
    every = [engine for held in engines for engine in held]
    if len(set(every)) < len(every):
        columns = [audit.label for audit in audits]
        told = [_said(audit) for audit in audits]
    else:
        columns = every
        told = [
            {("", testbed): rows for (name, testbed), rows in _said(audit).items() if name == one}
            for audit, held in zip(audits, engines, strict=True)
            for one in held
        ]
    pairs = list(dict.fromkeys(pair for one in told for pair in one))
    whole = [pair for pair in pairs if all(pair in one for one in told)]
    alone = tuple(
        (*pair, tuple(name for name, one in zip(columns, told, strict=True) if pair in one))
        for pair in pairs
        if pair not in whole
    )
    rows = [row for pair in whole for row in _rows(pair, [one[pair] for one in told])]
    return Changes(tuple(columns), tuple(sorted(rows, key=_importance)), alone)


def _said(audit: Audit) -> Said:
    said: Said = {}
    for job in audit.report.jobs:
        rows = said.setdefault((job.engine, job.testbed), {})
        if job.status is not Status.OK:
            verdict = Verdict.ERROR if job.status.faulty else Verdict.NOT_APPLICABLE
            rows[JOB, ""] = Cell(verdict, word=str(job.status)), ""
    found: dict[tuple[Key, tuple[str, str]], list[Finding]] = {}
    for one in audit.report.findings:
        key = (one.engine, one.testbed), (one.code, one.subject)
        found.setdefault(key, []).append(one)
    for (pair, place), findings in found.items():
        said.setdefault(pair, {})[place] = _cell(findings), findings[0].unit
    return said


def _cell(findings: Iterable[Finding]) -> Cell:
    """The worst of them; among equal verdicts that of the largest value, NaN above all."""
    worst = min(findings, key=lambda one: (WORST_FIRST.index(one.verdict), -_size(one.value)))
    return Cell(worst.verdict, worst.value, worst.uncertainty)


def _size(value: float | None) -> float:
    if value is None:
        return -math.inf
    return math.inf if math.isnan(value) else value


def _rows(pair: Key, told: Sequence[dict[tuple[str, str], tuple[Cell, str]]]) -> list[Row]:
    places = dict.fromkeys(place for one in told for place in one)
    return [
        Row(
            *pair,
            *place,
            unit=next(one[place][1] for one in told if place in one),
            cells=tuple(one[place][0] if place in one else None for one in told),
        )
        for place in places
    ]


def _importance(row: Row) -> tuple[int, int, float, str, str, str, str]:
    held = [one for one in row.cells if one is not None]
    worst = min(WORST_FIRST.index(one.verdict) for one in held)
    return row.kind, worst, -_spread(held), row.testbed, row.engine, row.code, row.subject


def _spread(cells: Sequence[Cell]) -> float:
    """How many times the largest value is the smallest; infinite where that is no number."""
    sizes = [abs(one.value) for one in cells if one.value is not None]
    if len(set(sizes)) < 2:
        return 1.0
    smallest, largest = min(sizes), max(sizes)
    ratio = largest / smallest if smallest else math.inf
    return math.inf if math.isnan(ratio) else ratio
