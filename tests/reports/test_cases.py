"""What is the matter, told once, what matters most first."""

from typing import Any

from gradcheck.finding import Finding, Signature, Verdict, Where
from gradcheck.reports.cases import cases
from gradcheck.reports.pair import Numbered

FAIL, WARN = Verdict.FAIL, Verdict.WARN


def numbered(*findings: Finding) -> list[Numbered]:
    return [Numbered(f"f{at}", one) for at, one in enumerate(findings)]


def finding(code: str = "GC202", verdict: Verdict = FAIL, **more: Any) -> Finding:
    told = {"engine": "e", "testbed": "bed", "message": "wrong"} | more
    return Finding(code=code, verdict=verdict, **told)


def located(label: str, said: str, **more: Any) -> Finding:
    return finding(message=f"{label}: {said}", where=Where(label=label), **more)


def test_one_check_on_one_pair_is_one_case_the_worst_first() -> None:
    (case,) = cases(
        numbered(
            located("a", "off", value=0.1, limit=0.05, verdict=WARN),
            located("b", "off", value=2.0, limit=0.05),
            located("c", "off", value=9.0, limit=0.05),
        )
    )
    assert [one.finding.where and one.finding.where.label for one in case.lines] == ["c", "b", "a"]
    assert case.finding.verdict is FAIL


def test_other_engines_testbeds_and_checks_are_other_cases() -> None:
    made = cases(
        numbered(
            located("a", "x"),
            located("a", "x", engine="other"),
            located("a", "x", testbed="other"),
            located("a", "x", code="GC201"),
        )
    )
    assert len(made) == 4


def test_what_all_lines_end_with_is_said_once() -> None:
    end = "(closed form); it agrees with the program; no cure"
    (case,) = cases(numbered(located("a", f"error 2 {end}"), located("b", f"error 3 {end}")))
    assert [one.text for one in case.lines] == ["a: error 2", "b: error 3"]
    assert case.shared == end


def test_a_line_alone_keeps_its_words_and_equal_lines_keep_theirs() -> None:
    (case,) = cases(numbered(located("a", "error 2; it agrees")))
    assert (case.lines[0].text, case.shared) == ("a: error 2; it agrees", "")
    (case,) = cases(numbered(finding(message="same: end"), finding(message="same: end")))
    assert {one.text for one in case.lines} == {"same"}
    assert case.shared == "end"


def test_words_are_not_cut_within() -> None:
    (case,) = cases(numbered(finding(message="12 percent off"), finding(message="2 percent off")))
    assert case.shared == ""


def test_a_claim_that_is_missing_everywhere_is_one_case() -> None:
    (case,) = cases(numbered(*(finding("GC102", testbed=bed) for bed in ("one", "two", "three"))))
    assert case.testbeds == ["one", "two", "three"]
    assert len(case.lines) == 1
    assert [one.anchor for one in case.lines[0].findings] == ["f0", "f1", "f2"]


def test_a_wrong_gradient_comes_before_one_of_little_use() -> None:
    made = cases(
        numbered(
            finding("GC501", WARN),
            finding("GC601", WARN),
            finding("GC202", WARN),
            finding("GC102"),
            finding("GC204"),
        )
    )
    assert [one.finding.code for one in made] == ["GC204", "GC102", "GC202", "GC501", "GC601"]


def test_a_signature_is_of_the_case_only_where_all_lines_have_it() -> None:
    kink, flip = Signature.KINK, Signature.SIGN_FLIP
    (case,) = cases(numbered(located("a", "x", signature=kink), located("b", "x", signature=kink)))
    assert case.signature is kink
    (case,) = cases(numbered(located("a", "x", signature=kink), located("b", "x", signature=flip)))
    assert case.signature is None


def test_a_script_is_shown_once() -> None:
    (case,) = cases(numbered(finding(snippet="one"), finding(snippet="one"), finding(snippet="2")))
    assert case.snippets == ["one", "2"]
