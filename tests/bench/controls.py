"""Part (b): do right engines on scenes without a fault stay quiet, over many seeds?

A seed changes the random directions, the probed states, and the nominal inputs, which are moved
away from those of the testbed by a few per cent of a typical change: not so far that a contact
scene meets another event. `spring_tie` stays where it is, since the tie is what it is about.
"""

from collections.abc import Callable
from dataclasses import dataclass

from gradcheck.engine import AbstractEngine
from gradcheck.finding import Verdict
from gradcheck.measure import MEASUREMENTS
from tests.bench.noisy import NoisyEngine
from tests.bench.others import Said, ask
from tests.bench.pipeline import Pinned, examine, jittered, public_testbed, right_engine

JITTER = 0.05
# Times mean nothing while several controls share the machine.
KINDS = tuple(kind for kind in MEASUREMENTS if kind != "cost")
ALARMS = (Verdict.FAIL, Verdict.ERROR)


@dataclass(frozen=True)
class Control:
    """A right engine on a testbed. On a `smooth` one a warning is an alarm as well.

    `jitter` is how far the nominal inputs are moved, in typical changes.
    """

    engine: str
    testbed: str
    smooth: bool = False
    jitter: float = JITTER


CONTROLS = (
    *(
        Control(engine, testbed, smooth=True)
        for testbed in ("free_fall", "thruster")
        for engine in ("closed_form", "equations")
    ),
    # Its truth is a numerical reference, so it has no closed form.
    Control("equations", "pendulum", smooth=True),
    # Implicit Euler is 6 % off the physics here, and a warning says so.
    Control("fixed_point:unrolled", "pendulum"),
    Control("noisy", "pendulum"),
    # These differentiate no parameter of the model, and a warning says so.
    *(Control("mujoco", testbed) for testbed in ("free_fall", "pendulum", "cartpole")),
    Control("equations", "damped_chain"),
    Control("equations", "spring_tie", jitter=0.0),
    *(
        Control(engine, testbed)
        for testbed in ("bounce", "wall", "two_balls", "oblique_impact")
        for engine in ("closed_form", "particles:toi")
    ),
    Control("particles:penalty", "soft_wall"),
    *(Control("equations", testbed) for testbed in ("gap_push", "step_push", "over_the_wall")),
)

OWN: dict[str, Callable[[], AbstractEngine]] = {
    "noisy": lambda: NoisyEngine(right_engine("equations")),
}


@dataclass(frozen=True)
class Quiet:
    """One control under one seed: what was said against it, and which codes passed."""

    engine: str
    testbed: str
    seed: int
    alarms: tuple[str, ...]
    passed: tuple[str, ...]
    others: dict[str, Said]

    def __str__(self) -> str:
        told = ", ".join(one.partition(":")[0] for one in self.alarms) or "quiet"
        return f"{self.engine} on {self.testbed}, seed {self.seed}: {told}"


def control(case: Control, seed: int) -> Quiet:
    """One control, measured by everything but the cost, and judged by every check."""
    original = public_testbed(case.testbed)
    testbed = jittered(original, seed, case.jitter)
    right = OWN[case.engine]() if case.engine in OWN else right_engine(case.engine)
    engine = Pinned(right, original)
    _, findings = examine(case.engine, engine, testbed, KINDS, seed)
    bad = (*ALARMS, Verdict.WARN) if case.smooth else ALARMS
    return Quiet(
        engine=case.engine,
        testbed=case.testbed,
        seed=seed,
        alarms=tuple(
            f"{finding.code} {finding.verdict}: {finding.message}"
            for finding in findings
            if finding.verdict in bad
            and original.expected.get((case.engine, finding.code)) != finding.verdict
        ),
        passed=tuple(
            code
            for code in dict.fromkeys(finding.code for finding in findings)
            if all(f.verdict is Verdict.PASS for f in findings if f.code == code)
        ),
        others=ask(engine, testbed),
    )
