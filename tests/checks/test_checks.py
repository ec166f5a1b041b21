"""What all checks have in common: order, words, missing measurements, limits."""

import inspect
import re
from pathlib import Path

import pytest

from gradcheck.artifact import Missing
from gradcheck.checks import CHECKS, by_code, judge
from gradcheck.checks.check import AbstractCheck
from gradcheck.checks.gc204_finite import GC204Finite
from gradcheck.engine import BadInput
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict
from tests.checks import made_up as m

SECTIONS = (
    "What it measures",
    "Why it matters",
    "Failing example",
    "Cure",
    "Limits",
    "References",
)
NUMBERS = {1: 4, 2: 9, 3: 2, 4: 3, 5: 1, 6: 2, 7: 1}
CODES = [f"GC{family}{one:02}" for family, last in NUMBERS.items() for one in range(1, last + 1)]
each = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)


def test_all_codes_of_the_issue_in_order() -> None:
    assert [check.code for check in CHECKS] == CODES


def test_one_file_is_one_final_check() -> None:
    files = sorted(
        file.stem for file in Path(inspect.getfile(AbstractCheck)).parent.glob("gc[0-9]*.py")
    )
    assert [file[:5].upper() for file in files] == CODES
    for check, file in zip(CHECKS, files, strict=True):
        assert getattr(check, "__final__", False), file
        assert file == f"{check.code.lower()}_{check.name.replace('-', '_')}"


@each
def test_every_docstring_has_all_sections_with_words_in_them(check: type[AbstractCheck]) -> None:
    text = inspect.getdoc(check) or ""
    heads = [re.search(rf"^{name}\n-+\n", text, re.M) for name in SECTIONS]
    starts = [head.end() for head in heads if head is not None]
    assert len(starts) == len(SECTIONS)
    assert starts == sorted(starts)
    ends = [head.start() for head in heads[1:] if head is not None] + [len(text)]
    for start, end in zip(starts, ends, strict=True):
        assert len(text[start:end].split()) >= 4


@each
def test_titles_say_different_things(check: type[AbstractCheck]) -> None:
    assert len({check.title, check.failure_title, check.error_title}) == 3


def test_by_code_finds_any_case_and_names_the_known_ones() -> None:
    assert by_code("gc204") is GC204Finite
    with pytest.raises(BadInput, match="unknown check GC999; the checks are GC101, GC102"):
        by_code("GC999")


@each
@pytest.mark.parametrize("error", [True, False])
def test_a_missing_measurement_is_never_a_pass(check: type[AbstractCheck], error: bool) -> None:
    for need in check.needs:
        gone = Missing(**m.WHO, measurement=need, reason="it hung for 30 s", error=error)
        found = _of(check, m.evidence(gone, without=(need,)))
        assert [one.verdict for one in found] == [
            Verdict.ERROR if error else Verdict.NOT_APPLICABLE
        ]
        assert "it hung for 30 s" in found[0].message


@each
def test_a_measurement_that_nobody_speaks_of_is_an_error(check: type[AbstractCheck]) -> None:
    for need in check.needs:
        found = _of(check, m.evidence(without=(need,)))
        assert [one.verdict for one in found] == [Verdict.ERROR]


@pytest.mark.parametrize("code", ["GC401", "GC402"])
def test_a_sweep_that_crashed_is_an_error_and_one_without_scene_is_not(code: str) -> None:
    check = by_code(code)
    crashed = Missing(**m.WHO, measurement="sweep", reason="signal 11", error=True)
    assert _of(check, m.evidence(crashed, without=("sweep",)))[0].verdict is Verdict.ERROR
    none = crashed.model_copy(update={"error": False})
    assert _of(check, m.evidence(none, without=("sweep",)))[0].verdict is Verdict.PASS


def test_the_limit_that_was_used_is_the_limit_printed() -> None:
    found = judge(m.evidence())
    for finding in found:
        if finding.value is not None and finding.limit is not None:
            above = finding.code == "GC103"  # "store all" must keep more than one number a step
            assert (finding.value > finding.limit) == above, finding


def test_evidence_judged_again_from_json_gives_the_same_findings() -> None:
    evidence = m.evidence(m.agreement(gradient={"x": [float("nan"), 1.0], "p": [-0.4]}))
    again = Evidence.model_validate_json(evidence.model_dump_json())
    first = [one.model_dump_json() for one in judge(evidence)]
    assert first == [one.model_dump_json() for one in judge(again)]


def _of(check: type[AbstractCheck], evidence: Evidence) -> list[Finding]:
    return [finding for finding in judge(evidence) if finding.code == check.code]
