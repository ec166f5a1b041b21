"""The page's colours for text, on each of its backgrounds, at the stricter level of WCAG 2.2."""

import re

import pytest

from gradcheck.reports.html import html
from tests.reports import sample

ENOUGH = 7.0
"""Contrast of text, success criterion 1.4.6 (level AAA)."""

TEXTS = ("ink", "soft", "link", "pass", "warn", "fail", "error", "na")


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def schemes() -> list[dict[str, str]]:
    """The colours by name: light, then dark."""
    style = html(sample.report(("exact",), ("free_fall",))).split("<style>")[1].split("* {")[0]
    return [dict(re.findall(r"--(\w+): (#\w{6})", part)) for part in style.split("@media")]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_stands_out_from_every_background(
    schemes: list[dict[str, str]], scheme: int
) -> None:
    colours = schemes[scheme]
    faint = {
        (text, page): contrast(colours[text], colours[page])
        for text in TEXTS
        for page in ("page", "panel")
    }
    assert {pair: value for pair, value in faint.items() if value < ENOUGH} == {}


def test_black_on_white_is_as_the_definition_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
