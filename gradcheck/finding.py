"""What a check concludes."""

from enum import StrEnum

from gradcheck.record import Record


class Verdict(StrEnum):
    """The outcome of one check. ERROR is never a pass."""

    PASS = "PASS"
    WARN = "WARN"
    FAIL = "FAIL"
    ERROR = "ERROR"
    NOT_APPLICABLE = "N/A"


# A fault that was seen outranks one that could not be judged; neither is ever a pass.
WORST_FIRST: tuple[Verdict, ...] = (
    Verdict.FAIL,
    Verdict.ERROR,
    Verdict.WARN,
    Verdict.PASS,
    Verdict.NOT_APPLICABLE,
)


class Signature(StrEnum):
    """Patterns of a wrong or missing gradient that findings name when they see them."""

    LOST_DEPENDENCY = "exact zero while the output moves: a lost dependency"
    IGNORED_INPUT = "exact zero and the output does not move: ignored, or out of contact"
    SIGN_FLIP = "ratio exactly -1: a sign error in the adjoint"
    POWER_OF_TWO = "ratio exactly a power of two: a factor in the adjoint"
    TIME_STEP_FACTOR = "ratio exactly dt or 1/dt: a time-step factor in the adjoint"
    PLATEAU = "error constant over step sizes: a wrong gradient"
    NOISE = "error grows as 1/step: noise or a jump, not a wrong gradient"
    KINK = "left and right slopes stay apart: a kink"
    TIME_DISCRETISATION = (
        "small steps agree, large steps differ and are stable: time discretisation, "
        "no time of impact"
    )
    STALE_STATE = "one step passes and many fail: a stale or overwritten state"
    PRECISION = "float32 fails where float64 passes: precision"
    FROZEN_NORMAL = "normal direction right, tangential wrong: a frozen contact normal"
    QUATERNION = "a gradient along the quaternion itself: a missing projection"
    FORWARD_CHANGED = "the forward result changes when gradients are requested"


class Where(Record):
    """The located minimum of a failure. Absent entries were not needed or could not be told."""

    first_bad_step: int | None = None
    shortest_horizon: int | None = None
    input: str | None = None
    coordinate: int | None = None
    label: str | None = None
    at: dict[str, list[float]] | None = None


class Finding(Record):
    """One verdict of one check on one engine and testbed.

    subject: what tells it from the check's other findings on that engine and testbed, and is the
    same in every run: an input or a coordinate; empty where the check speaks of the whole. `input`
    may change with the verdict, as where the worst of all inputs is named; `subject` may not.

    value: what is held against `limit`. The larger the worse, for every check.

    uncertainty: how much `value` may change, in its own unit, when the same program is measured
    again, here or on another machine, as the run itself recorded it: the uncertainty of the
    differences that were compared with, a standard error, the spread of repeats. Never less than
    what rounding leaves of a rollout in float64; exactly 0 for counts. None where there is no
    value, or none that is finite, or where the noise was not recorded.

    observed: for what a card states (GC101-GC103), what the measurement leaves possible of it: one
    name where it can be told, none where nothing fits. None where it was not measured.
    """

    code: str
    engine: str
    testbed: str
    verdict: Verdict
    message: str
    subject: str = ""
    input: str | None = None
    value: float | None = None
    unit: str = ""
    limit: float | None = None
    uncertainty: float | None = None
    where: Where | None = None
    signature: Signature | None = None
    snippet: str | None = None
    observed: tuple[str, ...] | None = None
