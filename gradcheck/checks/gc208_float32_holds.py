"""GC208: float32 holds what float64 shows, and float64 is float64."""

import math
from typing import final

import numpy as np

from gradcheck.artifact import Precision
from gradcheck.checks.check import AbstractCheck, Limit, worst_first
from gradcheck.checks.resolution import (
    amplification,
    is_single,
    resolution_limit,
    rounding,
    signs_of_float32,
)
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Signature, Verdict, Where

SHARE = 1e-2
SINGLE = float(np.finfo(np.float32).eps)
LIMIT = Limit(
    value=1e-2,
    unit="relative",
    why="float32 holds 7 digits, and a thousand steps may lose five of them",
)


@final
class GC208Float32Holds(AbstractCheck):
    """The gradient in float32 is that of float64 to two digits, and float64 is not float32.

    What it measures
    ----------------
    By input: the largest difference between the gradients in float32 and in float64, relative to
    the input's largest entry (or to a hundredth of the testbed's). And whether the results of
    the float64 run carry float32 rounding: entries that all fit into float32, a loss or a
    gradient that moves in steps of 1e-7.

    Why it matters
    --------------
    Accelerators run in float32. A gradient that loses its digits there is noise at the learning
    rate in use; a float32 stage inside a float64 program spoils every comparison quietly.

    Failing example
    ---------------
        force = contact(q.astype(jnp.float32))      # inside a float64 step

    Cure
    ----
    Subtract before you square, sum in float64, scale the units; or state that the engine needs
    float64. Look for literal float32 arrays and casts.

    Limits
    ------
    Relative 1e-2: float32 holds 7 digits, of which a rollout of a thousand steps may lose five.
    Where the gradient grows over the horizon so much that float32's rounding alone explains the
    difference, it is a warning. Resolution 1e-9 in float64, or its own rounding amplified so. At
    a kink the two precisions may take different branches.

    References
    ----------
    Higham, Accuracy and Stability of Numerical Algorithms, SIAM 2002. JAX documentation,
    "Double (64 bit) precision".
    """

    code = "GC208"
    name = "float32-holds"
    needs = ("precision",)
    by_input = True
    uses = ("horizon",)
    title = "float32 holds what float64 shows"
    failure_title = "float32 does not hold what float64 shows"
    error_title = "Precision was not compared"
    compared = False
    limit = LIMIT

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding for each input, and one where float64 is not float64."""
        precision = self.needed(evidence, Precision)
        scales = {one.name: one.scale for one in evidence.testbed.inputs}
        largest = max(
            (abs(x) * scales[name] for name, g in precision.float64.items() for x in g),
            default=0.0,
        )
        amplified = amplification(evidence)
        doubt = rounding(evidence, SINGLE)
        findings = self._inside(evidence, precision)
        for name, double in precision.float64.items():
            single = precision.float32.get(name, [math.nan] * len(double))
            error, index = _difference(double, single, SHARE * largest / scales[name])
            said = (
                f"{name}: float32 {single[index]:.6g} and float64 {double[index]:.6g} at entry "
                f"{index}, relative difference {error:.2g}"
            )
            if not error <= LIMIT.value:
                lost = amplified * SINGLE
                verdict = Verdict.WARN if lost > LIMIT.value and error < math.inf else Verdict.FAIL
                if verdict is Verdict.WARN:
                    said += f"; the horizon amplifies float32's rounding to {lost:.2g}"
                findings.append(
                    self.finding(
                        evidence,
                        verdict,
                        said,
                        input=name,
                        value=error,
                        uncertainty=doubt,
                        where=Where(input=name, coordinate=index),
                        signature=Signature.PRECISION,
                    )
                )
            else:
                findings.append(
                    self.finding(
                        evidence, Verdict.PASS, said, input=name, value=error, uncertainty=doubt
                    )
                )
        if not findings:
            said = "no input has a gradient in both precisions"
            return [self.finding(evidence, Verdict.NOT_APPLICABLE, said)]
        return worst_first(findings)

    def _inside(self, evidence: Evidence, precision: Precision) -> list[Finding]:
        """float32 inside of what claims to be float64."""
        signs = signs_of_float32(evidence, precision)
        if not signs:
            return []
        limit = resolution_limit(evidence)
        resolutions = (
            (precision.value_resolution, precision.value_jitter),
            (precision.gradient_resolution, precision.gradient_jitter),
        )
        seen = [one for one, jitter in resolutions if is_single(one, jitter, limit.value)]
        value = max(seen, default=SINGLE)
        return [
            self.finding(
                evidence,
                Verdict.FAIL,
                f"float32 inside float64: {'; '.join(signs)}",
                value=value,
                uncertainty=value,  # a scatter, known to about itself
                limit=limit,
                where=Where(),
                signature=Signature.PRECISION,
            )
        ]


def _difference(double: list[float], single: list[float], floor: float) -> tuple[float, int]:
    """Largest relative difference and its entry. 0 where all entries are 0 in both."""
    if not double:
        return 0.0, 0
    apart = [abs(a - b) for a, b in zip(double, single, strict=True)]
    index = max(range(len(apart)), key=lambda i: (math.isnan(apart[i]), apart[i]))
    scale = max(*(abs(x) for x in double), floor)
    if apart[index] == 0.0:
        return 0.0, index
    return (apart[index] / scale if scale else math.inf), index
