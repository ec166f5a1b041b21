"""Takes the picture of a report that the README shows, docs/images/report.png.

python -m tests.docs.screenshot AUDIT    (the folder of an audit; `gradcheck audit` writes one)
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from gradcheck.report import Report
from gradcheck.reports.html import render_html
from tests.docs.page import DOCS

PICTURE = DOCS / "images/report.png"
CHROMIUM = "/usr/bin/chromium"
SIZE = (1280, 900)
# Few colours are enough for text on plain ground, and make the file small.
COLOURS = 64


def take(audit: Path, picture: Path) -> None:
    """Draw the report of the audit in that folder, and photograph its first screen."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        render_html(Report.load(audit / "report.json"), page)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
        tab.goto(page.as_uri())
        tab.screenshot(path=picture)
        browser.close()
    with Image.open(picture) as taken:
        taken.convert("RGB").quantize(COLOURS).save(picture, optimize=True)


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    take(Path(sys.argv[1]), PICTURE)
