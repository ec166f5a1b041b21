"""The answer in sentences, made of intervals over seeds."""

import itertools
from collections.abc import Iterator

from gradcheck.experiments.target_advantage import QUANTITIES, Advantages, Said, said
from gradcheck.experiments.target_interval import FEWEST, Interval
from gradcheck.experiments.target_record import Origin, Target

BUDGET, TARGET = "the solver's budget", "where the target came from"


def answer(found: Target) -> list[str]:
    """On what the advantage depends, first; then each target by itself."""
    if not found.origins():
        return []
    if found.search.seeds < FEWEST:
        return [
            f"{found.search.seeds} seeds give no 95 % interval of a median: nothing can be told; "
            f"give --seeds {FEWEST} or more."
        ]
    both = [Advantages(found, quantity) for quantity in QUANTITIES]
    out = [_dependence(one) for one in both]
    out += _apart(*both)
    return out + [_target(one, origin) for one in both for origin in one.origins]


def _dependence(one: Advantages) -> str:
    """On which of the two, and where another choice of it makes the other gradient better."""
    name = f"Advantage of the exact derivative in the {one.quantity.name}: "
    moved = [f"from k = {one.budgets[0]} to {one.budgets[-1]}, {o}" for o in _by_budget(one)]
    shifted = [f"k = {k}" for k in _by_origin(one)]
    parts = []
    for what, places, count in (
        (BUDGET, moved, len(one.budgets)),
        (TARGET, shifted, len(one.origins)),
    ):
        if count < 2:
            parts.append(f"of {what} only one value was run")
        elif places:
            parts.append(f"it depends on {what} ({'; '.join(places)})")
        else:
            parts.append(f"that it depends on {what} cannot be told")
    by_budget = [str(o) for o in one.origins if _turns([one.at(o, k) for k in one.budgets])]
    by_target = [f"k = {k}" for k in one.budgets if _turns([one.at(o, k) for o in one.origins])]
    for what, places in ((BUDGET, by_budget), (TARGET, by_target)):
        if places:
            parts.append(f"which gradient does better turns with {what} ({'; '.join(places)})")
    return name + "; ".join(parts) + "."


def _by_budget(one: Advantages) -> list[Origin]:
    """Origins at which the first and the last budget are told apart."""
    return [o for o in one.origins if said(one.by_budget(o)) in (Said.EXACT, Said.OTHER)]


def _by_origin(one: Advantages) -> list[int]:
    """Budgets at which any two origins are told apart."""
    pairs = list(itertools.combinations(one.origins, 2))
    return [
        k
        for k in one.budgets
        if any(said(one.by_origin(a, b, k)) in (Said.EXACT, Said.OTHER) for a, b in pairs)
    ]


def _turns(advantages: list[Interval]) -> bool:
    return {Said.EXACT, Said.OTHER} <= {said(one) for one in advantages}


def _apart(error: Advantages, loss: Advantages) -> list[str]:
    """Where one gradient reaches the smaller loss and the other the better parameters."""
    places = [
        f"k = {k}, target of {origin}"
        for origin in error.origins
        for k in error.budgets
        if _turns([error.at(origin, k), loss.at(origin, k)])
    ]
    if not places:
        return []
    return [
        "The smaller loss is not the smaller error of the parameters: " + "; ".join(places) + "."
    ]


def _target(one: Advantages, origin: Origin) -> str:
    """All budgets of one target."""
    return f"Target of {origin}, {one.quantity.name}: " + "; ".join(_groups(one, origin)) + "."


def _groups(one: Advantages, origin: Origin) -> Iterator[str]:
    for kind in Said:
        there = [k for k in one.budgets if said(one.at(origin, k)) is kind]
        if there:
            told = [f"k = {k}{_how(one, origin, k, kind)}" for k in there]
            yield f"{kind} at {', '.join(told)}"


def _how(one: Advantages, origin: Origin, iterations: int, kind: Said) -> str:
    """The ratio in brackets, with what qualifies it."""
    if kind is Said.UNENDED:
        return ""
    bounded = ", most fits at a bound or without an end" * one.bounded(origin, iterations)
    return f" ({_way(one.at(origin, iterations), kind)}{bounded})"


def _way(advantage: Interval, kind: Said) -> str:
    """The ratio, the greater one above."""
    if kind is Said.OTHER:
        advantage = Interval(-advantage.middle, -advantage.high, -advantage.low)
    return factor(advantage)


def factor(logs: Interval) -> str:
    """A ratio and its interval from logs to base 10."""
    middle, low, high = logs.map(10.0)
    return f"{middle:.3g} times [{low:.3g}, {high:.3g}]"
