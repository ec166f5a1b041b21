"""GC202: the gradient agrees with the physics."""

import math
from typing import NamedTuple, final

import numpy as np

from gradcheck import minimal
from gradcheck.artifact import Physics
from gradcheck.checks.check import AbstractCheck, Limit, worst_first
from gradcheck.checks.resolution import beyond_usable, rounding
from gradcheck.evidence import Evidence, InputRecord
from gradcheck.finding import Finding, Signature, Verdict
from gradcheck.match import Outcome, alternatives_pass, excess, matches

WARNED = 0.2
EPS = float(np.finfo(np.float64).eps)
SHARE = 0.05
"""Part of the testbed's largest slope below which a slope is compared with that part instead."""


class Entry(NamedTuple):
    """One coordinate: engine, reference and its uncertainty, in loss per typical change."""

    label: str
    claimed: float
    truth: float
    doubt: float
    scale: float
    error: float


LIMIT = Limit(
    value=0.05,
    unit="relative",
    why="a time discretisation of first order errs by some per cent; 20 % is a failure",
)


@final
class GC202AgreesWithPhysics(AbstractCheck):
    """The gradient equals that of the physics that the program stands for.

    What it measures
    ----------------
    By input coordinate: |g - reference| beyond the reference's own uncertainty, relative to the
    reference (or to a twentieth of the testbed's largest one). The reference is a closed form
    where the testbed has one, and otherwise differences of the engine at refined time steps,
    with steps well above one time step of motion.

    Why it matters
    --------------
    A program can be differentiated to the last digit and still have another slope than the
    motion it approximates, even another sign: a bounce without time of impact is the known
    case. Refinement cures some such schemes and never others.

    Failing example
    ---------------
        # the ball's height after a bounce: d h / d y0 is -1, and this program has +1
        v = jnp.where(y < radius, -v, v)
        y = y + dt * v

    Cure
    ----
    With contact: resolve the time of impact inside the step, use a compliant contact with enough
    steps in the contact phase, or smooth the objective. Without contact: a smaller time step or
    an integrator of higher order; in a chaotic motion a shorter horizon (GC301). Compare the
    errors at refined time steps in the report: if they do not fall, more steps will not help.
    Where GC201 fails for the same input, the fault is in the gradient and not in the motion.

    Limits
    ------
    Passes up to 5 %, warns up to 20 %: discretisations err by some per cent without being
    wrong. A reference that is not known to a fifth says nothing, and the finding says so. Slopes
    that have vanished below the rounding of the loss are not compared.

    References
    ----------
    arXiv 2207.05060 (task 1: gradient of a bounce with and without time of impact).
    arXiv 2506.14186 (experiment 01: rebound from a wall).
    """

    code = "GC202"
    name = "agrees-with-physics"
    needs = ("physics",)
    by_input = True
    uses = ("agreement", "horizon", "steps")
    title = "The gradient agrees with the physics"
    failure_title = "The gradient is not that of the physics"
    error_title = "Agreement with the physics was not measured"
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding for each input with a reference."""
        physics = self.needed(evidence, Physics)
        kinks = _without_derivative(evidence)
        largest = _largest(evidence, physics)
        findings = [
            self._input(evidence, physics, one, kinks, largest)
            for one in evidence.testbed.inputs
            if one.name in physics.reference and one.name in physics.gradient
        ]
        if not findings:
            said = f"no input has both a gradient and a reference ({physics.source})"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        return worst_first(findings)

    def _input(
        self,
        evidence: Evidence,
        physics: Physics,
        one: InputRecord,
        kinks: set[tuple[str, int]],
        largest: float,
    ) -> Finding:
        every = list(_entries(physics, one, largest))
        entries = [entry for index, entry in enumerate(every) if (one.name, index) not in kinks]
        if not entries:
            said = f"{one.name}: there is no derivative here (a kink or a jump of the program)"
            return self.finding(evidence, Verdict.NOT_APPLICABLE, said, input=one.name)
        finest = EPS * abs(physics.value)
        entries = [entry for entry in entries if not _hidden(entry, finest)]
        if not entries:
            said = (
                f"{one.name}: vanished; engine and physics move the loss by less than its own "
                f"rounding, {finest:.1g}, in a typical change ({physics.source})"
            )
            return self.finding(evidence, Verdict.NOT_APPLICABLE, said, input=one.name)
        worst = max(entries, key=lambda e: (math.isnan(e.error), e.error))
        said = (
            f"{worst.label}: engine {worst.claimed / one.scale:.6g}, "
            f"physics {worst.truth / one.scale:.6g}"
            + (f" ± {worst.doubt / one.scale:.1g}" if worst.doubt else "")
            + f", error {worst.error:.3g} of it ({physics.source})"
        )
        limit = LIMIT.value
        if not worst.error <= limit:
            return self._wrong(evidence, physics, one, worst, said)
        unknown = [entry for entry in entries if not _tells(entry, limit)]
        known = [entry for entry in entries if entry not in unknown]
        if unknown and not any(abs(entry.truth) >= entry.scale for entry in known):
            first = unknown[0]
            said = (
                f"{first.label}: the reference does not settle ({physics.source}): "
                f"{first.truth / one.scale:.4g} ± {first.doubt / one.scale:.2g}, "
                f"engine {first.claimed / one.scale:.4g}"
            )
            if beyond_usable(evidence):
                said += "; beyond the usable horizon differences saturate, see GC301"
            return self.finding(evidence, Verdict.NOT_APPLICABLE, said, input=one.name)
        if unknown:
            said += f"; the reference of {len(unknown)} of {len(entries)} coordinates is not known"
        # An error is what lies beyond its doubt: where all are 0, the most doubtful may rise first.
        doubt = max(_doubt(entry) for entry in known or entries)
        return self.finding(
            evidence,
            Verdict.PASS,
            said,
            input=one.name,
            value=worst.error,
            uncertainty=doubt + rounding(evidence) * (1 + worst.error),
        )

    def _wrong(
        self, evidence: Evidence, physics: Physics, one: InputRecord, worst: Entry, said: str
    ) -> Finding:
        verdict = Verdict.WARN if worst.error <= WARNED else Verdict.FAIL
        agrees = _agrees_with_program(evidence, one.name)
        signature = None
        if agrees:
            # Without contact there is no time of impact to miss.
            signature = Signature.TIME_DISCRETISATION if evidence.testbed.speed > 0 else None
            said += "; it agrees with the program"
        errors = physics.refinement_errors
        if len(errors) > 1 and all(map(math.isfinite, errors)):
            cures = errors[-1] <= LIMIT.value
            falls = (
                "cures" if cures else ("lessens" if errors[-1] < errors[0] / 2 else "does not cure")
            )
            said += (
                f"; a finer time step {falls} it (largest error of all inputs {errors[0]:.2g} to "
                f"{errors[-1]:.2g})"
            )
        where = minimal.locate(evidence, one.name).model_copy(
            update={
                "input": one.name,
                "coordinate": one.labels.index(worst.label),
                "label": worst.label,
                **({"shortest_horizon": None, "first_bad_step": None} if agrees else {}),
            }
        )
        return self.finding(
            evidence,
            verdict,
            said,
            input=one.name,
            value=worst.error,
            uncertainty=_doubt(worst) + rounding(evidence) * (1 + worst.error),
            where=where,
            signature=signature,
        )


def _doubt(entry: Entry) -> float:
    """The uncertainty of the reference in the unit of the error."""
    return entry.doubt / entry.scale if entry.scale else 0.0


def _entries(physics: Physics, one: InputRecord, largest: float) -> list[Entry]:
    entries = []
    for index, truth in enumerate(physics.reference[one.name]):
        claimed = physics.gradient[one.name][index] * one.scale
        doubt = physics.uncertainty[one.name][index] * one.scale
        scaled = truth * one.scale
        scale = max(abs(scaled), SHARE * largest)
        error = excess(claimed, scaled, doubt, scale)
        if not math.isfinite(scaled) and math.isfinite(claimed):
            # An unknown reference is no failure of the gradient: `_tells` names it.
            error, doubt, scale = 0.0, math.inf, SHARE * largest
        entries.append(Entry(one.labels[index], claimed, scaled, doubt, scale, error))
    return entries


def _hidden(entry: Entry, rounding: float) -> bool:
    """Is the slope, as claimed and as it is, one that the loss's rounding hides?"""
    return abs(entry.claimed) <= rounding and abs(entry.truth) <= rounding


def _largest(evidence: Evidence, physics: Physics) -> float:
    """The largest finite slope of the physics, in loss per typical change."""
    slopes = [
        abs(truth) * one.scale
        for one in evidence.testbed.inputs
        for truth in physics.reference.get(one.name, [])
        if math.isfinite(truth)
    ]
    return max(slopes, default=0.0)


def _tells(entry: Entry, limit: float) -> bool:
    """Does passing mean anything: is the reference known to a fifth, and would 0, -g or 2g of a
    slope that counts fail?"""
    if not entry.doubt <= WARNED * entry.scale:
        return entry.doubt == 0.0
    if abs(entry.truth) < entry.scale:
        return True
    return not alternatives_pass(entry.claimed, entry.truth, entry.doubt, entry.scale, limit)


def _without_derivative(evidence: Evidence) -> set[tuple[str, int]]:
    return {
        (match.curve.input, match.curve.index)
        for match in matches(evidence)
        if match.outcome in (Outcome.KINK, Outcome.JUMP)
        and match.curve.role == "coordinate"
        and match.curve.input is not None
        and match.curve.index is not None
    }


def _agrees_with_program(evidence: Evidence, name: str) -> bool:
    outcomes = [
        match.outcome
        for match in matches(evidence)
        if match.curve.role == "coordinate" and match.curve.input == name
    ]
    return Outcome.AGREES in outcomes and Outcome.DIFFERS not in outcomes
