"""A report's findings in words, for the formats that are read as text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradcheck.finding import Finding, Verdict
from gradcheck.ranking import grouped
from gradcheck.report import Report
from gradcheck.reports.number import counted, number

ATTENTION = (Verdict.FAIL, Verdict.ERROR, Verdict.WARN)
MOST_ENTRIES = 12


@dataclass(frozen=True)
class Group:
    """Findings that say the same of one engine: one verdict, code and message."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that speaks for all."""
        return self.findings[0]

    @property
    def testbeds(self) -> list[str]:
        """Where it was found, each once."""
        return list(dict.fromkeys(one.testbed for one in self.findings))

    @property
    def snippets(self) -> list[str]:
        """Scripts that reproduce it, each once."""
        return list(dict.fromkeys(one.snippet for one in self.findings if one.snippet))

    @property
    def places(self) -> list[str]:
        """Where it was located, each once."""
        return list(dict.fromkeys(filter(None, map(where_text, self.findings))))


@dataclass(frozen=True)
class Topic:
    """All groups of one verdict, engine and code: what one check has against one engine."""

    groups: tuple[Group, ...]

    @property
    def first(self) -> Finding:
        """The one that speaks for all."""
        return self.groups[0].first


def groups(findings: Iterable[Finding]) -> list[Group]:
    """Findings of one verdict, engine, code and message together, in the order of reading."""
    found: dict[tuple[str, ...], list[Finding]] = {}
    for one in (one for group in grouped(findings) for one in group.findings):
        found.setdefault((one.verdict, one.engine, one.code, one.message), []).append(one)
    return [Group(tuple(same)) for same in found.values()]


def topics(groups: Sequence[Group]) -> list[Topic]:
    """Groups by verdict, engine and code, in the order in which these are first met."""
    found: dict[tuple[str, ...], list[Group]] = {}
    for one in groups:
        found.setdefault((one.first.verdict, one.first.engine, one.first.code), []).append(one)
    return [Topic(tuple(same)) for same in found.values()]


def heading(finding: Finding, report: Report) -> str:
    """The check's title for that outcome; empty for a check that the report does not describe."""
    text = report.checks.get(finding.code)
    if text is None:
        return ""
    other = {
        Verdict.FAIL: text.failure_title,
        Verdict.WARN: text.warning_title or text.failure_title,
        Verdict.ERROR: text.error_title,
    }
    return other.get(finding.verdict) or text.title


def measured_text(finding: Finding) -> str:
    """Value, unit and limit; empty where there is no value."""
    if finding.value is None:
        return ""
    unit = f" ({finding.unit})" if finding.unit else ""
    limit = "" if finding.limit is None else f", limit {number(finding.limit)}"
    return f"{number(finding.value)}{unit}{limit}"


def where_text(finding: Finding) -> str:
    """Where a failure was located; empty where it was not."""
    where = finding.where
    if where is None:
        return ""
    parts = []
    if where.label or where.input:
        parts.append(where.label or str(where.input))
    if where.first_bad_step is not None:
        parts.append(f"first bad step {where.first_bad_step}")
    if where.shortest_horizon is not None:
        parts.append(f"shortest horizon {counted(where.shortest_horizon, 'step')}")
    for name, values in (where.at or {}).items():
        shown = ", ".join(number(value, 6) for value in values[:MOST_ENTRIES])
        more = ", …" if len(values) > MOST_ENTRIES else ""
        parts.append(f"{name} = ({shown}{more})")
    return "; ".join(parts)


@dataclass(frozen=True)
class LeftOut:
    """What was not measured of one engine for one reason. `error`: a fault prevented it."""

    engine: str
    reason: str
    places: tuple[str, ...]
    error: bool


def left_out(report: Report) -> list[LeftOut]:
    """What was not run, with equal reasons together, faults first."""
    found: dict[tuple[bool, str, str], list[str]] = {}
    for one in report.summary.not_run:
        place = " ".join(filter(None, (one.testbed or "every testbed", one.measurement)))
        found.setdefault((not one.error, one.engine, one.reason), []).append(place)
    return [
        LeftOut(engine, reason, tuple(places), not fine)
        for (fine, engine, reason), places in sorted(found.items(), key=lambda item: item[0][0])
    ]
