"""Pages opened in the Chromium of this machine, and everything that went wrong on the way."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = [
    "--no-sandbox",  # the tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP, PHONE = 1280, 375


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser with a profile of its own. Skips where none is installed; fails in CI."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        said = f"no Chromium is installed (looked for {', '.join(NAMES)})"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Opened:
    """A page, what it asked for, and what it complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def context(self) -> BrowserContext:
        return self.page.context

    def all_open(self) -> None:
        """Open everything that is folded, and show every verdict."""
        self.page.evaluate(
            """() => {
              for (const box of document.querySelectorAll(".filter input")) box.checked = true;
              document.querySelector(".filter")?.dispatchEvent(new Event("input"));
              for (const one of document.querySelectorAll("details")) one.open = true;
            }"""
        )


@contextmanager
def opened(
    browser: Browser, file: Path, width: int = DESKTOP, scheme: Any = "light", **more: Any
) -> Iterator[Opened]:
    """The file in a window of that width."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, **more
    )
    try:
        page = context.new_page()
        seen = Opened(page)

        def refuse(dialog: Any) -> None:
            seen.complaints.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        context.on("request", lambda request: seen.requests.append(request.url))
        page.on("console", lambda message: seen.complaints.append(message.text))
        page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        page.on("dialog", refuse)
        page.goto(file.as_uri())
        yield seen
    finally:
        context.close()
