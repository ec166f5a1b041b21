"""GC204: finite everywhere probed."""

import math
from typing import final

from gradcheck.artifact import Basics, Probes
from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict, Where


@final
class GC204Finite(AbstractCheck):
    """The loss and its gradient are finite at the nominal inputs and at many random ones.

    What it measures
    ----------------
    The number of scrambled Sobol points around the nominal inputs at which the loss or any
    entry of its gradient is NaN or infinite; for the first of them, the fewest time steps at
    which it is, and which inputs are struck.

    Why it matters
    --------------
    One NaN in a batch ends a training run, and the state that makes it may be one in thousands:
    a normalised zero vector, a square root at zero, a masked branch.

    Failing example
    ---------------
        direction = jnp.where(r > 0, x / jnp.sqrt(x @ x), 0.0)   # NaN gradient at x = 0

    Cure
    ----
    Make the unused branch safe as well: `safe = jnp.where(r > 0, x, 1.0)` before the division or
    root, and select afterwards.

    Limits
    ------
    No bad point is allowed. A fault rarer than one in the number of probes can be missed: the
    number is in the finding.

    References
    ----------
    JAX documentation, "Gradients contain NaN where using where".
    """

    code = "GC204"
    name = "finite"
    needs = ("basics", "probes")
    title = "The gradient is finite everywhere probed"
    failure_title = "The loss or its gradient is not finite somewhere"
    error_title = "Finiteness was not measured"
    limit = Limit(value=0, unit="points", why="one NaN ends a training run")

    def judge(self, evidence: Evidence) -> list[Finding]:
        """A finding for the nominal inputs if they are bad, and one for the probes."""
        basics, probes = self.needed(evidence, Basics), self.needed(evidence, Probes)
        findings = []
        if _nominal_bad(basics):
            said = "the loss or its gradient is not finite at the nominal inputs"
            where = Where(shortest_horizon=basics.steps, at=basics.inputs)
            findings.append(
                self.finding(evidence, Verdict.FAIL, said, value=1, uncertainty=0, where=where)
            )
        bad = max(probes.bad_values, probes.bad_gradients)
        if not bad <= 0:
            findings.append(self._probed(evidence, probes, bad))
        if not findings:
            if probes.count == 0:
                said = "nothing was probed beside the nominal inputs"
                return [self.finding(evidence, Verdict.ERROR, said)]
            said = f"finite at the nominal inputs and at {probes.count} points around them"
            findings.append(self.finding(evidence, Verdict.PASS, said, value=0, uncertainty=0))
        return findings

    def _probed(self, evidence: Evidence, probes: Probes, bad: int) -> Finding:
        what = "the loss" if probes.bad_forward else "the gradient (the loss is finite)"
        said = f"{what} is not finite at {bad} of {probes.count} points"
        if probes.bad_inputs:
            said += f"; first by {', '.join(probes.bad_inputs)}"
        if probes.first_bad_horizon is not None:
            said += f", from {probes.first_bad_horizon} steps on"
        name = probes.bad_inputs[0] if probes.bad_inputs else None
        where = Where(
            shortest_horizon=probes.first_bad_horizon,
            input=name,
            coordinate=0 if name is not None else None,
            at=probes.first_bad,
        )
        return self.finding(
            evidence, Verdict.FAIL, said, input=name, value=bad, uncertainty=0, where=where
        )


def _nominal_bad(basics: Basics) -> bool:
    numbers = [*basics.values, *basics.values_with_grad]
    numbers += [x for one in basics.gradients for entries in one.values() for x in entries]
    return not all(map(math.isfinite, numbers))
