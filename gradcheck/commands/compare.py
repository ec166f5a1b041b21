"""`gradcheck compare`."""

from pathlib import Path
from typing import Annotated

import typer

from gradcheck.commands.command import console

EXAMPLES = """
  gradcheck compare before after
  gradcheck compare main/report.json branch/report.json --label main --label branch
  gradcheck compare mine theirs --format html --format pdf --out DIR
"""


def compare(
    audits: Annotated[
        list[Path],
        typer.Argument(metavar="A B...", help="Audits: folders, or their report.json."),
    ],
    label: Annotated[
        list[str] | None,
        typer.Option(help="What to call an audit, once for each. Left out: by their folders."),
    ] = None,
    format: Annotated[
        list[str] | None,
        typer.Option(help="html, pdf, md, junit, csv or all. May be repeated. Left out: html."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of what is drawn.")] = Path("gradcheck-compare"),
    all: Annotated[bool, typer.Option("--all", help="Show every row, also equal ones.")] = False,
) -> None:
    """Put audits side by side: of several engines, or of one engine's versions.

    Shows which verdicts and values differ, and which versions, machine, seed and settings do.
    Draws one report of all audits, compare.html, and writes compare.json, from which
    `gradcheck report` draws it again. Nothing is measured. Exit code 0 says that they could be
    compared; `gradcheck gate` judges a change.
    """
    import shlex

    from gradcheck import changes, changes_table, merged
    from gradcheck.engine import BadInput
    from gradcheck.report import Report, source
    from gradcheck.reports import formats

    if len(audits) < 2:
        raise BadInput("one audit is nothing to compare: give two or more")
    wanted = formats.chosen(format or ("html",))
    names = merged.labels(audits, label or ())
    held = [
        merged.Audit(name, Report.load(source(path)))
        for name, path in zip(names, audits, strict=True)
    ]
    command = shlex.join(["gradcheck", "compare", *map(str, audits)])
    both = merged.merge(held, command)
    screen = console()
    screen.print(changes_table.render(held, changes.changes(held), merged.differences(held), all))
    both.save(out / "compare.json")
    for file in [out / "compare.json", *formats.write(both, out, wanted, stem="compare")]:
        typer.echo(f"wrote {file}")
