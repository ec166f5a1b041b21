"""The formats that a report is drawn in: one table, whose libraries load only when drawn."""

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gradcheck import whole_file
from gradcheck.engine import BadInput
from gradcheck.report import Report


@dataclass(frozen=True)
class Format:
    """The file's name, and where the function from a report to its content is found."""

    file: str
    function: str

    def draw(self, report: Report) -> str | bytes:
        """The file's content."""
        function = pkgutil.resolve_name(self.function)
        return cast(Callable[[Report], str | bytes], function)(report)


FORMATS = {
    "html": Format("report.html", "gradcheck.reports.html:html"),
    "pdf": Format("report.pdf", "gradcheck.reports.pdf:pdf"),
    "md": Format("report.md", "gradcheck.reports.markdown:markdown"),
    "junit": Format("junit.xml", "gradcheck.reports.junit:junit"),
    "csv": Format("findings.csv", "gradcheck.reports.findings_csv:findings_csv"),
}
ALL = "all"
DEFAULT = ("html", "md", "junit", "csv")
"""What an audit writes unasked: all that is quick to draw."""


def chosen(names: Iterable[str]) -> tuple[str, ...]:
    """The formats of those names, each once; "all" stands for every one. Raises `BadInput`."""
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in FORMATS and name != ALL:
            raise BadInput(f"unknown format '{name}'; there are {', '.join(FORMATS)} and {ALL}")
    return tuple(FORMATS) if ALL in wanted else tuple(wanted)


def write(
    report: Report, out: Path, formats: Iterable[str] = DEFAULT, stem: str = "report"
) -> list[Path]:
    """Draw the report into the folder `out`; the files written. Raises `BadInput`.

    stem: the name of those files that are called report.
    """
    written = []
    for name in chosen(formats):
        made = FORMATS[name]
        file = out / made.file.replace("report.", f"{stem}.")
        whole_file.write(file, made.draw(report))
        written.append(file)
    return written
