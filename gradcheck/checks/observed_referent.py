"""Which reference a gradient follows: the program, the converged equation or the physics.

Inferred from measurements alone, whatever the card says. Two references are held against each other
wherever they are ten uncertainties apart: the gradient follows one where it is ten times nearer to
it than they are to one another. Followed is what wins against every other reference and loses
against none at any setting; references that never part cannot be told apart, and that is said.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gradcheck.artifact import ReferentRow, Referents, Setting
from gradcheck.distances import Point, distances, norm, slopes
from gradcheck.evidence import Evidence
from gradcheck.match import limit_of
from gradcheck.plateau import SETTLED
from gradcheck.taxonomy import Referent

SHARE = 1 / 4
"""Part of the telling settings at which a reference must be followed; at the others the gradient
may be far from both, as that of a converged equation is over many steps left unconverged."""


class Pair(NamedTuple):
    """Two references against each other: at how many settings they part, and at how many of them
    the gradient follows the one and the other; `nearer`: how many times, at the median; `in_use`:
    do they part at the setting in use?"""

    one: Referent
    other: Referent
    telling: int
    follows_one: int
    follows_other: int
    nearer: float
    in_use: bool

    @property
    def winner(self) -> Referent | None:
        """The one that is followed and never the other."""
        for wins, losses, name in (
            (self.follows_one, self.follows_other, self.one),
            (self.follows_other, self.follows_one, self.other),
        ):
            if wins and not losses and wins >= SHARE * self.telling:
                return name
        return None

    @property
    def loser(self) -> Referent | None:
        """The other of the winner."""
        if self.winner is None:
            return None
        return self.other if self.winner is self.one else self.one


class Observed(NamedTuple):
    """What the measurement leaves of the three referents.

    possible: those that it does not rule out, with those that it could not reach; empty where the
    gradient follows none. unmeasured: those without a reference, with the reason. unconverged:
    does it follow the converged equation, and is that not the program's at the setting in use?
    """

    possible: tuple[Referent, ...]
    unmeasured: dict[Referent, str]
    pairs: tuple[Pair, ...]
    curves: dict[Referent, tuple[Point, ...]]
    unconverged: bool

    @property
    def referent(self) -> Referent | None:
        """The one that is left, if it is one."""
        return self.possible[0] if len(self.possible) == 1 else None

    @property
    def told(self) -> str:
        """In words: what was observed, how surely, or why it cannot be told."""
        if not self.possible:
            return "it follows none of " + ", ".join(self.curves)
        settings = max(pair.telling for pair in self.pairs)
        if self.referent is not None:
            return (
                f"observed: {self.referent}, {self.nearer:.2g} times nearer to it than the others "
                f"are, on up to {settings} settings"
            )
        reasons = [f"{name} not measured: {why}" for name, why in self.unmeasured.items()]
        both = {*self.possible} - {*self.unmeasured}
        reasons += [
            f"{pair.one} and {pair.other} "
            + ("part, and it is near neither there" if pair.telling else "coincide here")
            for pair in self.pairs
            if {pair.one, pair.other} <= both
        ]
        return f"observed: cannot be told, {' or '.join(self.possible)}; {'; '.join(reasons)}"

    @property
    def nearer(self) -> float:
        """How many times nearer than to any other the gradient is to the one that is left: the
        least of the medians over settings. The confidence of the statement."""
        won = [pair.nearer for pair in self.pairs if pair.winner is self.referent is not None]
        return min(won, default=math.nan)


def seen(evidence: Evidence) -> Observed | None:
    """What was observed of the referent; None where it was not measured."""
    artifact = evidence.get(Referents)
    return None if artifact is None else observed(artifact, limit_of(evidence).value)


def observed(artifact: Referents, limit: float) -> Observed:
    """The referents that the rows leave. `limit`: the relative error below which a gradient that
    nothing else tells apart agrees with a reference."""
    rows = artifact.rows
    pairs = tuple(_pair(rows, one, other) for one, other in combinations(Referent, 2))
    curves = {referent: distances(artifact, referent) for referent in Referent}
    beaten = {pair.loser for pair in pairs}
    measured = {name for name, points in curves.items() if points}
    unmeasured = {
        name: artifact.absent.get(name, "its slopes settle nowhere")
        for name in Referent
        if name not in measured
    }

    def agrees(name: Referent) -> bool:
        used = [one for one in curves[name] if _in_use(one.row)]
        return all(one.distance <= one.floor + limit for one in used)

    def stands(name: Referent) -> bool:
        if name in beaten or name in unmeasured:
            return False
        # At a solver cut short an equation's derivative is exact of nothing that ran.
        cut_short = name is Referent.CONVERGED and any(
            pair.winner is name and pair.loser is Referent.EXECUTED for pair in pairs
        )
        return cut_short or agrees(name)

    left = [name for name in Referent if stands(name)]
    # What could not be measured may be it as well, but only of a gradient that is something.
    open_to = [name for name in unmeasured if name not in beaten] if left else []
    return Observed(
        possible=tuple(name for name in Referent if name in (*left, *open_to)),
        unmeasured=unmeasured,
        pairs=pairs,
        curves=curves,
        unconverged=Referent.CONVERGED in left
        and Referent.EXECUTED not in left
        and not agrees(Referent.EXECUTED),
    )


def _in_use(row: ReferentRow) -> bool:
    return row.setting is Setting.IN_USE


def _pair(rows: Sequence[ReferentRow], one: Referent, other: Referent) -> Pair:
    telling, first, second, nearer, used = 0, 0, 0, [], False
    for row in rows:
        if one not in row.references or other not in row.references:
            continue
        (a, doubt_a), (b, doubt_b) = slopes(row, one), slopes(row, other)
        gradient = np.asarray(row.gradient, np.float64)
        doubt = doubt_a + doubt_b
        known = np.isfinite(a) & np.isfinite(b) & np.isfinite(doubt) & np.isfinite(gradient)
        apart = norm((a - b)[known])
        if not norm(doubt[known]) < SETTLED * apart:
            continue
        telling += 1
        used = used or _in_use(row)
        to_a, to_b = (norm((gradient - reference)[known]) for reference in (a, b))
        first += to_a <= SETTLED * apart
        second += to_b <= SETTLED * apart
        if min(to_a, to_b) <= SETTLED * apart:
            # No nearer than the references are known.
            nearer.append(apart / max(to_a if to_a < to_b else to_b, norm(doubt[known])))
    return Pair(
        one, other, telling, first, second, float(np.median(nearer)) if nearer else 0.0, used
    )
