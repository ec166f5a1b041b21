"""The report as a PDF that one can attach to a paper: typeset by typst, with its own fonts.

The template is fixed. All that an audit says reaches it as JSON and is set as text, so that
nothing in a name is ever markup. No network, no package and no font of the machine is used, so
the same report gives the same bytes.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from gradcheck.report import Report
from gradcheck.reports.document import FONT, document

if TYPE_CHECKING:
    import typst

TEMPLATE = Path(__file__).parent / "templates" / "report.typ"


def pdf(report: Report) -> bytes:
    """The report as a PDF file."""
    made = compiler(report).compile(format="pdf")
    assert isinstance(made, bytes)
    return made


def compiler(report: Report) -> "typst.Compiler":
    """Typst with the template and this report's data."""
    import typst

    return typst.Compiler(
        TEMPLATE,
        ignore_system_fonts=True,
        sys_inputs={"data": json.dumps(document(report), ensure_ascii=False), "font": FONT},
    )
