"""Part (a): is every planted fault caught on every testbed where it shows, under its own code?"""

import functools
from dataclasses import dataclass
from typing import Any

from gradcheck.engine import AbstractEngine
from gradcheck.engines.faulty import FaultyEngine
from gradcheck.engines.faulty_table import FAULTS
from gradcheck.finding import Finding, Verdict
from tests.bench.others import Answer, Said, ask
from tests.bench.pipeline import examine, kinds_for, public_testbed, right_engine


@dataclass(frozen=True)
class Planted:
    """One fault on one testbed. `failed` are the codes that failed, with their signatures."""

    fault: str
    testbed: str
    base: str
    seed: int
    codes: tuple[str, ...]
    failed: dict[str, str | None]
    signature: str | None
    where: dict[str, Any] | None
    message: str
    others: dict[str, Said]
    problem: str = ""

    def __str__(self) -> str:
        return f"{self.fault} on {self.testbed}: {', '.join(self.failed) or 'nothing'} failed"

    @property
    def caught(self) -> bool:
        """By the right code."""
        return self.codes[0] in self.failed

    @property
    def named(self) -> bool | None:
        """With the right signature; None where the table expects none."""
        return None if self.signature is None else self.failed.get(self.codes[0]) == self.signature


def cases() -> list[tuple[str, str, str]]:
    """(base, testbed, fault), ordered so that one base after the other is compiled."""
    return sorted(
        (base, testbed, name)
        for name, fault in FAULTS.items()
        for testbed, base in fault.testbeds.items()
    )


def plant(base: str, testbed: str, name: str, *, seed: int = 0) -> Planted:
    """One case, measured and judged."""
    fault = FAULTS[name]
    scene = public_testbed(testbed)
    engine = FaultyEngine(name, right_engine(base))
    _, findings = examine(f"faulty:{name}", engine, scene, kinds_for(fault.codes), seed)
    failed: dict[str, Finding] = {}
    for finding in findings:
        if finding.verdict is Verdict.FAIL:
            failed.setdefault(finding.code, finding)
    best = failed.get(fault.codes[0])
    errors = [f"{f.code}: {f.message}" for f in findings if f.verdict is Verdict.ERROR]
    measured = kinds_for(fault.codes)
    return Planted(
        fault=name,
        testbed=testbed,
        base=base,
        seed=seed,
        codes=fault.codes,
        failed={code: finding.signature for code, finding in failed.items()},
        signature=fault.signature,
        where=best.where.model_dump(exclude_none=True) if best and best.where else None,
        message=best.message if best else _said(findings, fault.codes[0]),
        others=_compared(engine, base, testbed),
        problem="; ".join(errors) if errors and measured else "",
    )


def _compared(engine: AbstractEngine, base: str, testbed: str) -> dict[str, Said]:
    """What the other checkers say; `ALWAYS` where they say it of the right engine as well."""
    answers = ask(engine, public_testbed(testbed))
    for name, (answer, _) in _baseline(base, testbed).items():
        if answer is Answer.WRONG and answers[name][0] is Answer.WRONG:
            answers[name] = (Answer.ALWAYS, answers[name][1])
    return answers


@functools.cache
def _baseline(base: str, testbed: str) -> dict[str, Said]:
    return ask(right_engine(base), public_testbed(testbed))


def _said(findings: list[Finding], code: str) -> str:
    return "; ".join(f"{f.verdict}: {f.message}" for f in findings if f.code == code)
