"""GC401: jumps and kinks named."""

import math
from typing import final

from gradcheck.artifact import Event, SweepResult
from gradcheck.checks.check import AbstractCheck, Limit, worst_first
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict, Where
from gradcheck.match import Match, Outcome, limit_of, matches

JUMP_SHARE = 1e-6
"""Part of the sweep's range of values beyond which a change at one point is a jump."""


@final
class GC401JumpsAndKinks(AbstractCheck):
    """Where the loss has no derivative it is said so, with both slopes; at a kink the engine
    returns a slope between them.

    What it measures
    ----------------
    Abrupt changes along a sweep through contact and at the nominal inputs: the left and the
    right slope, the size of a jump, and the derivative that the engine returns exactly there.

    Why it matters
    --------------
    At a kink every slope between left and right is a valid choice (a subgradient), and which one
    the engine makes decides whether an optimiser moves. At a jump no slope is right, and the
    gradient is blind to what the jump does to the loss.

    Failing example
    ---------------
        jnp.where(q < 0, -50.0 * q, 0.0) * 2    # backward returns -100 or, at 0, +100

    Cure
    ----
    Outside of [left, right]: look at the rule of max, abs, where and clip at equality. For a
    jump: resolve the time of impact, or smooth the objective.

    Limits
    ------
    At a kink the engine's slope may lie outside of [left, right] by the limit of GC201 and the
    slopes' own uncertainty. A jump is a change of more than a millionth of the sweep's range of
    values at one point, and ten times its noise.

    References
    ----------
    Clarke, Optimization and Nonsmooth Analysis, SIAM 1990. Lee et al., On Correctness of
    Automatic Differentiation for Non-Differentiable Functions, NeurIPS 2020 (arXiv 2006.06903).
    """

    code = "GC401"
    name = "jumps-and-kinks"
    needs = ("agreement",)
    uses = ("sweep",)
    title = "Jumps and kinks are named"
    failure_title = "A jump, or a slope outside of the two at a kink"
    error_title = "Jumps and kinks were not looked for"
    warning_title = "The loss jumps: there is no derivative there"
    limit = Limit(
        value=0.0, unit="outside of [left, right]", why="a subgradient lies between the slopes"
    )

    def judge(self, evidence: Evidence) -> list[Finding]:
        """Findings on the sweep's jumps and kinks, and on those at the nominal inputs."""
        findings = []
        sweep = evidence.get(SweepResult)
        if sweep is not None:
            findings += self._sweep(evidence, sweep)
        else:
            absent = self.absent(evidence, "sweep")
            if absent is not None and absent.verdict is Verdict.ERROR:
                findings.append(absent)
        findings += self._nominal(evidence)
        if not findings:
            seen = "at the nominal inputs" + (f" or along {sweep.label}" if sweep else "")
            said = f"no jump and no kink {seen}"
            findings.append(self.finding(evidence, Verdict.PASS, said, value=0.0, uncertainty=0.0))
        return worst_first(findings)

    def _sweep(self, evidence: Evidence, sweep: SweepResult) -> list[Finding]:
        values = [value for value in sweep.values if math.isfinite(value)]
        span = max(values) - min(values) if values else 0.0
        jumps = [e for e in sweep.events if _size(e) > max(10 * sweep.noise, JUMP_SHARE * span)]
        kinks = [event for event in sweep.events if event not in jumps]
        found = []
        if jumps:
            worst = max(jumps, key=_size)
            said = (
                f"{_count(jumps, 'jump')} along {sweep.label}, the largest by {_size(worst):.3g} "
                f"at {worst.at:.6g}: there is no derivative there; left {worst.left_slope:.4g}, "
                f"right {worst.right_slope:.4g}, engine {worst.gradient:.4g}"
            )
            if sweep.unsearched:
                said += f"; {sweep.unsearched} more abrupt places were not searched"
            found.append(self._named(evidence, sweep, worst, Verdict.WARN, said, None))
        limit = limit_of(evidence).value
        outside = [(_outside_event(event, limit), event) for event in kinks]
        bad = [(out, event) for out, event in outside if not out <= 0.0]
        if bad:
            out, event = max(bad, key=lambda pair: (math.isnan(pair[0]), pair[0]))
            said = f"{_kink(sweep.label, event)}: outside by {out:.3g}"
            found.append(self._named(evidence, sweep, event, Verdict.FAIL, said, out))
        elif kinks:
            event = max(kinks, key=lambda e: abs(e.left_slope - e.right_slope))
            said = f"{_kink(sweep.label, event)}; {_count(kinks, 'kink')} along the sweep"
            found.append(self._named(evidence, sweep, event, Verdict.PASS, said, 0.0))
        return found

    def _named(
        self,
        evidence: Evidence,
        sweep: SweepResult,
        event: Event,
        verdict: Verdict,
        said: str,
        value: float | None,
    ) -> Finding:
        nominal = next(one for one in evidence.testbed.inputs if one.name == sweep.input).nominal
        # The sweep counts tangent coordinates, the label names the entry: they part behind a
        # quaternion, and a rotation is no single entry.
        entry = sweep.label.removeprefix(f"{sweep.input}[").removesuffix("]")
        at = None
        if entry.isdecimal():
            place = [*nominal[: int(entry)], event.at, *nominal[int(entry) + 1 :]]
            at = {sweep.input: place}
        return self.finding(
            evidence,
            verdict,
            said,
            input=sweep.input,
            value=value,
            uncertainty=event.uncertainty,
            where=Where(input=sweep.input, coordinate=sweep.index, label=sweep.label, at=at),
            signature=Signature.NOISE if verdict is Verdict.WARN else Signature.KINK,
        )

    def _nominal(self, evidence: Evidence) -> list[Finding]:
        return [
            self._match(evidence, match)
            for match in matches(evidence)
            if match.outcome in (Outcome.KINK, Outcome.JUMP) and match.curve.role == "coordinate"
        ]

    def _match(self, evidence: Evidence, match: Match) -> Finding:
        curve = match.curve
        left, right = curve.one_sided()
        where = Where(input=curve.input, coordinate=curve.index, label=curve.label)
        if match.outcome is Outcome.JUMP:
            said = (
                f"{curve.label}: the loss jumps by {curve.jump_size():.3g} at the nominal inputs: "
                f"there is no derivative here; left {left.value:.6g}, right {right.value:.6g}"
            )
            return self.finding(
                evidence,
                Verdict.WARN,
                said,
                input=curve.input,
                where=where,
                signature=Signature.NOISE,
            )
        doubt = left.uncertainty + right.uncertainty
        out = _outside(curve.gradient, left.value, right.value, doubt, limit_of(evidence).value)
        said = (
            f"{curve.label}: there is no derivative here; left {left.value:.6g}, right "
            f"{right.value:.6g}, engine {curve.gradient:.6g} "
            f"({_convention(curve.gradient, left.value, right.value)})"
        )
        verdict = Verdict.PASS if out <= 0.0 else Verdict.FAIL
        return self.finding(
            evidence,
            verdict,
            said,
            input=curve.input,
            value=out,
            uncertainty=doubt,
            where=where,
            signature=Signature.KINK,
        )


def _count(events: list[Event], noun: str) -> str:
    return f"{len(events)} {noun}{'' if len(events) == 1 else 's'}"


def _size(event: Event) -> float:
    size = abs(event.right_value - event.left_value)
    return size if math.isfinite(size) else 0.0


def _outside_event(event: Event, limit: float) -> float:
    return _outside(event.gradient, event.left_slope, event.right_slope, event.uncertainty, limit)


def _outside(slope: float, left: float, right: float, doubt: float, limit: float) -> float:
    """How far a slope lies outside of the two, beyond their uncertainty and the limit of GC201;
    0 inside, NaN where anything is."""
    low, high = min(left, right), max(left, right)
    out = max(low - slope, slope - high) - doubt - limit * max(abs(low), abs(high))
    return out if not out <= 0.0 else 0.0


def _convention(slope: float, left: float, right: float) -> str:
    """Which of the slopes at a kink the engine returns."""
    middle = (left + right) / 2
    names = {"the left one": left, "the right one": right, "their mean": middle}
    name = min(names, key=lambda one: abs(names[one] - slope))
    near = abs(names[name] - slope) <= abs(right - left) / 100
    return name if near else "another one"


def _kink(label: str, event: Event) -> str:
    left, right, slope = event.left_slope, event.right_slope, event.gradient
    return (
        f"{label} at {event.at:.6g}: there is no derivative here; left {left:.4g}, right "
        f"{right:.4g}, engine {slope:.4g} ({_convention(slope, left, right)})"
    )
