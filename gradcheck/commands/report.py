"""`gradcheck report`."""

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """
  gradcheck report gradcheck-audit
  gradcheck report gradcheck-audit --format pdf
  gradcheck report ci/report.json --format md --format junit --out reports
"""


def report(
    source: Annotated[
        Path, typer.Argument(metavar="DIR|report.json", help="An audit: its folder, or its JSON.")
    ],
    format: Annotated[
        list[str] | None,
        typer.Option(
            help="html, pdf, md, junit, csv or all. May be repeated. Left out: all but pdf."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of what is drawn. Left out: that of the audit.")
    ] = None,
) -> None:
    """Draw the report of an audit again, without running any engine.

    html: one page for a browser. pdf: for a paper's supplement. md: for a pull request's comment
    or a CI step's summary. junit: for CI systems. csv: the findings, one a row. Exit code 0 says
    that it was drawn; what was found is judged by `gradcheck audit`.
    """
    from gradcheck import report as made
    from gradcheck.reports import formats

    wanted = formats.chosen(format or formats.DEFAULT)
    file = made.source(source)
    written = formats.write(made.Report.load(file), out or file.parent, wanted)
    for one in written:
        typer.echo(f"wrote {one}")
