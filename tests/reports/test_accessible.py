"""The HTML report judged by axe-core, by all of its rules, on everything that can be unfolded."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from gradcheck.reports.html import html
from tests.reports import hostile, sample
from tests.reports.chromium import DESKTOP, PHONE, chromium, opened

SLOW = {"color-contrast-enhanced"}
"""Takes longer than all others together, and test_contrast holds the page's colours to it."""

LEAST_PASSED = 60
"""Rules that find something to judge on the page, and pass."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


def violations(browser: Browser, file: Path, width: int, scheme: str) -> list[str]:
    """What axe-core has against the page, everything on it unfolded."""
    with opened(browser, file, width, scheme) as seen:
        seen.all_open()
        axe = Axe()
        seen.page.evaluate(axe.axe_script)
        rules = seen.page.evaluate("axe.getRules().map((one) => one.ruleId)")
        # Those that are experimental or of the strictest level are off unless asked for.
        on = {rule: {"enabled": rule not in SLOW} for rule in rules}
        found = axe.run(seen.page, options={"resultTypes": ["violations"], "rules": on}).response
    assert len(found["passes"]) >= LEAST_PASSED
    return [
        f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]
    ]


@pytest.mark.parametrize(
    ("width", "scheme"), [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light")]
)
def test_a_real_report_breaks_no_rule(
    browser: Browser, audited: Path, width: int, scheme: str
) -> None:
    assert violations(browser, audited / "report.html", width, scheme) == []


def test_hostile_names_break_no_rule(browser: Browser, tmp_path: Path) -> None:
    report = sample.report(("exact", "differences"), ("free_fall",), hostile.NAMES.__getitem__)
    file = tmp_path / "report.html"
    file.write_text(html(report), encoding="utf-8")
    assert violations(browser, file, PHONE, "dark") == []


def test_a_rule_that_is_broken_is_seen(browser: Browser, tmp_path: Path) -> None:
    text = html(sample.report(("exact",), ("free_fall",)))
    file = tmp_path / "report.html"
    file.write_text(text.replace('<html lang="en">', "<html>"), encoding="utf-8")
    assert [one.split(":")[0] for one in violations(browser, file, PHONE, "light")] == [
        "html-has-lang"
    ]
