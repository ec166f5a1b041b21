"""GC701: versions, device, precision, seeds and settings disclosed."""

from typing import final

from gradcheck.checks.check import AbstractCheck, Limit
from gradcheck.evidence import Evidence
from gradcheck.finding import Finding, Verdict


@final
class GC701Disclosed(AbstractCheck):
    """Whatever is needed to repeat the measurement is written beside it.

    What it measures
    ----------------
    Which of these are absent: versions of the packages, the engine's own version, platform,
    Python, device, precision, profile, command, time, seed; and the scene: time step, number of
    steps, inputs and outputs.

    Why it matters
    --------------
    A gradient that agrees in one release and not in the next can only be told from a fault of
    the scene if both say what they ran.

    Failing example
    ---------------
        EngineCard(name="mine", version="")      # which one?

    Cure
    ----
    Give the card a version. The audit fills in the rest; through the Python interface pass it
    what it asks for.

    Limits
    ------
    Nothing may be absent. That it is true cannot be judged from here.

    References
    ----------
    Henderson et al., Deep Reinforcement Learning that Matters (arXiv 1709.06560).
    """

    code = "GC701"
    name = "disclosed"
    needs = ()
    title = "Versions, device, precision, seeds and settings are disclosed"
    failure_title = "Something needed to repeat the measurement is not disclosed"
    error_title = "Disclosure could not be judged"
    limit = Limit(value=0, unit="absent entries", why="each is needed to run it again")

    def judge(self, evidence: Evidence) -> list[Finding]:
        """One finding: what is absent, or what is disclosed."""
        absent = _absent(evidence)
        if absent:
            said = f"not disclosed: {', '.join(absent)}"
            return [self.finding(evidence, Verdict.FAIL, said, value=len(absent), uncertainty=0)]
        made = evidence.provenance
        said = (
            f"{evidence.engine} {evidence.card.version}, {len(made.versions)} package versions, "
            f"{made.device}, {made.precision}, seed {made.seed}, profile {made.profile}"
        )
        return [self.finding(evidence, Verdict.PASS, said, value=0, uncertainty=0)]


def _absent(evidence: Evidence) -> list[str]:
    """Names of what is not disclosed."""
    made, scene = evidence.provenance, evidence.testbed
    entries = {
        "package versions": made.versions,
        "the engine's version": evidence.card.version,
        "platform": made.platform,
        "Python": made.python,
        "device": made.device,
        "number of cores": made.cores,
        "precision": made.precision,
        "profile": made.profile,
        "command": made.command,
        "time": made.started,
        "the scene's source": scene.source,
        "inputs": scene.inputs,
        "outputs": scene.outputs,
        "number of steps": scene.steps,
    }
    return [name for name, entry in entries.items() if not entry]
