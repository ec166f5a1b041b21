"""What was there and is missing, and what is there and was not: engines, testbeds, jobs, checks.

A whole that is missing is one line, not one for each of its findings.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from gradcheck.entry import Subject, judged
from gradcheck.finding import Finding, Verdict
from gradcheck.gate_line import Level, Line
from gradcheck.gate_pairing import Pair, Side
from gradcheck.policy import GateSettings, Policy
from gradcheck.report import Job, Status
from gradcheck.reports.number import counted


def missing_pairs(old: Side, new: Side, settings: GateSettings) -> list[Line]:
    """Engines, testbeds and pairs that the baseline has and the audit has not."""
    gone = [pair for pair in old.pairs if pair not in new.pairs]
    left = {pair for pair in old.pairs if pair not in gone}
    lines = []
    for axis in (0, 1):
        for name in sorted({pair[axis] for pair in gone} - {pair[axis] for pair in left}):
            mine = [pair for pair in gone if pair[axis] == name]
            if len(mine) > 1:
                place = Subject(name, "") if axis == 0 else Subject("", name)
                lines.append(_missing(old, mine, place, settings))
                gone = [pair for pair in gone if pair not in mine]
    return lines + [_missing(old, [pair], Subject(*pair), settings) for pair in gone]


def missing_checks(
    old: Side, new: Side, pairs: Sequence[Pair], settings: GateSettings
) -> list[Line]:
    """Checks of which these pairs, which both audits have, have nothing any more."""
    lines = []
    gone = sorted((code, pair) for pair in pairs for code in old.codes(pair) - new.codes(pair))
    for code, group in groupby(gone, key=lambda one: one[0]):
        mine = [pair for _, pair in group]
        if len(mine) > 1 and not any(one.code == code for one in new.findings):
            lines.append(_missing(old, mine, Subject("", "", code), settings))
        else:
            lines += [_missing(old, [pair], Subject(*pair, code), settings) for pair in mine]
    return lines


def unjudged_checks(
    old: Side, new: Side, pairs: Sequence[Pair], settings: GateSettings
) -> list[Line]:
    """Checks that judged something on these pairs, and now say nothing but ERROR or N/A."""
    lines = []
    for pair, code in unjudged(old, new, pairs):
        found = new.of(pair, code)
        errors = [one for one in found if one.verdict is Verdict.ERROR]
        first = (errors or found)[0]
        count = counted(sum(judged(one.verdict) for one in old.of(pair, code)), "finding")
        said = f"{count} judged before, now {first.verdict}"
        said += f": {first.message}" if isinstance(first, Finding) else ""
        lines.append(Line.at(Level.under(settings.policy(first)), first, said))
    return lines


def unjudged(old: Side, new: Side, pairs: Sequence[Pair]) -> list[tuple[Pair, str]]:
    """Pairs and checks of which the baseline has a judgement, and the audit findings without."""
    return [
        (pair, code)
        for pair in pairs
        for code in sorted(old.codes(pair) & new.codes(pair))
        if any(judged(one.verdict) for one in old.of(pair, code))
        and not any(judged(one.verdict) for one in new.of(pair, code))
    ]


def job_line(pair: Pair, old: Side, new: Job | None, settings: GateSettings) -> Line | None:
    """How a pair that the audit has ended, beside how it ended before."""
    place, before = Subject(*pair), old.jobs.get(pair)
    bad = _level(old, [pair], None, settings)
    if new is None:
        return Line.at(bad, place, "its job is missing in the report") if before else None
    if before is new.status:
        return None
    said = f"{new.status}: {new.reason}" if new.reason else str(new.status)
    said = f"{before} -> {said}" if before else said
    if broken(before, new):
        return Line.at(bad, place, said)
    if before is None:
        return None
    better = new.status is Status.OK
    return Line.at(Level.NOTE, place, f"better: {said}" if better else said, better=better)


def broken(old: Status | None, new: Job | None) -> bool:
    """Did a pair end in a fault, or is it no longer supported, and was not so before?"""
    if new is None or (old is not None and old.faulty):
        return False
    return new.status.faulty or (new.status is Status.UNSUPPORTED and old is Status.OK)


def new_passes(old: Side, new: Side) -> list[Line]:
    """Passes on subjects of which the baseline has nothing, pair by pair."""
    fresh: dict[Pair, Counter[str]] = {}
    for one, group in sorted(new.findings.items()):
        passes = sum(finding.verdict is Verdict.PASS for finding in group)
        if passes and one not in old.findings:
            fresh.setdefault((one.engine, one.testbed), Counter())[one.code] += passes
    return [
        Line.at(
            Level.NOTE,
            Subject(*pair),
            f"new: {codes.total()} PASS ({', '.join(codes)})",
            better=True,
        )
        for pair, codes in fresh.items()
    ]


def _missing(old: Side, pairs: Sequence[Pair], place: Subject, settings: GateSettings) -> Line:
    code = place.code or None
    count = counted(sum(len(old.of(pair, code)) for pair in pairs), "finding")
    also = f" on {len(pairs)} pairs" if len(pairs) > 1 else ""
    said = f"missing: {count}{also} in the baseline"
    return Line.at(_level(old, pairs, code, settings), place, said)


def _level(old: Side, pairs: Sequence[Pair], code: str | None, settings: GateSettings) -> Level:
    """The worst that policies make of what the baseline has there."""
    places = {settings.policy(one) for pair in pairs for one in old.of(pair, code)}
    if code is None:
        places |= {settings.policy(Subject(*pair)) for pair in pairs}
    return Level.under(Policy.ERROR if Policy.ERROR in places else Policy.WARN)
