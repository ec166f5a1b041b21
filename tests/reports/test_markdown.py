"""The Markdown report: complete, within a comment's length, and no name in it is markup."""

import unicodedata
from functools import cache

import pytest

from gradcheck.report import Report
from gradcheck.reports.markdown import LIMIT, markdown
from tests.reports import hostile, sample
from tests.reports.test_github import MARKDOWN, Words

TAGS = {
    *("h2", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "strong", "em", "ul"),
    *("li", "details", "summary", "span", "br"),
}


@cache
def report() -> Report:
    return sample.report()


def test_it_says_what_the_audit_says() -> None:
    words = Words(markdown(report()))
    assert set(words.tags) <= TAGS
    assert "gradcheck: FAIL: Some gradients or claims failed" in words.text
    assert "Exit code 1." in words.text
    assert "differences of the program give -1 at every step size" in words.text
    assert "a sign error in the adjoint" in words.text
    assert "first bad step 32; shortest horizon 32 steps" in words.text
    assert "print(gradcheck.__name__)  # a < b & c" in words.code
    assert "gradcheck audit --out audit" in words.code
    assert "not installed: pip install" in words.text
    assert "Left out here" not in words.text


def test_the_table_has_every_engine_and_testbed() -> None:
    html = MARKDOWN.render(markdown(report()))
    rows = html[html.index("<table>") : html.index("</table>")].split("<tr>")[1:]
    assert len(rows) == 5
    assert all(row.count("<td>") + row.count("<th>") == 5 for row in rows)
    assert "❌ FAIL GC201" in rows[2]
    assert "⛔ ERROR timed out" in rows[3]
    assert "unsupported" in rows[3]


def test_the_same_of_one_engine_is_said_once() -> None:
    text = markdown(report())
    assert text.count("FAIL GC103") == 1
    assert "`silent`\n\n- `bounce`, `free_fall`, `double_pendulum`, `drop`: the card does" in text


def test_failures_come_before_warnings() -> None:
    text = markdown(report())
    assert 0 < text.index("**FAIL GC201") < text.index("**ERROR GC201") < text.index("**WARN GC401")


@pytest.mark.parametrize("limit", [3000, 3500, 4500, 6000, LIMIT])
def test_it_fits_and_says_what_it_left_out(limit: int) -> None:
    text = markdown(report(), limit)
    assert len(text.encode()) <= limit
    assert ("Left out here for length" in text) == (limit < LIMIT)
    if limit == 3000:
        assert "9 of 11 findings" in text
    assert text.startswith("## ❌ gradcheck: FAIL")
    assert text.count("<details>") == text.count("</details>")


def test_a_huge_audit_fits_a_comment() -> None:
    made = sample.report(testbeds=("bounce", "drop"))
    many = made.model_copy(
        update={
            "findings": [
                one.model_copy(update={"message": f"{one.message} {at} {'so ' * 90}"})
                for at in range(40)
                for one in made.findings
            ]
        }
    )
    text = markdown(many)
    assert LIMIT // 2 < len(text.encode()) <= LIMIT
    assert "Left out here for length" in text


def test_hostile_names_are_text() -> None:
    text = markdown(hostile.report())
    words = Words(text)
    assert set(words.tags) <= TAGS
    assert "<script>alert(1)</script>" in words.text
    assert "<script>alert(1)</script>" in words.code
    assert len(text.encode()) <= LIMIT
    hidden = {one for one in text if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp")}
    assert hidden <= {"\n"}
    assert hostile.LONG[:100] not in text
    html = MARKDOWN.render(text)
    for table in html.split("<table>")[1:]:
        rows = table.split("</table>")[0].split("<tr>")[1:]
        assert len({row.count("<td>") + row.count("<th>") for row in rows}) == 1


def test_a_report_of_nothing_says_so() -> None:
    empty = Report.build(provenance=sample.PROVENANCE, evidence=[], findings=[], jobs=[], checks={})
    text = markdown(empty)
    assert "NOT MEASURED: Nothing could be measured" in text
    assert "Exit code 3." in text


def test_the_same_report_gives_the_same_text() -> None:
    assert markdown(report()) == markdown(sample.report())
