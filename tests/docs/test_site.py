"""The site is built strictly, and reads nothing from elsewhere."""

import functools
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.docs.page import DOCS, ROOT
from tests.reports.chromium import PHONE, chromium

CONFIG = ROOT / ".mkdocs.yml"
# What a browser loads by itself, by tag: attribute.
LOADED = {
    "img": "src",
    "script": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
}
# Relations of <link> that name a place and load nothing.
NAMED_ONLY = {"canonical", "next", "prev"}


def build(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build the site; a warning is an error."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(site)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


class Resources(HTMLParser):
    """Collects what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One tag."""
        given = dict(attrs)
        if tag in LOADED:
            self.found += [given.get(LOADED[tag]) or ""]
        elif tag == "link" and given.get("rel") not in NAMED_ONLY:
            self.found += [given.get("href") or ""]
        self.found += re.findall(r"url\(([^)]*)\)", given.get("style") or "")


def resources(html: str) -> list[str]:
    """The addresses of what a page loads."""
    parser = Resources()
    parser.feed(html)
    return parser.found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once."""
    made = tmp_path_factory.mktemp("site")
    result = build(CONFIG, made)
    assert result.returncode == 0, result.stderr
    return made


def test_every_page_is_built(site: Path) -> None:
    sources = {
        file.relative_to(DOCS).with_suffix(".html").as_posix() for file in DOCS.rglob("*.md")
    }
    built = {file.relative_to(site).as_posix() for file in site.rglob("*.html")}
    assert built - {"404.html"} == {name.replace("README.html", "index.html") for name in sources}


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = resources(page.read_text(encoding="utf-8"))
        assert loaded, page
        for address in loaded:
            assert not re.match(r"(?:[a-z]+:)?//", address), f"{page.name} loads {address}"
            if page.name != "404.html":  # it is served at any depth, so its paths are absolute
                there = page.parent / address.partition("?")[0].partition("#")[0]
                assert address.startswith("data:") or there.exists(), f"{page.name}: {address}"


def test_style_sheets_load_nothing_from_elsewhere(site: Path) -> None:
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", sheet.read_text()), sheet


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and prints nothing of it."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def served(site: Path) -> Iterator[str]:
    """The address of the site, on this machine alone."""
    handler = functools.partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_browser_asks_for_nothing_else_and_finds_what_is_searched(served: str) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": PHONE, "height": 900})
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        for name in ("index.html", "theory.html", "checks/GC201.html"):
            page.goto(f"{served}/{name}")
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE, name
        page.set_viewport_size({"width": 1280, "height": 900})
        page.click("input.md-search__input")
        page.keyboard.type("plateau")
        page.locator(".md-search-result__item").first.wait_for()
    assert not complaints
    assert asked
    assert not [address for address in asked if not address.startswith(f"{served}/")]


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("[gone](gone.md)", "gone.md"),
        ("[no such heading](index.md#gone)", "#gone"),
        ("[outside](../pyproject.toml)", "pyproject.toml"),
        ("[absolute](/index.md)", "absolute link"),
    ],
)
def test_a_broken_link_fails(page: str, complaint: str, tmp_path: Path) -> None:
    result = made_up(tmp_path, page)
    assert result.returncode != 0
    assert complaint in result.stderr


def test_a_page_outside_of_the_navigation_fails(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/forgotten.md").write_text("# Forgotten\n")
    result = made_up(tmp_path, "text")
    assert result.returncode != 0
    assert "forgotten.md" in result.stderr


def made_up(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """The result of building one page under our own settings."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs/index.md").write_text(f"# Title\n\n{text}\n")
    settings = CONFIG.read_text().partition("\nnav:")[0]
    (folder / "mkdocs.yml").write_text(f"{settings}\nnav:\n  - index.md\n")
    return build(folder / "mkdocs.yml", folder / "site")


@pytest.mark.parametrize(
    ("html", "loaded"),
    [
        ('<script src="https://example.org/a.js"></script>', ["https://example.org/a.js"]),
        ('<link rel="stylesheet" href="//example.org/a.css">', ["//example.org/a.css"]),
        ('<p style="background: url(http://a/b.png)">', ["http://a/b.png"]),
        ('<a href="https://example.org">', []),
        ('<link rel="canonical" href="https://example.org">', []),
    ],
)
def test_resources_are_seen(html: str, loaded: list[str]) -> None:
    assert resources(html) == loaded
