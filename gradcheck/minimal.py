"""Where a failure is smallest: the first bad step, the worst coordinate, the shortest horizon.

Pure and deterministic: of equally bad places the first in the artifact's order is taken.
"""

import math

from gradcheck.artifact import Horizon, Steps
from gradcheck.evidence import Evidence
from gradcheck.finding import Where
from gradcheck.match import Match, Outcome, limit_of, matches
from gradcheck.rung import rungs


def locate(evidence: Evidence, name: str | None = None) -> Where:
    """The minimum of a disagreement with the program, of the input `name` where given."""
    limit = limit_of(evidence).value
    worst = worst_coordinate(evidence, name)
    return Where(
        first_bad_step=first_bad_step(evidence, limit),
        shortest_horizon=shortest_horizon(evidence, limit, name),
        input=worst.curve.input if worst is not None else name,
        coordinate=worst.curve.index if worst is not None else None,
        label=worst.curve.label if worst is not None else None,
    )


def worst_coordinate(evidence: Evidence, name: str | None = None) -> Match | None:
    """The coordinate whose curve differs most from the gradient; None where none differs."""
    found: Match | None = None
    for match in matches(evidence):
        curve = match.curve
        if match.outcome is not Outcome.DIFFERS or curve.role != "coordinate":
            continue
        if name not in (None, curve.input):
            continue
        if found is None or _worse(match.error, found.error):
            found = match
    return found


def shortest_horizon(evidence: Evidence, limit: float, name: str | None = None) -> int | None:
    """The fewest steps at which the gradient is beyond `limit`; None where none is."""
    horizon = evidence.get(Horizon)
    if horizon is None or not horizon.ladders:
        return None
    for rung in rungs(horizon.ladders[0], evidence.testbed, name):
        if not rung.error <= limit:
            return rung.steps
    return None


def first_bad_step(evidence: Evidence, limit: float) -> int | None:
    """The index, from 0, of the first step whose Jacobian is beyond `limit`; None where none is."""
    steps = evidence.get(Steps)
    if steps is None:
        return None
    indices = steps.indices or range(len(steps.errors))
    for index, error, doubt in zip(indices, steps.errors, steps.uncertainty, strict=True):
        if not error - doubt <= limit:
            return index
    return None


def snippet(evidence: Evidence, where: Where) -> str:
    """Python that shows the failure again with the public interface."""
    horizon = where.shortest_horizon
    # An engine without time steps refuses a horizon, so it is only named where it is another one.
    steps = f", steps={horizon}" if horizon not in (None, evidence.testbed.steps) else ""
    lines = [
        "import gradcheck",
        "",
        f"sim = gradcheck.simulate({evidence.engine!r}, {evidence.testbed.name!r}{steps})",
    ]
    if where.at is not None:
        lines += ["at = {", *(f"    {key!r}: {value!r}," for key, value in where.at.items()), "}"]
    given = ", at=at" if where.at is not None else ""
    if where.input is None and where.at is None:
        lines.append("print(sim.value(), sim.value_and_grad())")
    else:
        name = where.input or next(iter(where.at or ()))
        lines.append(f"print(gradcheck.compare(sim, {name!r}, {where.coordinate or 0}{given}))")
    return "\n".join(lines) + "\n"


def measured_again(evidence: Evidence, code: str) -> str:
    """Python that measures the pair again and prints what the check `code` says of it."""
    told = evidence.provenance
    pair = f"[{evidence.engine!r}], [{evidence.testbed.name!r}]"
    return (
        "import tempfile\n"
        "\n"
        "import gradcheck\n"
        "\n"
        "with tempfile.TemporaryDirectory() as out:\n"
        "    report = gradcheck.audit(\n"
        f"        {pair},\n"
        f"        codes=[{code!r}],\n"
        f"        profile={told.profile!r},\n"
        f"        seed={told.seed},\n"
        "        out=out,\n"
        "    )\n"
        "for finding in report.findings:\n"
        "    print(finding.verdict, finding.message)\n"
    )


def _worse(left: float, right: float) -> bool:
    """Is the first error worse? NaN is worse than anything but NaN."""
    return not math.isnan(right) and not left <= right
