"""One finding of an audit beside what the baseline has of it: what differs, and what that does.

Every function answers with a line, or None where nothing is to be said.
"""

import math

from gradcheck.entry import ABOVE, Entry, crosses, judged, within_limit
from gradcheck.finding import WORST_FIRST, Finding, Verdict
from gradcheck.gate_line import Level, Line
from gradcheck.move import Measured, Move, moved, noise_of
from gradcheck.policy import GateSettings, Policy

PASS, WARN, FAIL, ERROR, NONE = (
    Verdict.PASS,
    Verdict.WARN,
    Verdict.FAIL,
    Verdict.ERROR,
    Verdict.NOT_APPLICABLE,
)

SIGNED = ("GC103", "GC602")
"""Checks whose values may be negative: memory may shrink with the horizon. All others are sizes."""


def contradiction(new: Finding) -> str | None:
    """What cannot be true of a finding: it was edited, or its check has a bug."""
    value, limit = new.value, new.limit
    if new.uncertainty is not None and not 0 <= new.uncertainty < math.inf:
        return f"an uncertainty of {new.uncertainty:g} is none"
    if value is None:
        return None
    if math.isnan(value) and new.verdict not in (FAIL, ERROR):
        return f"it says {new.verdict}, and its value is NaN"
    if value < 0 and new.code not in SIGNED:
        return f"a value of {value:.4g}, where none is below 0"
    if new.verdict is PASS and limit is not None and not within_limit(new):
        return f"it says PASS, and its value {value:.4g} is not within its limit {limit:.4g}"
    return None


def impossible(new: Finding, settings: GateSettings) -> Line | None:
    """A finding that contradicts itself is no pass, whatever the baseline has."""
    said = contradiction(new)
    if said is None:
        return None
    return _line(new, settings, f"contradicts itself: {said}: {new.message}")


def above_limit(new: Finding, settings: GateSettings) -> Line | None:
    """A value above the absolute limit that the settings put on it."""
    limit = settings.limit_on(new)
    if limit is None or new.value is None or new.value <= limit:
        return None
    said = f"{new.value:.4g} {new.unit} is above the gate's limit {limit:g}: {new.message}"
    return _line(new, settings, said)


def changed(old: Entry, new: Finding, settings: GateSettings) -> list[Line]:
    """What is to be said of a finding that both audits have."""
    if old.verdict is not new.verdict:
        verdict = _verdict(old, new, settings)
        value = None
    else:
        verdict = None
        value = _value(old, new, settings) if judged(new.verdict) else None
    lines = (verdict, value, _loosened(old, new, settings))
    return [line for line in lines if line is not None]


def appeared(new: Finding, known: bool, settings: GateSettings) -> Line | None:
    """What is to be said of a finding that the baseline lacks. `known`: the baseline has another
    of the same subject, so that the checks now say more of it."""
    said = f"{new.verdict}, which the baseline lacks: {new.message}"
    if new.verdict in (FAIL, ERROR):
        return _line(new, settings, said)
    if new.verdict is WARN:
        allowed = _allowed(new, settings)
        return _note(new, said) if allowed else _warning(new, settings, said)
    return _note(new, said) if known else None


def gone(old: Entry, known: bool, settings: GateSettings) -> Line | None:
    """What is to be said of a finding that the audit lacks. `known`: the audit judges the same
    subject otherwise.

    A bad one that is there beside others, or that spoke of the whole, is only there while there
    is something to complain of.
    """
    if old.verdict is NONE:
        return None
    if old.verdict is not PASS and (known or old.subject == ""):
        said = f"better: no longer {old.verdict}"
        return Line.at(Level.NOTE, old, said, old.subject, better=True)
    said = f"missing: {old.verdict} in the baseline"
    return Line.at(Level.under(settings.policy(old)), old, said, old.subject)


def limit_changed(old: Entry, new: Finding, settings: GateSettings) -> bool:
    """Does the check hold it against another limit?

    A limit that is made of the loss's own noise, as GC205's may be, moves with it: by no more than
    the baseline's noise explains, since an audit must not explain its own limits.
    """
    if old.limit is None or new.limit is None:
        return old.limit is not new.limit
    was = Measured(old.limit, old.uncertainty)
    return moved(was, Measured(new.limit), settings.noise) is not Move.SAME


def _verdict(old: Entry, new: Finding, settings: GateSettings) -> Line | None:
    """Two verdicts that differ."""
    said = f"{old.verdict} -> {new.verdict}{_values(old, new)}: {new.message}"
    if new.verdict in (FAIL, ERROR):
        return _line(new, settings, said)
    if new.verdict is NONE:
        if judged(old.verdict):
            return _line(new, settings, f"no longer judged, {said}")
        return _note(new, said)
    noise = _within(old, new, settings)
    if new.verdict is WARN and old.verdict in (PASS, NONE):
        if _allowed(new, settings):
            return _note(new, f"{said}; allowed by the gate's limit")
        if noise:
            return Line.at(Level.WARNING, new, f"{said}; {noise}", new.subject)
        return _warning(new, settings, said)
    if noise:
        return _note(new, f"{said}; {noise}")
    if WORST_FIRST.index(new.verdict) > WORST_FIRST.index(old.verdict):
        return _note(new, f"better, {said}", better=True)
    return _note(new, f"judged now, {said}", better=True)


def _within(old: Entry, new: Finding, settings: GateSettings) -> str:
    """That a verdict is another only because the value crossed its limit, within the noise; empty
    where there is more to it."""
    if not crosses(old, new) or old.unit != new.unit or limit_changed(old, new, settings):
        return ""
    if _move(old, new, settings) is not Move.SAME:
        return ""
    whose = "this run's own" if _only_new_noise(old, new, settings) else "both runs'"
    return f"the value moved within {whose} noise"


def _value(old: Entry, new: Finding, settings: GateSettings) -> Line | None:
    """Two values under the same verdict."""
    if old.value is None or settings.limit_on(new) is not None:
        return None
    if new.value is None:
        return _line(new, settings, f"its value is missing, which was {old.value:.4g} {old.unit}")
    if old.unit != new.unit:
        said = f"its unit was '{old.unit}' and is '{new.unit}': the values cannot be compared"
        return _line(new, settings, said)
    was, now = Measured(old.value, old.uncertainty), Measured(new.value, new.uncertainty)
    move = _move(old, new, settings)
    if move is Move.SAME:
        if not _only_new_noise(old, new, settings):
            return None
        said = (
            f"{was} -> {now} {new.unit} is worse, and only within the noise because this run's is "
            f"{_times(was, now)} the baseline's: {new.message}"
        )
        return Line.at(Level.WARNING, new, said, new.subject)
    noise = noise_of(was, now, settings.noise)
    said = (
        f"{was} -> {now} {new.unit}, beyond the noise of both runs "
        f"({settings.noise:g} × {noise / settings.noise:.2g} = {noise:.2g}): {new.message}"
    )
    if move is Move.BETTER:
        return _note(new, f"better, {said}", better=True)
    return _line(new, settings, f"worse, {said}")


def _only_new_noise(old: Entry, new: Finding, settings: GateSettings) -> bool:
    """Is the value worse by more than the baseline's noise explains, alone?"""
    if old.value is None or new.value is None or not new.uncertainty:
        return False
    quiet = Measured(new.value, old.uncertainty)
    return moved(Measured(old.value, old.uncertainty), quiet, settings.noise) is Move.WORSE


def _loosened(old: Entry, new: Finding, settings: GateSettings) -> Line | None:
    """A pass that the baseline's limit would not have allowed."""
    if new.verdict is not PASS or new.value is None or new.code in ABOVE:
        return None
    if old.limit is None or new.value <= old.limit or not limit_changed(old, new, settings):
        return None
    now = "none" if new.limit is None else f"{new.limit:.4g}"
    said = (
        f"it passes only because its limit was {old.limit:.4g} and is {now}: its value is "
        f"{new.value:.4g} {new.unit}"
    )
    return _line(new, settings, said)


def _allowed(new: Finding, settings: GateSettings) -> bool:
    """Does an absolute limit of the settings allow it, as a warning?"""
    limit = settings.limit_on(new)
    return limit is not None and new.value is not None and new.value <= limit


def _move(old: Entry, new: Finding, settings: GateSettings) -> Move:
    assert old.value is not None
    assert new.value is not None
    was, now = Measured(old.value, old.uncertainty), Measured(new.value, new.uncertainty)
    return moved(was, now, settings.noise)


def _values(old: Entry, new: Finding) -> str:
    """Both values and the limit, where there are any."""
    if new.value is None:
        return ""
    now = Measured(new.value, new.uncertainty)
    was = f"{Measured(old.value, old.uncertainty)} -> " if old.value is not None else ""
    limit = f", limit {new.limit:.4g}" if new.limit is not None else ""
    return f" ({was}{now} {new.unit}{limit})"


def _times(old: Measured, new: Measured) -> str:
    if not old.uncertainty or not new.uncertainty:
        return "larger than"
    return f"{new.uncertainty / old.uncertainty:.3g} times"


def _warning(new: Finding, settings: GateSettings, text: str) -> Line | None:
    """A new warning does what the settings say of new warnings, and of this finding."""
    if settings.new_warnings is Policy.OFF:
        return None
    strict = settings.new_warnings is settings.policy(new) is Policy.ERROR
    return Line.at(Level.ERROR if strict else Level.WARNING, new, text, new.subject)


def _line(new: Finding, settings: GateSettings, text: str) -> Line:
    level = Level.under(settings.policy(new))
    return Line.at(level, new, text, new.subject, verdict=new.verdict)


def _note(new: Finding, text: str, better: bool = False) -> Line:
    return Line.at(Level.NOTE, new, text, new.subject, verdict=new.verdict, better=better)
