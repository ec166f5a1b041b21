"""The base of every check: a pure judgement of recorded numbers."""

import abc
import math
from typing import ClassVar, TypeVar, final

from gradcheck import minimal
from gradcheck.artifact import Artifact
from gradcheck.evidence import Evidence
from gradcheck.finding import WORST_FIRST, Finding, Signature, Verdict, Where
from gradcheck.limit import Limit as Limit

A = TypeVar("A", bound=Artifact)


class AbstractCheck(abc.ABC):
    """One code. Its docstring has the sections *What it measures*, *Why it matters*,
    *Failing example*, *Cure*, *Limits*, *References*, from which `gradcheck explain`, the
    documentation page and the report's text are made.

    needs: kinds of artifact without which there is no judgement. A missing one becomes ERROR
    where measuring failed and N/A, with the reason, where the engine says that it cannot.
    uses: further kinds that it looks at where they are there.
    warning_title: what is so when it warns; the failure's title where empty.
    by_input: does it judge input by input? Then that is what tells its findings apart.
    compared: does one derivative beside differences, at the located minimum, show what a finding
    tells? Where it does not, the snippet measures the pair again.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    uses: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str]
    failure_title: ClassVar[str]
    error_title: ClassVar[str]
    warning_title: ClassVar[str] = ""
    by_input: ClassVar[bool] = False
    compared: ClassVar[bool] = True
    limit: ClassVar[Limit | None]

    @abc.abstractmethod
    def judge(self, evidence: Evidence) -> list[Finding]:
        """Findings, the worst first; at least one. Only called when `needs` are all there."""

    @final
    def finding(
        self,
        evidence: Evidence,
        verdict: Verdict,
        message: str,
        *,
        subject: str | None = None,
        input: str | None = None,
        value: float | None = None,
        uncertainty: float | None = None,
        limit: Limit | None = None,
        where: Where | None = None,
        signature: Signature | None = None,
        observed: tuple[str, ...] | None = None,
    ) -> Finding:
        """A finding of this check. `limit` is the one that was used, where not the class's own;
        `subject` what it is about, where that is neither the input nor the whole. A failure that
        is located comes with the code that shows it again."""
        used = limit or self.limit
        if subject is None:
            subject = input if self.by_input and input is not None else ""
        if not all(one is not None and math.isfinite(one) for one in (value, uncertainty)):
            uncertainty = None
        snippet = None
        if where is not None and verdict in (Verdict.FAIL, Verdict.WARN):
            snippet = (
                minimal.snippet(evidence, where)
                if self.compared
                else minimal.measured_again(evidence, self.code)
            )
        return Finding(
            code=self.code,
            engine=evidence.engine,
            testbed=evidence.testbed.name,
            verdict=verdict,
            message=message,
            subject=subject,
            input=input,
            value=value,
            uncertainty=uncertainty,
            unit=used.unit if used is not None and value is not None else "",
            limit=used.value if used is not None else None,
            where=where,
            signature=signature,
            snippet=snippet,
            observed=observed,
        )

    @final
    def needed(self, evidence: Evidence, kind: type[A]) -> A:
        """The artifact that `needs` promises. Raises LookupError where it is missing."""
        artifact = evidence.get(kind)
        if artifact is None:
            raise LookupError(f"{self.code} was judged without the {kind.__name__} it needs")
        return artifact

    @final
    def absent(self, evidence: Evidence, measurement: str) -> Finding | None:
        """ERROR or N/A, with the reason, where that measurement is missing; None where it is
        there. One that nothing is said about is an ERROR: absence is never a pass."""
        if any(one.kind == measurement for one in evidence.artifacts):
            return None
        missing = evidence.missing(measurement)
        if missing is None:
            return self.finding(evidence, Verdict.ERROR, f"not measured: no {measurement} artifact")
        verdict = Verdict.ERROR if missing.error else Verdict.NOT_APPLICABLE
        return self.finding(evidence, verdict, f"{measurement} not measured: {missing.reason}")


def worst_first(findings: list[Finding]) -> list[Finding]:
    """The findings by verdict, the worst first, otherwise in their order."""
    return sorted(findings, key=lambda finding: WORST_FIRST.index(finding.verdict))
