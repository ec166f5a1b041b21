"""The PDF: complete, the same every time, offline, and no name in it is markup."""

import io
import re
from functools import cache
from pathlib import Path

import pytest
from pypdf import PdfReader

from gradcheck.checklist import ITEMS
from gradcheck.report import Report
from gradcheck.reports import document as documents
from gradcheck.reports.document import JOINTS, document
from gradcheck.reports.pdf import TEMPLATE, compiler, pdf
from tests.reports import hostile, sample

BREAK = "\N{ZERO WIDTH SPACE}"


@cache
def report() -> Report:
    return sample.report(testbeds=("bounce", "double_pendulum"))


@cache
def drawn() -> bytes:
    return pdf(report())


@cache
def texts(content: bytes, most: int | None = None) -> list[str]:
    """The words of each page."""
    pages = PdfReader(io.BytesIO(content)).pages[:most]
    return [" ".join(page.extract_text().replace(BREAK, "").split()) for page in pages]


def text(content: bytes, most: int | None = None) -> str:
    return " ".join(texts(content, most))


def test_it_says_what_the_audit_says() -> None:
    said = text(drawn())
    assert "FAIL: Some gradients or claims failed" in said
    assert "4 engines on 2 testbeds" in said
    assert "differences of the program give -1 at every step size" in said
    assert "ratio exactly -1: a sign error in the adjoint" in said
    assert "first bad step 32; shortest horizon 32 steps" in said
    assert "print(gradcheck.__name__)  # a < b & c".replace("  ", " ") in said
    assert "timed out: no answer within 30 s" in said
    assert "not installed: pip install 'gradcheck[newton]'" in said
    assert "gradcheck audit --out audit" in said
    assert "outside the table: finite differences" in said
    for item in ITEMS:
        assert said.count(item.question[:30]) >= 4


def test_pages_are_numbered_and_of_a4() -> None:
    pages = texts(drawn())
    assert 8 < len(pages) < 40
    for number, page in enumerate(pages, 1):
        assert f"{number} of {len(pages)}" in page
        assert "Gradient audit by gradcheck, version 0.1.0" in page
    for sheet in PdfReader(io.BytesIO(drawn())).pages:
        assert [round(float(one)) for one in sheet.mediabox[2:]] == [595, 842]


def test_the_outline_names_the_sections() -> None:
    outline = PdfReader(io.BytesIO(drawn())).outline
    titles = [one.title for one in outline if not isinstance(one, list)]
    assert [re.sub(r"^\d+ ", "", str(one)) for one in titles] == [
        "Summary",
        "What is differentiated, and how",
        "Findings that call for attention",
        "Reporting checklist",
        "Figures",
        "What was not run",
        "Provenance",
        "Words",
    ]


def test_figures_are_there_with_words_for_those_who_cannot_see_them() -> None:
    made = document(report())
    assert made["figures_shown"] == documents.MOST_FIGURES < made["figures_total"]
    plots = [plot for pair in made["figures"] for plot in pair["plots"]]
    assert {plot["key"] for plot in plots} == set(made["svg"])
    assert all(plot["description"] and plot["caption"] for plot in plots)
    assert f"24 of {made['figures_total']} figures" in text(drawn())


def test_it_is_fit_for_a_screen_reader() -> None:
    """Headings, tables, alternative texts and the language, as PDF/UA-1 asks."""
    made = compiler(sample.report(engines=("flipped",), testbeds=("bounce",)))
    assert made.compile(format="pdf", pdf_standards=["ua-1"])


def test_the_same_report_gives_the_same_bytes() -> None:
    assert pdf(report()) == drawn()
    assert b"/CreationDate" not in drawn()


def test_only_fonts_that_typst_carries_are_used_and_all_are_embedded() -> None:
    names = set()
    for page in PdfReader(io.BytesIO(drawn())).pages:
        for font in page["/Resources"]["/Font"].values():  # type: ignore[index]
            inner = font.get_object()["/DescendantFonts"][0].get_object()
            names.add(str(inner["/BaseFont"]).split("+")[1].split("-")[0])
            assert any(key.startswith("/FontFile") for key in inner["/FontDescriptor"].get_object())
    assert names <= {"LibertinusSerif", "DejaVuSansMono"}


def test_hostile_names_are_text() -> None:
    made = compiler(hostile.report(testbeds=("bounce",)))
    content, warnings = made.compile_with_warnings(format="pdf")
    assert warnings == []
    assert isinstance(content, bytes)
    said = text(content, 4)
    assert "<script>alert(1)</script>" in said
    assert "#eval(1) $x$ *b* _c_ @user #12" in said
    assert "⟨U+202E⟩right⟨U+0000⟩" in said
    assert hostile.LONG[:100] not in said
    reader = PdfReader(io.BytesIO(content))
    for page in reader.pages:
        for note in page.get("/Annots", ()):
            assert "/URI" not in str(note.get_object())
    assert b"/JavaScript" not in content


def test_the_template_holds_nothing_of_a_report() -> None:
    """All of it comes by one JSON value, whose strings typst never reads as markup."""
    source = TEMPLATE.read_text()
    assert "eval(" not in source
    assert "mode:" not in source
    assert 'read("' not in source
    assert '#import "@' not in source


def test_long_words_can_be_broken_and_code_is_left_whole() -> None:
    assert JOINTS.sub(BREAK, "A" * 60).count(BREAK) == 36
    assert JOINTS.sub(BREAK, "oblique_impact") == f"oblique_{BREAK}impact"
    made = document(sample.report(engines=("flipped",), testbeds=("bounce",)))
    entry = made["findings"][0]["entries"][0]
    assert entry["snippet"]["code"] == "import gradcheck\n\nprint(gradcheck.__name__)  # a < b & c"


def test_a_report_of_nothing_says_so() -> None:
    empty = Report.build(provenance=sample.PROVENANCE, evidence=[], findings=[], jobs=[], checks={})
    said = text(pdf(empty))
    assert "NOT MEASURED: Nothing could be measured" in said
    assert "No finding calls for attention" in said
    assert "There is nothing to draw" in said


def test_many_testbeds_are_put_in_several_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_FIGURES", 0)
    names = tuple(f"bed{at}" for at in range(15))
    many = sample.report(engines=("exact",), testbeds=names)
    tables = document(many)["matrices"]
    assert [len(one["columns"]) for one in tables] == [5, 5, 5]
    assert [name for one in tables for name in one["columns"]] == list(names)


def test_findings_beyond_the_most_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_FIGURES", 0)
    monkeypatch.setattr(documents, "MOST_FINDINGS", 3)
    made = document(sample.report(testbeds=("bounce",)))
    shown = sum(len(one["entries"]) for one in made["findings"])
    assert shown == made["findings_shown"] == 3 < made["findings_total"]


def test_the_template_is_in_the_package() -> None:
    assert Path(TEMPLATE).is_file()
