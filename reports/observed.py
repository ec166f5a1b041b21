"""What the measurements leave of an engine's referent and realization, over all its testbeds."""

from dataclasses import dataclass

from gradcheck.report import Report
from gradcheck.taxonomy import Realization, Referent

CODES = {"referent": "GC101", "realization": "GC102"}


@dataclass(frozen=True)
class Observed:
    """Names that no testbed rules out; None where nothing was measured, none left where testbeds
    contradict one another or the gradient follows nothing."""

    referents: tuple[Referent, ...] | None
    realizations: tuple[Realization, ...] | None

    @property
    def missing(self) -> str:
        """Why it has no cell of its own; empty where it has one, or one of a few columns."""
        if self.referents is None:
            return "observed: the referent was not measured"
        if not self.referents:
            return "observed: the gradient follows no referent"
        if len(self.referents) == len(Referent):
            return "observed: cannot be told, any of the three"
        if len(self.referents) > 1:
            return f"observed: cannot be told, {' or '.join(self.referents)}"
        if not self.realizations:
            return f"observed: {self.referents[0]}; how it is made was not shown"
        return ""


def observed(report: Report, engine: str) -> Observed:
    """Of the findings of the checks that observe."""
    left = {name: _left(report, engine, code) for name, code in CODES.items()}
    referents, realizations = left["referent"], left["realization"]
    return Observed(
        None if referents is None else tuple(one for one in Referent if one in referents),
        None if realizations is None else tuple(one for one in Realization if one in realizations),
    )


def _left(report: Report, engine: str, code: str) -> set[str] | None:
    """On testbeds where it follows something; nothing only if it does so nowhere."""
    told = [
        set(one.observed)
        for one in report.findings
        if one.engine == engine and one.code == code and one.observed is not None
    ]
    some = [one for one in told if one]
    if not told:
        return None
    return set.intersection(*some) if some else set()
