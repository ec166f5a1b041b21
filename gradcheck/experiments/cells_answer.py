"""What the rows answer: which are beaten by none, and whether an exact gradient is cheap."""

from collections.abc import Sequence

from gradcheck.experiments.cells_record import Cells, Row
from gradcheck.taxonomy import Realization, Referent, Retention

EXACT = 1e-8
"""Error up to which a gradient counts as exact: differences hold 8 to 10 digits."""

LITTLE = 0.1
"""Part of what storing all takes, up to which memory counts as little."""


def known(found: Cells, referent: Referent) -> list[Row]:
    """Rows whose memory and error against `referent` are both known."""
    return [row for row in found.rows if row.memory is not None and referent in row.errors]


def front(found: Cells, referent: Referent) -> list[Row]:
    """Those that no other row of the same budget and horizon beats in memory and in the worst
    error against `referent` both. Errors that count as exact count as equal."""
    rows = known(found, referent)
    return [row for row in rows if not any(_beats(one, row, referent) for one in rows)]


def _beats(one: Row, other: Row, referent: Referent) -> bool:
    if _place(one) != _place(other):
        return False
    mine, theirs = _costs(one, referent), _costs(other, referent)
    return mine != theirs and all(a <= b for a, b in zip(mine, theirs, strict=True))


def _place(row: Row) -> tuple[int, int]:
    return row.iterations, row.steps


def _costs(row: Row, referent: Referent) -> tuple[float, float]:
    return _bytes(row), max(row.errors[referent].worst, EXACT)


def _bytes(row: Row) -> float:
    assert row.memory is not None
    return row.memory


def answers(found: Cells) -> list[str]:
    """Does an exact gradient at little memory exist here? For each reference: at the budget and
    horizon with the most rows, and at the next that answers otherwise."""
    lines = []
    for referent in Referent:
        rows = known(found, referent)
        places: dict[tuple[int, int], list[Row]] = {}
        for row in rows:
            places.setdefault(_place(row), []).append(row)
        if not places:
            why = _why_unknown(found, referent)
            lines.append(f"Against the {referent}: not known, since {why}.")
        seen = set()
        for place in sorted(places, key=lambda at: (-len(places[at]), -at[1], at[0])):
            verdict, text = _answer(places[place], referent)
            if verdict not in seen:
                k, steps = place
                lines.append(f"Against the {referent} (k = {k}, T = {steps}): {verdict}. {text}")
            seen.add(verdict)
    return lines


def _why_unknown(found: Cells, referent: Referent) -> str:
    measured = [row for row in found.rows if row.measured]
    if not measured:
        return "nothing could be measured"
    if any(referent in row.errors for row in measured):
        return "no engine tells its memory"
    return next((row.unknown[referent] for row in measured if referent in row.unknown), "none is")


def _answer(rows: Sequence[Row], referent: Referent) -> tuple[str, str]:
    """Yes or no, and the numbers that say so."""

    def worst(row: Row) -> float:
        return row.errors[referent].worst

    exact = [row for row in rows if worst(row) < EXACT]
    if not exact:
        best = min(rows, key=worst)
        floor = best.errors[referent].floor
        if worst(best) <= floor:
            return "not known", (
                f"The reference itself is known to {floor:.1e} only, which does not tell an error "
                f"of {EXACT:.0e}."
            )
        return "no", (
            f"None of {len(rows)} gradients has an error below {EXACT:.0e}; the least is "
            f"{worst(best):.1e}, of {_named(best)}."
        )
    least = min(exact, key=_bytes)
    text = (
        f"{len(exact)} of {len(rows)} gradients have an error below {EXACT:.0e}; the least memory "
        f"among them is {size(_bytes(least))}, of {_named(least)}"
    )
    stored = [row for row in exact if row.retention is Retention.STORE_ALL]
    generated = [row for row in stored if row.realization is Realization.GENERATED]
    if not stored:
        return "not known", f"{text}. None that stores all is exact here, to compare it with."
    base = max(generated or stored, key=_bytes)
    part = _bytes(least) / _bytes(base)
    text += f": {part:.2g} of the {size(_bytes(base))} that {_named(base)} takes"
    if least.backward is not None and base.backward:
        text += f", in {least.backward / base.backward:.2g} times its time"
    return ("yes" if part <= LITTLE else "no"), f"{text}."


def _named(row: Row) -> str:
    return f"{row.engine} (keeps {row.keep})"


def size(count: float) -> str:
    """Bytes, as read by people."""
    return f"{count:.0f} B" if count < 1024 else f"{count / 1024:.4g} KiB"
