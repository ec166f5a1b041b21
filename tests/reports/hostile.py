"""A made-up audit in which every text that comes from outside tries to break what holds it."""

import json
from collections.abc import Sequence
from typing import Any

from gradcheck.report import Report
from tests.reports import sample

NASTY = (
    "<script>alert(1)</script>\r\n\u202eright\x00\x07\x1b[31m\ufffe| `a` ```b``` ~~~ #eval(1) $x$ "
    "*b* _c_ @user #12 [x](http://evil.example) ![i](//evil.example/i) ]]> --> www.evil.example "
    "{{ 7 * 7 }} ${x} \\ </details> \u2028"
)
FORMULA = "=cmd|' /C calc'!A0"
LONG = "A" * 10_000
ENGINES = {"exact": NASTY, "flipped": LONG, "differences": FORMULA, "silent": "two\nlines"}

NAMES = {
    "exact": "<script>alert(1)</script>\n\"'><img src=x onerror=alert(2)>",
    "flipped": "A" * 10_000,
    "differences": "two\nlines {{ 7 * 7 }} & ${x} \u202etxt.exe\u200b\x07",
    "silent": "--></style></svg><a href=javascript:alert(3)>",
}
"""Engines of a page: they try to run, to leave their place, to turn text round, to fill it."""

# Words of the schema itself, which no engine can choose.
OURS = {
    *("verdict", "code", "kind", "status", "signature", "referent", "realization", "retention"),
    *("contact", "role", "family", "abilities", "knobs", "measurement", "precision", "setting"),
}


def report(testbeds: Sequence[str] = ("bounce", "drop")) -> Report:
    """Engines with hostile names; all other texts carry something hostile at their end."""
    made = sample.report(testbeds=testbeds, rename=ENGINES.__getitem__)
    return Report.model_validate(_foul(made.model_dump(mode="json")))


def _foul(data: Any, key: str = "") -> Any:
    if isinstance(data, dict):
        outside = key in ("versions", "settings", "at")
        return {
            (name + NASTY if outside else name): _foul(value, name) for name, value in data.items()
        }
    if isinstance(data, list):
        return [_foul(one, key) for one in data]
    if isinstance(data, str) and key not in OURS | {"engine", "engines", "checks"}:
        try:
            json.loads(data.replace("Infinity", "0").replace("NaN", "0"))
        except ValueError:
            return data + NASTY
    return data
