"""Which reference a gradient follows: the program, the converged equation or the physics.

Inferred from measurements alone, whatever the card says. Two references are held against each other
wherever they are ten uncertainties apart, and more than agreement may leave: the gradient follows
one where it is ten times nearer to it than they are to one another. Followed is what wins against
another reference, loses against none at any setting, and holds at the setting in use; references
that never part cannot be told apart, and that is said, as is a reference that could not be had.
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
"""Part of the telling settings at which an equation must be followed, counted over the shortest
horizon at which the two part; at the others the gradient may be far from both, as that of a
converged equation is over many steps left unconverged. The program is followed at all or not."""
ASTRAY = 3.0
"""At a solver cut short an equation's derivative, taken at a state that solves nothing, may be so
many times farther from the converged equation than the program is. Farther, it is wrong."""
HALF = 0.5
"""And never farther than half of its size: a gradient must be nearer than none."""


class Pair(NamedTuple):
    """Two references against each other: at how many settings they part, and at how many of them
    the gradient follows the one and the other; `often`: is that a share of the shortest horizon?
    `elsewhere`: at a setting other than the one in use? `nearer`: how many times, at the median;
    `in_use`: do they part at the setting in use?"""

    one: Referent
    other: Referent
    telling: int
    follows_one: int
    follows_other: int
    often: bool
    elsewhere: bool
    nearer: float
    in_use: bool

    @property
    def alone(self) -> Referent | None:
        """The one that is followed anywhere, where the other never is."""
        if bool(self.follows_one) == bool(self.follows_other):
            return None
        return self.one if self.follows_one else self.other

    @property
    def winner(self) -> Referent | None:
        """The one that is followed, often enough, and never the other."""
        name = self.alone
        if name is None or not self.often:
            return None
        # The derivative of what ran is that at every setting; another may be so by coincidence.
        always = max(self.follows_one, self.follows_other) == self.telling
        return name if always or name is not Referent.EXECUTED else None

    @property
    def loser(self) -> Referent | None:
        """The other of the winner."""
        if self.winner is None:
            return None
        return self.other if self.winner is self.one else self.one


class Observed(NamedTuple):
    """What the measurement leaves of the three referents.

    possible: those that it does not rule out, with those that it could not reach; empty where the
    gradient follows none. followed: those among them that the gradient agrees with. unmeasured:
    those without a reference, with the reason. astray: those that it follows at other settings and
    not at the one in use, with how far it is from them there; 0 for the other way round. finite: is
    the gradient, at the setting in use? unconverged: does it follow the converged equation, and is
    that not the program's at the setting in use?
    """

    possible: tuple[Referent, ...]
    followed: tuple[Referent, ...]
    unmeasured: dict[Referent, str]
    astray: dict[Referent, float]
    finite: bool
    pairs: tuple[Pair, ...]
    curves: dict[Referent, tuple[Point, ...]]
    unconverged: bool

    @property
    def referent(self) -> Referent | None:
        """The one that is left, if it is one and won against another."""
        if len(self.possible) != 1 or self.possible != self.followed:
            return None
        return self.possible[0] if math.isfinite(self._nearer(self.possible[0])) else None

    @property
    def told(self) -> str:
        """In words: what was observed, how surely, or why it cannot be told."""
        if not self.finite:
            return "the gradient is not finite at the setting in use"
        if self.referent is not None:
            settings = max(pair.telling for pair in self.pairs)
            return (
                f"observed: {self.referent}, {self.nearer:.2g} times nearer to it than the others "
                f"are, on up to {settings} settings"
            )
        reasons = [f"{name} not measured: {why}" for name, why in self.unmeasured.items()]
        both = [pair for pair in self.pairs if pair.follows_one and pair.follows_other]
        if not self.followed:
            far = [
                f"it follows the {name} at other settings, but is {distance:.2g} off it, relative, "
                "at the setting in use"
                if distance
                else f"it agrees with the {name} at the setting in use, but not where the solver "
                "has its iterations"
                for name, distance in self.astray.items()
            ]
            far += [f"it follows now the {pair.one}, now the {pair.other}" for pair in both]
            seen = {name for pair in both for name in (pair.one, pair.other)}
            none = [n for n in Referent if n not in {*self.unmeasured, *self.astray, *seen}]
            if none:
                far.append(_none_of(none))
            head = "observed: cannot be told; " if self.possible else ""
            return head + "; ".join(far + reasons)
        reasons += [
            f"{pair.one} and {pair.other} {self._why_untold(pair)}"
            for pair in self.pairs
            if pair.winner is None
            and not {pair.one, pair.other} & {*self.unmeasured}
            and {pair.one, pair.other} & {*self.followed}
        ]
        return f"observed: cannot be told, {' or '.join(self.possible)}; {'; '.join(reasons)}"

    @property
    def nearer(self) -> float:
        """How many times nearer than to any other the gradient is to the one that is left: the
        least of the medians over settings. The confidence of the statement; NaN without one."""
        return math.nan if self.referent is None else self._nearer(self.referent)

    def _why_untold(self, pair: Pair) -> str:
        if pair.follows_one and pair.follows_other:
            return "part, and it follows now the one, now the other"
        if pair.telling:
            return "part, and it is near neither there, or not always"
        both = {pair.one, pair.other} <= {*self.followed}
        return "coincide here" if both else "part by less than ten uncertainties"

    @property
    def beaten(self) -> set[Referent]:
        """Those that lost against another."""
        return {pair.loser for pair in self.pairs if pair.loser is not None}

    def _nearer(self, name: Referent) -> float:
        won = [pair.nearer for pair in self.pairs if pair.winner is name]
        return min(won, default=math.nan)


def seen(evidence: Evidence) -> Observed | None:
    """What was observed of the referent; None where it was not measured."""
    artifact = evidence.get(Referents)
    return None if artifact is None else observed(artifact, limit_of(evidence).value)


def observed(artifact: Referents, limit: float) -> Observed:
    """The referents that the rows leave. `limit`: the relative error below which a gradient that
    nothing else tells apart agrees with a reference."""
    rows = artifact.rows
    pairs = tuple(_pair(rows, one, other, limit) for one, other in combinations(Referent, 2))
    curves = {referent: distances(artifact, referent) for referent in Referent}
    used = {name: _used(points) for name, points in curves.items()}
    beaten = {pair.loser for pair in pairs}
    unmeasured = {
        name: why
        for name in Referent
        if name not in beaten and (why := _why_unmeasured(artifact, name, used[name]))
    }
    finite = all(np.isfinite(row.gradient).all() for row in rows if _in_use(row))

    def agrees(name: Referent, leeway: float = 0.0) -> bool:
        """At the setting in use."""
        here = used[name]
        return here is not None and here.distance <= here.floor + limit + leeway

    def follows(name: Referent) -> bool:
        if name in beaten or name in unmeasured:
            return False
        if name is Referent.CONVERGED and not converges:
            return False
        return agrees(name) or (name in equations and converges and agrees(name, leeway))

    # At a solver cut short an equation's derivative is exact of nothing that ran: it may be off in
    # use, nearer to the equation than to the program, and less as the solver gets its iterations.
    leeway = _leeway(used[Referent.EXECUTED], used[Referent.CONVERGED])
    converges = all(
        one.distance <= one.floor + limit + min(HALF, ASTRAY * _gap(one.row))
        for one in _last(curves[Referent.CONVERGED])
    )
    equations = {
        name
        for name in (Referent.CONVERGED, Referent.CONTINUOUS)
        if any(pair.winner is name and pair.loser is Referent.EXECUTED for pair in pairs)
        and (name is Referent.CONVERGED or not _between(pairs, Referent.CONVERGED, name).telling)
    }
    followed = [name for name in Referent if finite and follows(name)]
    return Observed(
        # What could not be measured may be it as well.
        possible=tuple(name for name in Referent if finite and name in (*followed, *unmeasured)),
        followed=tuple(followed),
        unmeasured=unmeasured,
        astray={
            name: 0.0 if agrees(name) else here.distance
            for name in Referent
            if any(pair.alone is name and pair.elsewhere for pair in pairs)
            and name not in (*beaten, *followed)
            and (here := used[name]) is not None
        },
        finite=finite,
        pairs=pairs,
        curves=curves,
        unconverged=Referent.CONVERGED in followed
        and Referent.EXECUTED not in (*followed, *unmeasured)
        and not agrees(Referent.EXECUTED),
    )


def _used(points: Sequence[Point]) -> Point | None:
    """That of the setting in use, where the reference is known well enough to judge by."""
    here = (one for one in points if _in_use(one.row) and one.floor < SETTLED)
    return next(here, None)


def _why_unmeasured(artifact: Referents, name: Referent, used: Point | None) -> str:
    """Why a reference says nothing at the setting in use; empty where it does."""
    if used is not None:
        return ""
    if name in artifact.absent:
        return artifact.absent[name]
    floors = [one.floor for one in distances(artifact, name) if _in_use(one.row)]
    if not floors:
        return "its slopes settle nowhere, as at a kink or a jump"
    what = "not converged: " if name is Referent.CONVERGED else ""
    return f"{what}{artifact.made.get(name, 'it')} is known to {floors[0]:.0%} only"


def _last(points: Sequence[Point]) -> list[Point]:
    """Of each horizon, that with the most iterations, or the finest tolerance."""
    found: dict[int, Point] = {}
    for one in points:
        if one.row.setting in (Setting.ITERATIONS, Setting.TOLERANCE):
            finest = one.row.setting is Setting.TOLERANCE
            best = found.setdefault(one.row.steps, one).row.at
            if (one.row.at < best) if finest else (one.row.at > best):
                found[one.row.steps] = one
    return list(found.values())


def _leeway(program: Point | None, equation: Point | None) -> float:
    """How far an equation's derivative may be off where the solver is cut short: not at all where
    it is nearer to the program."""
    if program is None or equation is None or not equation.distance < program.distance:
        return 0.0
    return min(HALF, ASTRAY * _gap(equation.row))


def _gap(row: ReferentRow) -> float:
    """How far the program is from the converged equation, relative; NaN where not known."""
    if not {Referent.EXECUTED, Referent.CONVERGED} <= {*row.references}:
        return math.nan
    (executed, _), (converged, _) = (
        slopes(row, name) for name in (Referent.EXECUTED, Referent.CONVERGED)
    )
    known = np.isfinite(executed) & np.isfinite(converged)
    return norm((executed - converged)[known]) / (norm(converged[known]) or 1.0)


def _between(pairs: Sequence[Pair], one: Referent, other: Referent) -> Pair:
    return next(pair for pair in pairs if {pair.one, pair.other} == {one, other})


def _none_of(names: Sequence[Referent]) -> str:
    *most, last = (f"the {name}" for name in names)
    if not most:
        return f"it does not follow {last}"
    return f"it follows neither {', '.join(most)} nor {last}"


def _in_use(row: ReferentRow) -> bool:
    return row.setting is Setting.IN_USE


def _pair(rows: Sequence[ReferentRow], one: Referent, other: Referent, limit: float) -> Pair:
    telling, first, second, nearer, used, elsewhere = 0, 0, 0, [], False, False
    short: list[tuple[int, bool]] = []
    for row in rows:
        if one not in row.references or other not in row.references:
            continue
        (a, doubt_a), (b, doubt_b) = slopes(row, one), slopes(row, other)
        gradient = np.asarray(row.gradient, np.float64)
        doubt = doubt_a + doubt_b
        known = np.isfinite(a) & np.isfinite(b) & np.isfinite(doubt) & np.isfinite(gradient)
        apart = norm((a - b)[known])
        size = max(norm(a[known]), norm(b[known]))
        # What agreement may leave does not part two references.
        if not (norm(doubt[known]) < SETTLED * apart and apart > limit * size):
            continue
        telling += 1
        used = used or _in_use(row)
        to_a, to_b = (norm((gradient - reference)[known]) for reference in (a, b))
        first += to_a <= SETTLED * apart
        second += to_b <= SETTLED * apart
        follows = min(to_a, to_b) <= SETTLED * apart
        short.append((row.steps, follows))
        if follows:
            elsewhere = elsewhere or not _in_use(row)
            # No nearer than the references are known.
            nearer.append(apart / max(to_a if to_a < to_b else to_b, norm(doubt[known])))
    least = min((steps for steps, _ in short), default=0)
    shortest = [follows for steps, follows in short if steps == least]
    return Pair(
        one,
        other,
        telling,
        first,
        second,
        often=any(shortest) and sum(shortest) >= SHARE * len(shortest),
        elsewhere=elsewhere,
        nearer=float(np.median(nearer)) if nearer else 0.0,
        in_use=used,
    )
