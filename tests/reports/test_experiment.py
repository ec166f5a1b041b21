"""The page of an experiment: its answer first, whole and quiet in a browser, narrow as a phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from gradcheck.reports.cells import page as page_of
from gradcheck.reports.experiment import html, write
from gradcheck.taxonomy import Retention
from tests.experiments.rows import failed, found, row
from tests.reports.chromium import DESKTOP, PHONE, chromium, opened

LONG = "spring_chain:continuous-generated"
MADE = found(
    *(
        row(f"{LONG}{place}", 10.0 ** -(3 * place), 2000.0 / (1 + place), steps=steps)
        for place in range(4)
        for steps in (16, 64)
    ),
    row("lean", 1e-12, 40.0, retention=Retention.CHECKPOINT, keep="sqrt"),
    row("lean", 1e-12, 120.0, retention=Retention.CHECKPOINT, keep="sqrt", iterations=9),
    failed("<b>broken</b>", "the adjoint ODE solved backward blew up: max_steps reached " * 3),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


def test_answer_front_figures_rows_in_this_order() -> None:
    page = html(page_of(MADE))
    places = [
        page.index(text)
        for text in (
            "Against the executed computation (k = 3, T = 16): yes.",
            "Beaten by no other",
            "<svg",
            "<h2>All rows</h2>",
            "How it was measured",
            MADE.command,
        )
    ]
    assert places == sorted(places)
    assert "<b>broken</b>" not in page
    assert page == html(page_of(MADE))


def test_of_nothing_there_is_a_page() -> None:
    page = html(page_of(found()))
    assert "nothing could be measured" in page
    assert "<svg" not in page


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_a_browser_shows_it_whole(browser: Browser, tmp_path: Path, width: int) -> None:
    file = tmp_path / "cells.html"
    write(page_of(MADE), file)
    with opened(browser, file, width) as seen:
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        # What is wider than the page scrolls in its own frame, and can be reached by keys.
        wide = seen.page.locator(".scroll")
        assert wide.count() == 2
        assert all(wide.nth(at).get_attribute("tabindex") == "0" for at in range(2))
        assert seen.page.locator("figure svg").count() == 2 + 2 + 4
        assert seen.requests == [file.as_uri()]
        assert seen.complaints == []
