"""GC203: every declared input carries a gradient."""

import math
from typing import final

from gradcheck import minimal
from gradcheck.artifact import Basics
from gradcheck.checks.check import AbstractCheck, Limit, worst_first
from gradcheck.evidence import Evidence, InputRecord
from gradcheck.finding import Finding, Signature, Verdict, Where
from gradcheck.match import Match, Outcome, matches


@final
class GC203CarriesGradient(AbstractCheck):
    """Every input of the testbed has a gradient, and a zero gradient has a cause.

    What it measures
    ----------------
    Which inputs have no gradient at all, with the engine's reason; and which coordinates have a
    derivative of exactly 0 while the output moves with them at small steps.

    Why it matters
    --------------
    A dependency lost on the way (a detached tensor, an integer cast, a parameter baked in at
    compile time) raises no error. The optimiser sees a zero and leaves the parameter where it is.

    Failing example
    ---------------
        def loss(x, friction):
            friction = jax.lax.stop_gradient(friction)
            return rollout(x, friction)

    Cure
    ----
    Find where the input leaves the graph: look for stop_gradient, detach, float(), numpy calls
    and parameters closed over. Where the engine cannot differentiate an input, name it in
    `undifferentiated` with the reason.

    Limits
    ------
    No coordinate may be lost. Exactly 0 is meant: a small number is judged by GC201. An entry
    that is NaN or infinite carries nothing and fails; GC204 says where else that is so. A zero
    where the output does not move either (an ignored input, no contact), or moves only across a
    kink or a jump, is named and is not a fault.

    References
    ----------
    Signatures of design: exact 0 while the output moves; exact 0 while it does not.
    """

    code = "GC203"
    name = "carries-gradient"
    needs = ("basics", "agreement")
    uses = ("horizon", "steps")
    by_input = True
    title = "Every declared input carries a gradient"
    failure_title = "An input moves the output but has a zero gradient, or none"
    error_title = "Which inputs carry a gradient was not measured"
    limit = Limit(value=0, unit="coordinates", why="no dependency may be lost")

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding for each input of the testbed."""
        basics = self.needed(evidence, Basics)
        findings = [
            self._input(evidence, basics, one, _coordinates(evidence, one.name))
            for one in evidence.testbed.inputs
        ]
        return worst_first(findings)

    def _input(
        self, evidence: Evidence, basics: Basics, one: InputRecord, judged: list[Match]
    ) -> Finding:
        name = one.name
        if name in basics.undifferentiated:
            reason = basics.undifferentiated[name]
            if not reason:
                said = f"{name}: not differentiated, and no reason given"
                return self.finding(evidence, Verdict.FAIL, said, input=name)
            said = f"{name}: not differentiated: {reason}"
            return self.finding(evidence, Verdict.WARN, said, input=name)
        if not basics.gradients or name not in basics.gradients[0]:
            said = f"{name}: no gradient, and not declared as undifferentiated"
            return self.finding(evidence, Verdict.FAIL, said, input=name)
        gradient = basics.gradients[0][name]
        bad = [index for index, entry in enumerate(gradient) if not math.isfinite(entry)]
        if bad:
            said = (
                f"{name}: {len(bad)} of {len(gradient)} coordinates have a gradient that is not "
                f"finite, the first is {one.labels[bad[0]]}: {gradient[bad[0]]}"
            )
            return self.finding(
                evidence,
                Verdict.FAIL,
                said,
                input=name,
                value=len(bad),
                uncertainty=0,
                where=Where(input=name, coordinate=bad[0], label=one.labels[bad[0]]),
            )
        lost = [m for m in judged if m.exact_zero and m.moves and m.outcome is Outcome.DIFFERS]
        if lost:
            worst = max(lost, key=lambda match: abs(match.slope.value))
            said = (
                f"{worst.curve.label}: exactly 0, while the output moves by "
                f"{worst.slope.value:.4g} ± {worst.slope.uncertainty:.1g} per typical change; "
                f"{len(lost)} of {len(judged)} coordinates of {name}"
            )
            where = minimal.locate(evidence, name).model_copy(
                update={
                    "input": name,
                    "coordinate": worst.curve.index,
                    "label": worst.curve.label,
                }
            )
            return self.finding(
                evidence,
                Verdict.FAIL,
                said,
                input=name,
                value=len(lost),
                uncertainty=0,
                where=where,
                signature=Signature.LOST_DEPENDENCY,
            )
        return self._carries(evidence, basics, one, judged)

    def _carries(
        self, evidence: Evidence, basics: Basics, one: InputRecord, judged: list[Match]
    ) -> Finding:
        gradient = basics.gradients[0][one.name]
        zeros = sum(entry == 0.0 for entry in gradient)
        said = (
            f"{one.name}: {len(gradient) - zeros} of {len(gradient)} coordinates carry a gradient"
        )
        signature = None
        if zeros:
            still = [m for m in judged if m.exact_zero and m.curve.movement() == 0.0]
            edges = [
                m for m in judged if m.exact_zero and m.outcome in (Outcome.KINK, Outcome.JUMP)
            ]
            flat = [m for m in judged if m.exact_zero and m not in still and m not in edges]
            if len(still) == len(judged):
                signature = Signature.IGNORED_INPUT
            parts = (
                (still, "the output does not move: ignored, or out of contact"),
                (edges, "at a kink or a jump"),
                (flat, "the slope is zero here, and the output moves farther off"),
            )
            causes = [f"{len(some)} where {why}" for some, why in parts if some]
            said += f"; exactly 0: {', '.join(causes) or f'{zeros} not sampled'}"
        return self.finding(
            evidence,
            Verdict.PASS,
            said,
            input=one.name,
            value=0,
            uncertainty=0,
            signature=signature,
        )


def _coordinates(evidence: Evidence, name: str) -> list[Match]:
    return [
        match
        for match in matches(evidence)
        if match.curve.role == "coordinate" and match.curve.input == name
    ]
