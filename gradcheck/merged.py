"""Several audits as one report, so that all that draws a report draws them side by side."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from gradcheck.engine import BadInput
from gradcheck.evidence import Evidence, Provenance
from gradcheck.finding import Finding
from gradcheck.report import CheckText, Job, NotRun, Report

R = TypeVar("R", Evidence, Finding, Job, NotRun)
ALWAYS_DIFFER = {"started", "command"}


@dataclass(frozen=True)
class Audit:
    """A report, under the name by which it is told from the others."""

    label: str
    report: Report


@dataclass(frozen=True)
class Difference:
    """Something of the circumstances that is not the same in all audits: a value for each."""

    what: str
    values: tuple[str, ...]


def labels(paths: Sequence[Path], given: Sequence[str] = ()) -> list[str]:
    """A name for each audit: as given, or the end of its path that tells it from the others.

    Raises `BadInput` where the given ones do not fit.
    """
    if given:
        if len(given) != len(paths):
            raise BadInput(f"{len(paths)} audits, {len(given)} labels: give one --label for each")
        if twice := [name for name, count in Counter(given).items() if count > 1]:
            raise BadInput(f"the label '{twice[0]}' is given twice: labels tell audits apart")
        return list(given)
    parts = [_parts(path) for path in paths]
    longest = max(map(len, parts), default=0)
    for length in range(1, longest + 1):
        names = ["/".join(one[-length:]) for one in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{'/'.join(one[-1:])} #{place}" for place, one in enumerate(parts, 1)]


def merge(audits: Sequence[Audit], command: str) -> Report:
    """One report of all audits; an engine that several of them hold gets its audit's label.

    Equal engines stand side by side. Where provenance differs, each value goes by its label.
    command: how to do this again.
    """
    names = _names(audits)
    order = {name: at for at, name in enumerate(dict.fromkeys(name for _, name in names))}

    def every(items: Callable[[Report], Iterable[R]]) -> list[R]:
        """Those of all audits, engines of one name together, each under its new name."""
        found = [
            (order[one.engine], _renamed(one, names[at, one.engine]))
            for at, audit in enumerate(audits)
            for one in items(audit.report)
        ]
        return [one for _, one in sorted(found, key=lambda pair: pair[0])]

    checks: dict[str, CheckText] = {}
    for audit in audits:
        checks = {**audit.report.checks, **checks}
    return Report.build(
        provenance=_provenance(audits, command),
        evidence=every(lambda report: report.evidence),
        findings=every(lambda report: report.findings),
        jobs=every(lambda report: report.jobs),
        checks=checks,
        not_run=every(_left_out),
    )


def differences(audits: Sequence[Audit]) -> list[Difference]:
    """What of the circumstances differs: versions, machine, seed, settings, scenes, limits."""
    facts = [_facts(audit.report) for audit in audits]
    every = dict.fromkeys(what for one in facts for what in one)
    found = [Difference(what, tuple(one.get(what, "not told") for one in facts)) for what in every]
    return [one for one in found if len(set(one.values)) > 1]


def _parts(path: Path) -> tuple[str, ...]:
    whole = path.resolve()
    if whole.is_dir():
        return whole.parts[1:] or ("audit",)
    return whole.parts[1:-1] if whole.name == "report.json" else whole.with_suffix("").parts[1:]


def _names(audits: Sequence[Audit]) -> dict[tuple[int, str], str]:
    """The new name of each engine, by its audit's place and its old name."""
    owned = [list(dict.fromkeys(_engines(audit.report))) for audit in audits]
    held = Counter(name for engines in owned for name in engines)
    names: dict[tuple[int, str], str] = {}
    taken: set[str] = set()
    for at, engines in enumerate(owned):
        for engine in engines:
            name = engine
            while (held[engine] > 1 and name == engine) or name in taken:
                name = f"{name} ({audits[at].label})"
            taken.add(name)
            names[at, engine] = name
    return names


def _engines(report: Report) -> Iterable[str]:
    yield from report.summary.engines
    yield from (one.engine for one in report.findings)
    yield from (one.engine for one in report.summary.not_run)


def _renamed(one: R, engine: str) -> R:
    """The record under another engine's name, in all that it holds."""
    changes: dict[str, object] = {"engine": engine}
    if isinstance(one, Evidence):
        changes["artifacts"] = [
            artifact.model_copy(update={"engine": engine}) for artifact in one.artifacts
        ]
    return one.model_copy(update=changes)


def _left_out(report: Report) -> list[NotRun]:
    """What neither a job nor an artifact tells; building a report finds the rest again."""
    rebuilt = Report.build(
        provenance=report.provenance,
        evidence=report.evidence,
        findings=(),
        jobs=report.jobs,
        checks={},
    )
    told = Counter(one.model_dump_json() for one in rebuilt.summary.not_run)
    rest = []
    for one in report.summary.not_run:
        key = one.model_dump_json()
        if not told[key]:
            rest.append(one)
        told[key] -= bool(told[key])
    return rest


def _facts(report: Report) -> dict[str, str]:
    told = report.provenance.model_dump()
    versions, settings = told.pop("versions"), told.pop("settings")
    facts = {name: str(value) for name, value in told.items() if name not in ALWAYS_DIFFER}
    facts |= {f"version of {name}": str(value) for name, value in versions.items()}
    facts |= {str(name): str(value) for name, value in settings.items()}
    facts |= {f"limit of {code}": text.limit for code, text in report.checks.items()}
    return facts


def _provenance(audits: Sequence[Audit], command: str) -> Provenance:
    told = [audit.report.provenance for audit in audits]

    def said(values: Sequence[object]) -> str:
        """The value of all, or each by its label."""
        shown = ["not told" if one is None else str(one) for one in values]
        if len(set(shown)) == 1:
            return shown[0]
        return "; ".join(f"{audit.label}: {one}" for audit, one in zip(audits, shown, strict=True))

    seeds, cores = ({getattr(one, field) for one in told} for field in ("seed", "cores"))
    versions = dict.fromkeys(name for one in told for name in one.versions)
    settings = dict.fromkeys(name for one in told for name in one.settings)
    all_settings = {name: said([one.settings.get(name) for one in told]) for name in settings}
    # The schema has whole numbers here, so that several are told among the settings.
    if len(seeds) > 1:
        all_settings["seeds"] = said([one.seed for one in told])
    if len(cores) > 1:
        all_settings["all cores"] = said([one.cores for one in told])
    commands = {f"audit {one.label}": one.report.provenance.command for one in audits}
    return Provenance(
        versions={name: said([one.versions.get(name) for one in told]) for name in versions},
        platform=said([one.platform for one in told]),
        python=said([one.python for one in told]),
        device=said([one.device for one in told]),
        cores=told[0].cores,
        precision=said([one.precision for one in told]),
        seed=told[0].seed,
        profile=said([one.profile for one in told]),
        command=command,
        started=said([one.started for one in told]),
        settings=all_settings | commands,
    )
