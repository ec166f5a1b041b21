"""The pytest plugin: one test, one audit.

    def test_pendulum(gradcheck):
        gradcheck("my_simulator.py:MySimulator", "pendulum")

The test fails with the findings' own text. With `--gradcheck-baseline FILE` it fails for what is
worse than there, so that known failures do not stand in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gradcheck.baseline import Baseline
    from gradcheck.report import Report


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, in a group of their own."""
    group = parser.getgroup("gradcheck")
    group.addoption(
        "--gradcheck-baseline",
        metavar="FILE",
        help="hold audits against this baseline: fail for what is worse than there",
    )
    group.addoption(
        "--gradcheck-profile",
        metavar="PROFILE",
        help="quick or full: how much an audit measures, where a test does not say",
    )


@pytest.fixture
def gradcheck(request: pytest.FixtureRequest, tmp_path: Path) -> Audit:
    """Audits engines on testbeds, and fails the test for what is found: see `Audit`."""
    return Audit(
        root=request.config.rootpath,
        folder=tmp_path / "gradcheck-audit",
        baseline=request.config.getoption("--gradcheck-baseline"),
        profile=request.config.getoption("--gradcheck-profile"),
    )


class Audit:
    """Audits when called. `folder` takes the reports, those of each call in one of its own;
    `root` is where gradcheck.toml is looked for."""

    def __init__(
        self, root: Path, folder: Path, baseline: str | None = None, profile: str | None = None
    ) -> None:
        self.root = root
        self.folder = folder
        self.baseline = baseline
        self.profile = profile
        self.calls = 0

    def __call__(
        self,
        engine: str | Sequence[str] = (),
        testbed: str | Sequence[str] = (),
        *,
        codes: Sequence[str] = (),
        profile: str | None = None,
        seed: int | None = None,
    ) -> Report:
        """Audit engines on testbeds and fail the test for what is found.

        engine, testbed: one or several names, as after `gradcheck audit --engine` and
        `--testbed`; left out: those of gradcheck.toml. codes: only these checks. Returns the
        report, for a test that wants to know more.
        """
        __tracebackhide__ = True
        from gradcheck import config, runner
        from gradcheck.commands.gate import hold
        from gradcheck.engine import BadInput, Unsupported

        self.calls += 1
        out = self.folder / str(self.calls)
        try:
            said = config.find(self.root)
            held = hold(Path(self.baseline), said) if self.baseline is not None else None
            asked = runner.Request(
                engines=_names(engine),
                testbeds=_names(testbed),
                codes=codes,
                profile=profile or self.profile,
                seed=seed,
                out=out,
                config=said,
                command="pytest",
            )
            report = runner.audit(asked)
        except (BadInput, Unsupported) as error:
            pytest.fail(f"gradcheck: {error}", pytrace=False)
        if held is None:
            complaint, code = _faults(report)
        else:
            from gradcheck.gate import gate

            result = gate(report, _part(held.baseline, report, codes), held.settings)
            errors = [line for line in result.lines if line.level == "error"]
            complaint = [*map(str, errors), str(result)] if result.exit_code else []
            code = next((line.code for line in errors if line.code), "")
        if complaint:
            advice = [f"cure: gradcheck explain {code}"] if code else []
            advice += [f"report, with a script that shows it again: {out / 'report.html'}"]
            pytest.fail("\n".join([*complaint, *advice]), pytrace=False)
        return report


def _names(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _faults(report: Report) -> tuple[list[str], str]:
    """What failed or could not be judged, in words, and the check to read of first; that nothing
    could be judged is a fault too."""
    from gradcheck.finding import Verdict
    from gradcheck.ranking import grouped
    from gradcheck.report import exit_code
    from gradcheck.verdicts import group_text, job_text

    if not exit_code(report):
        return [], ""
    bad = (Verdict.FAIL, Verdict.ERROR)
    groups = [one for one in grouped(report.findings) if one.first.verdict in bad]
    lost = [job_text(job) for job in report.jobs if job.status != "ok"]
    said = [*(group_text(one).plain for one in groups), *lost] or ["nothing could be measured"]
    return said, groups[0].first.code if groups else ""


def _part(baseline: Baseline, report: Report, codes: Sequence[str]) -> Baseline:
    """The baseline of what this one test audits."""
    pairs = {(job.engine, job.testbed) for job in report.jobs}
    wanted = {code.upper() for code in codes}
    return baseline.model_copy(
        update={
            "jobs": [one for one in baseline.jobs if (one.engine, one.testbed) in pairs],
            "findings": [
                one
                for one in baseline.findings
                if (one.engine, one.testbed) in pairs and (not wanted or one.code in wanted)
            ],
        }
    )
