"""The HTML report as a browser shows it: quiet, whole, narrow where it must be, and handy."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from gradcheck.artifact import SweepResult
from gradcheck.report import Report
from gradcheck.reports.html import html
from gradcheck.reports.wording import ATTENTION
from tests.reports import hostile, sample
from tests.reports.chromium import DESKTOP, PHONE, Opened, chromium, opened

MADE_UP = sample.report(("flipped", "silent"), ("bounce", "drop"))

PAPER = 718
"""A4 between the margins that browsers leave, in CSS pixels."""

PAGES = ["real", "made up", "hostile"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture(scope="module")
def files(audited: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {
        "made up": MADE_UP,
        "hostile": sample.report(testbeds=("bounce",), rename=hostile.NAMES.__getitem__),
    }
    for name, report in made.items():
        (folder / f"{name}.html").write_text(html(report), encoding="utf-8")
    return {"real": audited / "report.html"} | {one: folder / f"{one}.html" for one in made}


@pytest.mark.parametrize("which", PAGES)
def test_a_page_asks_for_nothing_and_complains_of_nothing(
    browser: Browser, files: dict[str, Path], which: str
) -> None:
    with opened(browser, files[which]) as seen:
        seen.all_open()
        for button in seen.page.query_selector_all(".copy")[:3]:
            button.click()
        seen.page.wait_for_timeout(200)
        assert seen.requests == [files[which].as_uri()]
        assert seen.complaints == []


FIGURES = """() => [...document.querySelectorAll("figure > svg")].map((svg) => {
  const outer = svg.getBoundingClientRect();
  const page = getComputedStyle(document.body).backgroundColor;
  const beyond = [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < outer.left - 1 || box.right > outer.right + 1
      || box.top < outer.top - 1 || box.bottom > outer.bottom + 1;
  });
  const inks = [...svg.querySelectorAll("path, use, text")]
    .map((one) => getComputedStyle(one))
    .flatMap((one) => [one.stroke, one.fill])
    .filter((one) => one !== "none");
  return {
    label: svg.closest("figure").id,
    box: [outer.left, outer.width, outer.height],
    beyond: beyond.map((text) => text.textContent),
    lines: svg.querySelectorAll("path, use").length,
    hidden: inks.every((ink) => ink === page),
  };
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("which", "width"), [("real", DESKTOP), ("hostile", PHONE)])
def test_every_figure_is_visible_and_not_clipped(
    browser: Browser, files: dict[str, Path], which: str, width: int, scheme: str
) -> None:
    with opened(browser, files[which], width, scheme) as seen:
        seen.all_open()
        figures = seen.page.evaluate(FIGURES)
        assert len(figures) >= 10
        for one in figures:
            left, across, up = one["box"]
            assert left >= 0, one
            assert 250 <= across <= width - left, one
            assert up >= 150, one
            assert one["beyond"] == [], one
            assert one["lines"] >= 3, one
            assert not one["hidden"], one


def test_dark_is_dark(browser: Browser, files: dict[str, Path]) -> None:
    shades = []
    for scheme in ("light", "dark"):
        with opened(browser, files["real"], scheme=scheme) as seen:
            colours = seen.page.evaluate(
                "['backgroundColor', 'color'].map((one) => getComputedStyle(document.body)[one])"
            )
            shades.append([sum(map(int, one[4:-1].split(","))) for one in colours])
    (light_page, light_ink), (dark_page, dark_ink) = shades
    assert light_page > light_ink
    assert dark_page < dark_ink


BEYOND = """(width) => [...document.querySelectorAll("body *")]
  .filter((one) => !one.closest(".scroll, pre, textarea, nav, .unseen"))
  .filter((one) => one.getBoundingClientRect().right > width + 1)
  .map((one) => `${one.tagName} ${one.textContent.trim().slice(0, 40)}`)"""
SMALL = """() => [...document.querySelectorAll("button, select, summary, nav a, .filter label")]
  .filter((one) => one.getClientRects().length)
  .filter((one) => one.getBoundingClientRect().height < 24)
  .map((one) => `${one.tagName} ${one.textContent.trim().slice(0, 40)}`)"""


@pytest.mark.parametrize("which", PAGES)
def test_a_phone_shows_all_without_scrolling_sideways(
    browser: Browser, files: dict[str, Path], which: str
) -> None:
    with opened(browser, files[which], PHONE) as seen:
        seen.all_open()
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= PHONE
        assert seen.page.evaluate(BEYOND, PHONE) == []
        assert seen.page.evaluate(SMALL) == []


def shown(page: Page, attribute: str) -> set[str]:
    """Values of a data attribute of the findings that can be seen."""
    return set(
        page.evaluate(
            """(name) => [...document.querySelectorAll("[data-verdict]")]
              .filter((one) => one.checkVisibility()).map((one) => one.dataset[name])""",
            attribute,
        )
    )


def counted(page: Page) -> int:
    """How many findings the page says that it shows."""
    status = page.get_by_role("status").filter(has_text="findings shown")
    return int(status.inner_text().split()[0])


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_findings_are_filtered_by_verdict_engine_and_family(
    browser: Browser, files: dict[str, Path], width: int
) -> None:
    with opened(browser, files["made up"], width) as seen:
        page = seen.page
        before = counted(page)
        assert before == sum(one.verdict in ATTENTION for one in MADE_UP.findings)
        assert shown(page, "verdict") == {"fail", "error", "warn"}
        page.get_by_role("checkbox", name="WARN").uncheck()
        assert shown(page, "verdict") == {"fail", "error"}
        assert 0 < counted(page) < before
        page.get_by_role("combobox", name="Engine").select_option(label="silent")
        assert len(shown(page, "engine")) == 1
        assert shown(page, "family") == {"GC1"}
        page.get_by_role("combobox", name="Family of check").select_option("GC2")
        assert shown(page, "verdict") == set()
        assert counted(page) == 0
        assert not any(one.is_visible() for one in page.query_selector_all("article.finding"))
        page.get_by_role("checkbox", name="PASS").check()
        assert shown(page, "verdict") == {"pass"}
        page.get_by_role("button", name="Reset").click()
        expect(page.locator("[data-verdict=warn]").first).to_be_visible()
        assert counted(page) == before
        assert shown(page, "verdict") == {"fail", "error", "warn"}


def test_the_filter_works_by_keyboard(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["made up"]) as seen:
        page = seen.page
        page.get_by_role("checkbox", name="FAIL").focus()
        page.keyboard.press("Space")
        assert "fail" not in shown(page, "verdict")
        page.get_by_role("combobox", name="Engine").focus()
        page.keyboard.press("ArrowDown")
        assert shown(page, "engine") == {"e0"}


def test_a_link_shows_what_the_filter_has_hidden(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["real"]) as seen:
        page = seen.page
        passed = page.locator("#rest [data-verdict=pass]").first
        assert not passed.is_visible()
        anchor = passed.get_attribute("id")
        page.locator(f"#t0 .matrix a[href='#{anchor}']").click()
        assert passed.is_visible()
        assert passed.evaluate("(one) => one.getBoundingClientRect().top") < 900


def test_the_evidence_of_an_item_is_one_click_away(
    browser: Browser, files: dict[str, Path]
) -> None:
    with opened(browser, files["real"]) as seen:
        page = seen.page
        page.evaluate("document.getElementById('e1-list').open = true")
        page.locator("#e1-R11").get_by_role("link", name="figure").first.click()
        target = page.locator(page.evaluate("location.hash"))
        assert target.locator("svg").is_visible()
        assert 0 <= target.evaluate("(one) => one.getBoundingClientRect().top") < 900


@pytest.fixture
def sweep(audited: Path) -> SweepResult:
    evidence = Report.load(audited / "report.json").evidence
    found = next(one for one in evidence if one.engine == "particles:ideal").get(SweepResult)
    assert found is not None
    return found


def copied(seen: Opened, title: str) -> str:
    """Press the button that copies the data of the last figure with that title."""
    seen.page.evaluate("for (const one of document.querySelectorAll('.fold')) one.open = true")
    button = seen.page.get_by_role("button", name=f"Copy data: Data of {title}").last
    button.click()
    expect(seen.page.locator("#told")).to_have_text(
        re.compile(r"^(Copied|Selected: press Ctrl\+C)$")
    )
    return seen.page.locator("#told").inner_text()


def test_the_data_of_a_figure_are_copied(
    browser: Browser, files: dict[str, Path], sweep: SweepResult
) -> None:
    with opened(browser, files["real"]) as seen:
        seen.context.grant_permissions(["clipboard-read", "clipboard-write"])
        assert copied(seen, "Loss through contact") == "Copied"
        text = seen.page.evaluate("navigator.clipboard.readText()")
    head, *rows = (line.split("\t") for line in text.splitlines())
    assert head == ["series", sweep.label, "loss"]
    assert [(float(x), float(y)) for _, x, y in rows] == list(
        zip(sweep.points, sweep.values, strict=True)
    )


def test_where_the_clipboard_is_refused_the_data_are_selected(
    browser: Browser, files: dict[str, Path]
) -> None:
    with opened(browser, files["real"]) as seen:
        session = seen.context.new_cdp_session(seen.page)
        context = session.send("Target.getTargetInfo")["targetInfo"]["browserContextId"]
        denied = {"permission": {"name": "clipboard-write"}, "setting": "denied"}
        session.send("Browser.setPermission", denied | {"browserContextId": context})
        assert copied(seen, "Loss through contact").startswith("Selected")
        focused = "document.activeElement"
        text = seen.page.evaluate(f"{focused}.value")
        assert text.startswith("series\t")
        assert seen.page.evaluate(f"{focused}.selectionEnd - {focused}.selectionStart") == len(text)


def test_the_script_that_reproduces_a_finding_is_copied(
    browser: Browser, files: dict[str, Path], audited: Path
) -> None:
    snippets = {one.snippet for one in Report.load(audited / "report.json").findings}
    with opened(browser, files["real"]) as seen:
        seen.context.grant_permissions(["clipboard-read", "clipboard-write"])
        seen.page.locator("article.finding summary", has_text="reproduce").first.click()
        seen.page.locator("article.finding .copy").first.click()
        expect(seen.page.locator("#told")).to_have_text("Copied")
        assert seen.page.evaluate("navigator.clipboard.readText()") in snippets


WATCH = """() => {
  const things = [...document.querySelectorAll(
    "a[href], button, input, select, summary, textarea, [tabindex='0']")]
    .filter((one) => one.checkVisibility());
  window.reached = [];
  addEventListener("focusin", ({target}) => {
    const {outlineStyle, outlineWidth} = getComputedStyle(target);
    const outlined = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    window.reached.push([things.indexOf(target), outlined]);
  });
  return things.length;
}"""


def test_tab_reaches_everything_and_shows_where_it_is(
    browser: Browser, files: dict[str, Path]
) -> None:
    with opened(browser, files["real"]) as seen:
        page = seen.page
        total = page.evaluate(WATCH)
        for _ in range(total):
            page.keyboard.press("Tab")
        assert page.evaluate("window.reached") == [[place, True] for place in range(total)]


def test_the_first_tab_skips_to_the_report(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["real"]) as seen:
        seen.page.keyboard.press("Tab")
        skip = seen.page.get_by_role("link", name="Skip to the report")
        box = skip.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        seen.page.keyboard.press("Enter")
        assert seen.page.evaluate("location.hash") == "#main"


def test_without_scripts_everything_can_be_read(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["made up"], java_script_enabled=False) as seen:
        page = seen.page
        assert not page.locator(".filter").is_visible()
        findings = page.locator("article.finding")
        assert findings.count() > 0
        assert all(one.is_visible() for one in findings.all())
        bed = page.locator("details#t0")
        bed.locator("summary").first.click()
        assert bed.locator("figure svg").first.is_visible()
        bed.locator("figure summary").first.click()
        assert bed.locator("textarea").first.is_visible()


def test_paper_shows_what_is_folded(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["real"], PAPER) as seen:
        page = seen.page
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= PAPER
        assert page.locator("figure svg").first.is_visible()
        assert not page.locator("nav").is_visible()
        assert not page.locator(".filter").is_visible()


def test_hostile_names_stay_text(browser: Browser, files: dict[str, Path]) -> None:
    with opened(browser, files["hostile"]) as seen:
        seen.all_open()
        text = seen.page.evaluate("document.documentElement.textContent")
        assert "<script>alert(1)</script>" in text
        assert "⟨U+202E⟩" in text
        assert not {"\u202e", "\u200b", "\x07"} & set(text)
        assert seen.page.locator("img, a[href^=javascript]").count() == 0


@pytest.mark.parametrize("reduce", ["reduce", "no-preference"])
def test_nothing_moves(browser: Browser, files: dict[str, Path], reduce: str) -> None:
    with opened(browser, files["real"], reduced_motion=reduce) as seen:
        moving = seen.page.evaluate(
            """() => [...document.querySelectorAll("*")].map((one) => getComputedStyle(one))
              .filter((one) => one.animationName !== "none"
                || one.transitionDuration !== "0s" || one.scrollBehavior !== "auto").length"""
        )
        assert moving == 0
