"""How long the audit took: by job and by what was measured."""

from dataclasses import dataclass

from gradcheck.report import Job, Report


@dataclass(frozen=True)
class Timing:
    """Seconds. `rows`: jobs, the longest first, each with its sum; `kinds`: what was measured, the
    longest first, each with its sum over all jobs; `total` is of everything."""

    rows: tuple[tuple[Job, float], ...]
    kinds: tuple[tuple[str, float], ...]
    total: float


def timing(report: Report) -> Timing:
    """The times that the jobs tell."""
    sums = [(job, sum(job.seconds.values())) for job in report.jobs]
    kinds: dict[str, float] = {}
    for job in report.jobs:
        for kind, seconds in job.seconds.items():
            kinds[kind] = kinds.get(kind, 0.0) + seconds
    return Timing(
        rows=tuple(sorted(sums, key=lambda one: -one[1])),
        kinds=tuple(sorted(kinds.items(), key=lambda one: -one[1])),
        total=sum(kinds.values()),
    )
