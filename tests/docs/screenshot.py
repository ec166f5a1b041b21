"""Takes the picture of a report that the README shows, docs/images/report.png.

python -m tests.docs.screenshot AUDIT    (the folder of an audit; `gradcheck audit` writes one)
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image

from gradcheck.report import Report
from gradcheck.reports.html import render_html
from tests.docs.page import DOCS
from tests.reports.chromium import chromium, opened

PICTURE = DOCS / "images/report.png"
# Few colours are enough for text on plain ground, and make the file small.
COLOURS = 64


def take(audit: Path, picture: Path) -> None:
    """Draw the report of the audit in that folder, and photograph its first screen."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        render_html(Report.load(audit / "report.json"), page)
        with chromium() as browser, opened(browser, page) as seen:
            seen.page.screenshot(path=picture)
    with Image.open(picture) as taken:
        taken.convert("RGB").quantize(COLOURS).save(picture, optimize=True)


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    take(Path(sys.argv[1]), PICTURE)
