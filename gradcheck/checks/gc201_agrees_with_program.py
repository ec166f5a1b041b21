"""GC201: the gradient agrees with the program that ran."""

import math
from typing import final

from gradcheck import minimal
from gradcheck.artifact import Steps
from gradcheck.checks.check import AbstractCheck, Limit, worst_first
from gradcheck.checks.observed_referent import seen
from gradcheck.checks.resolution import beyond_usable, rounding
from gradcheck.checks.sign import signature_of
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict
from gradcheck.match import FLOAT64, Match, Outcome, limit_of, matches
from gradcheck.plateau import SETTLED
from gradcheck.taxonomy import Referent

TRANSPOSE = Limit(
    value=1e-8,
    unit="relative",
    why="<Jv, w> and <v, J^T w> are one number, computed twice in float64",
)


@final
class GC201AgreesWithProgram(AbstractCheck):
    """The gradient equals differences of the same program, for every input and direction.

    What it measures
    ----------------
    Along each input coordinate and along random directions: |g - D| beyond the uncertainty of D,
    relative to D (or to 1e-5 of the testbed's largest slope, where D is smaller than that). D is
    the plateau of central differences over steps 1e-9 to 0.3 of a typical change, below one time
    step of motion; its uncertainty is the spread over the run of steps plus the noise of the
    loss over the step. Where the engine has a forward mode, <Jv, w> = <v, J^T w> as well.

    Why it matters
    --------------
    This is the claim that automatic differentiation and adjoints make. An error here is a bug,
    not a matter of physics.

    Failing example
    ---------------
        @jax.custom_vjp
        def step(q, v): return q + dt * v
        def backward(_, ct): return ct, ct      # dt is missing from the second cotangent

    Cure
    ----
    Run the snippet of the finding: it shows the worst coordinate at the shortest horizon that
    fails. The ratio of engine to difference names the common faults (-1, 2, dt, 0).

    Limits
    ------
    Relative 1e-5 in float64; 1e-2 for an engine that computes in float32; 1e-3 for one whose
    gradient is itself made of finite differences. At a kink or a jump there is no derivative, so
    nothing is judged and the one-sided slopes are given. Where 0, -g or 2g would pass as well,
    the verdict is a warning, as it is in a chaotic rollout beyond the usable horizon (GC301):
    there the loss moves over its whole range at the smallest steps, so that no difference is a
    reference; a forward mode that contradicts reverse mode fails all the same. A gradient that
    the card declares to be of the converged equation or of the continuous dynamics, and that
    follows it, gets a warning in place of a failure.

    References
    ----------
    Griewank, Walther, Evaluating Derivatives, SIAM 2008. Gill, Murray, Saunders, Wright,
    Computing Forward-Difference Intervals, SIAM J. Sci. Stat. Comput. 4 (1983).
    """

    code = "GC201"
    name = "agrees-with-program"
    needs = ("agreement",)
    by_input = True
    uses = ("horizon", "physics", "referents", "steps")
    title = "The gradient agrees with the program"
    failure_title = "The gradient differs from the program's own differences"
    error_title = "Agreement with the program was not measured"
    warning_title = "The gradient does not clearly agree with the program"
    limit = FLOAT64

    def judge(self, evidence: Evidence) -> list[Finding]:
        """Findings by input and, together, on the random and named directions."""
        groups: dict[str | None, list[Match]] = {}
        for match in matches(evidence):
            name = match.curve.input if match.curve.role == "coordinate" else None
            groups.setdefault(name, []).append(match)
        findings = [
            finding
            for name, group in groups.items()
            for finding in self._group(evidence, name, group)
        ]
        if not findings:
            said = "no curve was measured: no input has a gradient"
            return [self.finding(evidence, Verdict.ERROR, said)]
        return worst_first(findings)

    def _group(self, evidence: Evidence, name: str | None, group: list[Match]) -> list[Finding]:
        """Findings on the coordinates of one input, or (name None) on the other directions."""
        limit = limit_of(evidence)
        found = []
        wrong = _of(group, Outcome.DIFFERS)
        right = _of(group, Outcome.AGREES)
        if wrong:
            found.append(self._wrong(evidence, name, wrong, len(group)))
        elif right:
            worst = max(right, key=lambda match: match.error)
            apart = max(_relative(m, abs(m.curve.gradient - m.slope.value)) for m in right)
            doubt = max(_relative(m, m.slope.uncertainty) for m in right)
            said = (
                f"{_title(name)}: differs by at most {apart:.2g} relative, over {len(right)} of "
                f"{len(group)} curves; the differences themselves are known to {doubt:.2g}"
            )
            found.append(
                self.finding(
                    evidence,
                    Verdict.PASS,
                    said,
                    input=name,
                    value=worst.error,
                    uncertainty=doubt + rounding(evidence),
                    limit=limit,
                )
            )
        found += [
            self._no_derivative(evidence, name, here, limit)
            for outcome in (Outcome.KINK, Outcome.JUMP)
            if (here := _of(group, outcome))
        ]
        found += [
            self._undecided(evidence, name, here, limit)
            for outcome in (Outcome.VOID, Outcome.UNSETTLED, Outcome.SATURATED)
            if (here := _of(group, outcome))
        ]
        found += self._transposition(evidence, name, right)
        found += self._modes(evidence, name, _of(group, Outcome.SATURATED))
        return found

    def _wrong(
        self, evidence: Evidence, name: str | None, wrong: list[Match], total: int
    ) -> Finding:
        limit = limit_of(evidence)
        worst = max(wrong, key=lambda match: (math.isnan(match.error), match.error))
        curve, slope = worst.curve, worst.slope
        unit = curve.scale
        tolerance = limit.value + slope.uncertainty / worst.scale if worst.scale else math.inf
        signature = signature_of(worst.ratio, tolerance, evidence.testbed.dt)
        if signature is Signature.LOST_DEPENDENCY and not worst.moves:
            signature = Signature.PLATEAU
        said = (
            f"{curve.label}: engine {curve.gradient / unit:.6g}, difference "
            f"{slope.value / unit:.6g} ± {slope.uncertainty / unit:.1g} at steps "
            f"{slope.lowest_step * unit:.0e} to {slope.highest_step * unit:.0e}, "
            f"ratio {worst.ratio:.4g}; {len(wrong)} of {total} curves of {_title(name)} differ"
        )
        jvp = curve.forward_mode
        if (
            jvp is not None
            and abs(jvp - slope.value) <= limit.value * worst.scale + slope.uncertainty
        ):
            said += "; forward mode agrees with the difference: the fault is in the backward pass"
        verdict = Verdict.FAIL
        stated = evidence.card.referent
        if stated not in (None, Referent.EXECUTED):
            observed = seen(evidence)
            if observed is not None and observed.referent is stated:
                verdict = Verdict.WARN
                said += f"; it follows the {stated}, as declared"
        where = minimal.locate(evidence, name)
        return self.finding(
            evidence,
            verdict,
            said,
            input=name,
            value=worst.error,
            uncertainty=_relative(worst, slope.uncertainty) + rounding(evidence),
            limit=limit,
            where=where,
            signature=signature,
        )

    def _no_derivative(
        self, evidence: Evidence, name: str | None, here: list[Match], limit: Limit
    ) -> Finding:
        curve = here[0].curve
        unit = curve.scale
        left, right = curve.one_sided()
        said = (
            f"{curve.label}: there is no derivative here; left {left.value / unit:.6g}, "
            f"right {right.value / unit:.6g}"
        )
        if here[0].outcome is Outcome.JUMP:
            said = (
                f"{curve.label}: there is no derivative here; left {left.value / unit:.6g}, "
                f"right {right.value / unit:.6g}: the loss jumps by {curve.jump_size():.3g}"
            )
        if len(here) > 1:
            said += f"; likewise {len(here) - 1} other curves of {_title(name)}"
        signature = Signature.KINK if here[0].outcome is Outcome.KINK else Signature.NOISE
        return self.finding(
            evidence,
            Verdict.NOT_APPLICABLE,
            said,
            input=name,
            limit=limit,
            signature=signature,
        )

    def _undecided(
        self, evidence: Evidence, name: str | None, here: list[Match], limit: Limit
    ) -> Finding:
        if here[0].outcome is Outcome.SATURATED:
            return self._saturated(evidence, name, here, limit)
        worst = max(here, key=lambda match: match.slope.uncertainty / (match.scale or 1.0))
        slope, curve = worst.slope, worst.curve
        noise = slope.uncertainty / worst.scale if worst.scale else math.inf
        unit = curve.scale
        why = "0, -g or 2g would pass too" if worst.outcome is Outcome.VOID else "not settled"
        said = (
            f"{curve.label}: the test says nothing ({why}): engine "
            f"{curve.gradient / unit:.4g}, difference {slope.value / unit:.4g} ± "
            f"{slope.uncertainty / unit:.2g}, noise of the loss "
            f"{curve.noise_floor():.2g}; {len(here)} such curves of {_title(name)}"
        )
        return self.finding(
            evidence,
            Verdict.WARN,
            said,
            input=name,
            value=noise,
            uncertainty=noise,  # read off one run of steps, it is known to about itself
            limit=Limit(value=SETTLED, unit="relative", why="a settled reading's uncertainty"),
            signature=Signature.NOISE,
        )

    def _saturated(
        self, evidence: Evidence, name: str | None, here: list[Match], limit: Limit
    ) -> Finding:
        """Differences are no reference; what else is known of the gradient is said."""
        curve, unit = here[0].curve, here[0].curve.scale
        chaos = beyond_usable(evidence)
        why = "beyond the usable horizon, see GC301" if chaos else "chaos, or noise of that size"
        said = (
            f"{curve.label}: the test says nothing ({why}): differences saturate, the loss moves "
            f"as far at steps of {curve.saturation() * unit:.0e} as at any larger; engine "
            f"{curve.gradient / unit:.4g}; {len(here)} such curves of {_title(name)}"
        )
        modes = [_apart(match) for match in here if match.curve.forward_mode is not None]
        if modes and max(modes) <= limit.value:
            said += f"; forward mode agrees with reverse mode to {max(modes):.1g}"
        steps = evidence.get(Steps)
        if steps is not None and minimal.first_bad_step(evidence, limit.value) is None:
            said += f"; the Jacobians of {len(steps.errors)} single steps agree with differences"
        signature = None if chaos else Signature.NOISE
        return self.finding(
            evidence, Verdict.WARN, said, input=name, limit=limit, signature=signature
        )

    def _modes(self, evidence: Evidence, name: str | None, here: list[Match]) -> list[Finding]:
        """Reverse against forward mode where differences saturate: they round alike."""
        limit = limit_of(evidence)
        told = [match for match in here if match.curve.forward_mode is not None]
        worst = max(told, key=_apart, default=None)
        if worst is None or _apart(worst) <= max(limit.value, rounding(evidence)):
            return []
        curve, unit, error = worst.curve, worst.curve.scale, _apart(worst)
        assert curve.forward_mode is not None
        said = (
            f"{curve.label}: reverse mode {curve.gradient / unit:.6g} and forward mode "
            f"{curve.forward_mode / unit:.6g} differ by {error:.2g}, and differences saturate: "
            "one of the two is wrong"
        )
        ratio = curve.gradient / curve.forward_mode if curve.forward_mode else math.nan
        return [
            self.finding(
                evidence,
                Verdict.FAIL,
                said,
                input=name,
                value=error,
                uncertainty=rounding(evidence) * (1 + error),
                limit=limit,
                where=minimal.locate(evidence, name),
                signature=signature_of(
                    ratio, limit.value + rounding(evidence), evidence.testbed.dt
                ),
            )
        ]

    def _transposition(
        self, evidence: Evidence, name: str | None, right: list[Match]
    ) -> list[Finding]:
        """<Jv, w> against <v, J^T w>, where both modes exist and neither is differences."""
        if limit_of(evidence) is not FLOAT64:
            return []
        worst = max(
            ((_apart(match), match) for match in right if match.curve.forward_mode is not None),
            key=lambda pair: (math.isnan(pair[0]), pair[0]),
            default=None,
        )
        if worst is None or worst[0] <= TRANSPOSE.value:
            return []
        error, match = worst
        said = (
            f"{match.curve.label}: reverse {match.curve.gradient:.12g} and forward mode "
            f"{match.curve.forward_mode:.12g} differ by {error:.2g}"
        )
        return [
            self.finding(
                evidence,
                Verdict.WARN,
                said,
                input=name,
                value=error,
                uncertainty=rounding(evidence) * (1 + error),
                limit=TRANSPOSE,
            )
        ]


def _apart(match: Match) -> float:
    """Relative difference of reverse and forward mode; 0 without a forward mode.

    Relative to the larger of the two where the differences say nothing.
    """
    jvp = match.curve.forward_mode
    if jvp is None:
        return 0.0
    apart = abs(jvp - match.curve.gradient)
    if match.outcome is not Outcome.SATURATED:
        return _relative(match, apart)
    return apart / max(abs(jvp), abs(match.curve.gradient)) if apart else 0.0


def _relative(match: Match, size: float) -> float:
    """`size` in the unit of the relative error; 0 where nothing has a slope."""
    return size / match.scale if match.scale else 0.0


def _of(group: list[Match], outcome: Outcome) -> list[Match]:
    return [match for match in group if match.outcome is outcome]


def _title(name: str | None) -> str:
    return name if name is not None else "the random and named directions"
