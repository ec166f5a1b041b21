"""The HTML report: one file, offline, safe against names, complete, the same every time."""

import re
from collections import Counter
from html import escape, unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from gradcheck.checklist import ITEMS
from gradcheck.engine import BadInput
from gradcheck.finding import Verdict
from gradcheck.methods import by_cell, by_reason, methods
from gradcheck.report import Report
from gradcheck.reports.html import html, render_html
from gradcheck.reports.legible import one_line
from tests.reports import hostile, sample

VOID = {"meta", "wbr", "br", "input", "link", "img", "hr"}


class Page(HTMLParser):
    """Elements with their attributes, and whether every one is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def ids(self) -> list[str]:
        return [str(one["id"]) for _, one in self.elements if "id" in one]


@pytest.fixture(scope="module")
def report() -> Report:
    return sample.report()


@pytest.fixture(scope="module")
def text(report: Report) -> str:
    return html(report)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_the_verdict_comes_first_in_words_and_shape(text: str, page: Page) -> None:
    top = text[text.index("<header>") : text.index("<nav")]
    assert "FAIL: Some gradients or claims failed" in top
    assert 'href="#v-fail"' in top
    assert "Exit code 1." in top


def test_verdicts_are_told_apart_by_word_and_shape(text: str) -> None:
    badges = re.findall(
        r'<span class="v (\w+)"><svg[^>]*><use href="#v-(\w+)"/></svg>([^<]+)</span>', text
    )
    assert {name for name, _, _ in badges} == {"pass", "warn", "fail", "error", "na", "none"}
    assert all(name == shape and word.strip() for name, shape, word in badges)


def test_nothing_is_fetched(text: str, page: Page) -> None:
    for _, attributes in page.elements:
        for name in ("src", "href", "xlink:href", "action", "data", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith("#")
    assert "@import" not in text
    assert "url(" not in text
    assert "fetch(" not in text
    assert not page.all("link")
    assert not page.all("img")
    assert not page.all("iframe")


def test_hostile_names_are_text() -> None:
    page = Page(html(sample.report(testbeds=("bounce",), rename=hostile.NAMES.__getitem__)))
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert {one["href"] for one in page.all("a") if not str(one["href"]).startswith("#")} == set()
    assert "49" not in page.text.split("{{ 7 * 7 }}")[1][:20]
    assert all(name not in one for _, one in page.elements for name in ("onerror", "onclick"))


def test_a_name_of_ten_thousand_characters_is_shown_once_in_full() -> None:
    text = html(sample.report(testbeds=("bounce",), rename=hostile.NAMES.__getitem__))
    assert text.count("A" * 10_000) == 1
    assert len(text) < 500_000


def test_identifiers_are_unique_and_every_link_leads_somewhere(page: Page) -> None:
    twice = [name for name, count in Counter(page.ids).items() if count > 1]
    assert twice == []
    links = {str(one["href"])[1:] for tag in ("a", "use") for one in page.all(tag)}
    assert links <= set(page.ids)


def test_the_same_report_gives_the_same_bytes() -> None:
    first, second = (html(sample.report(testbeds=("bounce",))) for _ in range(2))
    assert first == second


def test_headings_are_in_order(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_landmarks_are_there(page: Page) -> None:
    tags = Counter(tag for tag, _ in page.elements)
    assert tags["main"] == tags["nav"] == tags["footer"] == 1
    assert all("aria-labelledby" in one for one in page.all("section"))


def test_every_figure_is_drawn_and_described(report: Report, page: Page) -> None:
    drawn = [str(one["aria-label"]) for one in page.all("svg") if one.get("role") == "img"]
    ran = len(report.evidence)
    contact = sum(one.testbed.family == "contact" for one in report.evidence)
    titles = Counter(label.split(":")[0] for label in drawn)
    assert titles == {
        "Error over step size": ran,
        "Size over the horizon": ran,
        "Error against the physics over the time step": ran,
        "Distance to each referent over solver iterations": ran,
        "Distance to each referent over solver iterations, one step": ran,
        "Distance to each referent over the time step": ran,
        "Time over the horizon": ran,
        "Peak memory over the horizon": ran,
        "Loss through contact": contact,
        "Slope through contact": contact,
        "Slope under noise, at equal budget": contact,
    }


def test_every_item_of_the_checklist_is_there_for_every_engine(report: Report, page: Page) -> None:
    for index in range(len(report.summary.engines)):
        assert {f"e{index}-{item.id}" for item in ITEMS} <= set(page.ids)


def test_an_unmeasured_item_has_no_tick(text: str) -> None:
    row = text[text.index('id="e0-R17"') :].split('class="item"')[0]
    assert "not measured" in row
    assert "v-pass" not in row


def test_engines_stand_in_their_cells_and_the_rest_beneath(text: str) -> None:
    table = text[text.index('<table class="grid3">') :].split("</table>")[0]
    rows = table.split("<tr>")[2:]
    assert "executed computation" in rows[0]
    assert ">exact</a>" in rows[0].split("<td>")[1]
    assert ">flipped</a>" in rows[0].split("<td>")[1]
    assert "outside the table: finite differences" in table
    assert ">differences</a>" in table
    assert "not stated: referent and realization" in table
    assert ">silent</a>" in table


def test_engines_stand_where_the_measurements_put_them_too(text: str) -> None:
    table = text[text.index('<table class="grid3">') :].split("</table>")[0]
    executed = table.split("<tr>")[2].split("<td>")[1:]
    assert executed[0].count(">exact</a>") == 2
    assert "<small>observed, 1 of 2</small>" in executed[0]
    assert "<small>observed, 1 of 2</small>" in executed[1]
    assert "observed: the referent was not measured" in table


def test_published_methods_are_folded_beneath_the_engines_of_their_cell(text: str) -> None:
    grid = text[text.index('<table class="grid3">') :].split("</table>")[0]
    rows = [row.split("<td>")[1:] for row in grid.split("<tr>")[2:]]
    for cells, expected in zip(rows, by_cell(methods()), strict=False):
        for cell, some in zip(cells, expected, strict=True):
            _, _, folded = cell.partition('<details class="published">')
            shown = re.findall(r"<li>([^<]+?) ?<", folded)
            assert [unescape(name) for name in shown] == [one.name for one in some]
    beneath = grid.split("<tr>")[5:]
    for why, some in by_reason(methods()).items():
        (row,) = [one for one in beneath if f"<i>{why}</i>" in one]
        assert all(escape(one.name) in row for one in some)
    assert "open" not in re.findall(r'<details class="published"([^>]*)>', grid)


def test_every_input_has_its_row(text: str) -> None:
    part = text[text.index('id="p1-0"') :].split('id="p1-1"')[0]
    row = next(one for one in part.split("<tr>") if "position[1]</td>" in one)
    assert "\N{MINUS SIGN}1</td>" in row
    assert ">1</td>" in row
    assert "v-fail" in row
    assert "no gradient: the engine keeps masses constant" in part


def test_findings_are_located_and_can_be_reproduced(page: Page, text: str) -> None:
    assert "first bad step 32; shortest horizon 32 steps" in page.text
    assert "ratio exactly -1: a sign error in the adjoint" in page.text
    assert "# a &lt; b &amp; c" in text


def test_a_warning_is_headed_by_what_is_the_matter(page: Page, text: str) -> None:
    assert "GC401 Not so: jumps and kinks are named" in page.text
    heads = re.findall(r'<h3 id="case-.*?</h3>', text, re.DOTALL)
    assert heads
    assert not [one for one in heads if " Jumps and kinks are named" in one]


def test_evidence_of_a_finding_is_linked_the_figure_that_shows_it_first(text: str) -> None:
    part = text[text.index('<article class="finding fail"') :].split("</article>")[0]
    links = re.findall(r'Evidence: <a href="#fig-[^"]*">([^<]*)</a>', part)
    assert links == ["Error over step size"]


def test_time_is_told_by_job_and_by_measurement(page: Page, text: str) -> None:
    part = text[text.index('<section id="time"') :].split("</section>")[0]
    rows = [re.sub(r"<[^>]*>", " ", one).split() for one in part.split("<tr>")[1:]]
    assert rows[0] == ["job", "all", "agreement", "basics"]
    assert rows[1][:2] == ["all", "jobs"]
    assert rows[2] == ["exact", "on", "bounce", "0.50", "0.40", "0.10"]
    assert any("(timed" in row for row in rows)


def test_every_figure_has_its_data_to_copy(page: Page) -> None:
    figures = [one for one in page.all("svg") if one.get("role") == "img"]
    assert len(page.all("textarea")) == len(figures)
    assert all("readonly" in one and one["aria-label"] for one in page.all("textarea"))


def test_what_was_not_run_is_told(page: Page) -> None:
    assert "timed out: no answer within 30 s" in page.text
    assert "not installed: pip install" in page.text
    assert "unsupported: testbed drop is stated as Mjcf, not as Balls" in page.text


def test_points_that_are_not_finite_are_counted(page: Page) -> None:
    assert "points are not finite and cannot be drawn" in page.text


def test_a_report_of_nothing_says_so() -> None:
    empty = Report.build(provenance=sample.PROVENANCE, evidence=[], findings=[], jobs=[], checks={})
    page = Page(html(empty))
    assert "NOT MEASURED: Nothing could be measured" in page.text
    assert "Exit code 3." in page.text


def test_a_clean_report_says_pass() -> None:
    clean = sample.report(engines=("exact",), testbeds=("free_fall",))
    assert clean.summary.verdict is Verdict.PASS
    assert "PASS: Every check that applies passed" in Page(html(clean)).text


def test_a_page_that_cannot_be_written_is_refused(tmp_path: Path, report: Report) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(BadInput, match="cannot write"):
        render_html(report, tmp_path / "file" / "report.html")


def test_long_names_keep_both_ends() -> None:
    short = one_line("path/to/" + "very/" * 40 + "engine.py:MyEngine")
    assert len(short) == 48
    assert short.startswith("path/to/")
    assert short.endswith("engine.py:MyEngine")
    assert one_line("a\nb") == "a b"


KNOWN = ("code", "kind", "precision", "role")
"""Fields of one of a few words, which no file can make another. Enumerations are others."""

FREE = ("seconds", "settings", "undifferentiated", "versions")
"""Fields whose keys are anybody's words."""


def tainted(value: object, field: str = "") -> object:
    """The same data with markup at the end of every text."""
    if type(value) is str:
        return value if field in KNOWN else f"{value}<img src=x onerror=alert(1)>"
    if isinstance(value, list | tuple):
        return [tainted(one, field) for one in value]
    if isinstance(value, dict):
        return {
            tainted(key) if field in FREE else key: tainted(one, key) for key, one in value.items()
        }
    return value


def test_no_text_of_a_report_is_taken_for_markup() -> None:
    report = sample.report(("exact", "flipped", "differences"), ("bounce", "double_pendulum"))
    page = Page(html(Report.model_validate(tainted(report.model_dump()))))
    assert not page.all("img")
    for words in ("agrees to 3e-11", "no answer within 30 s", "gradcheck audit --out audit"):
        assert f"{words}<img src=x onerror=alert(1)>" in page.text
