"""Mutations of single findings: verdict, value, uncertainty, limit, unit."""

from tests.mutations.mutation import (
    EXACT,
    FAIL,
    IDEAL,
    PASS,
    Change,
    Data,
    Mutation,
    both,
    edit,
    nothing,
)

NAN, INF = "NaN", "Infinity"
RIGHT = {"engine": IDEAL, "testbed": "bounce", "code": "GC201", "subject": "x0"}
KNOWN = {"engine": IDEAL, "testbed": "bounce", "code": "GC202", "subject": "v0"}
WARNED = {"engine": IDEAL, "testbed": "bounce", "code": "GC401"}
UNSAID = {"engine": EXACT, "testbed": "bounce", "code": "GC207"}
COST = {"engine": EXACT, "testbed": "bounce", "code": "GC601"}
COUNT = {"engine": EXACT, "testbed": "bounce", "code": "GC204"}
SMOOTH = {"engine": EXACT, "testbed": "bounce", "code": "GC501", "subject": "x0[1]"}
OTHER = {**SMOOTH, "subject": "x0[0]"}
BYTES = {"engine": IDEAL, "testbed": "bounce", "code": "GC103"}

# A cost of 4 ± 0.2 before: what a quiet machine gives.
QUIET: Change = edit({"value": 4.0, "uncertainty": 0.2}, **COST)


def cost(name: str, change: Data, code: int, says: str = "", **more: Data) -> Mutation:
    """A mutation of that cost."""
    new = both(QUIET, edit(change, **COST))
    return Mutation(name, new, code, says, before=QUIET, **more)  # type: ignore[arg-type]


VERDICTS = (
    Mutation("nothing changed", nothing, PASS, "note 3 known failures"),
    Mutation("PASS -> FAIL", edit({"verdict": "FAIL", "value": 2.0}, **RIGHT), FAIL,
             "^error GC201 particles:ideal on bounce, x0: PASS -> FAIL .*limit 1e-05"),
    Mutation("PASS -> FAIL without its value", edit({"verdict": "FAIL", "value": None}, **RIGHT),
             FAIL, "error GC201.* PASS -> FAIL"),
    Mutation("PASS -> ERROR", edit({"verdict": "ERROR", "value": None}, **RIGHT), FAIL,
             "error GC201.* PASS -> ERROR"),
    Mutation("PASS -> WARN", edit({"verdict": "WARN"}, **RIGHT), FAIL,
             "error GC201.* PASS -> WARN"),
    Mutation("PASS -> N/A", edit({"verdict": "N/A", "value": None}, **RIGHT), FAIL,
             "error GC201.* no longer judged, PASS -> N/A"),
    Mutation("only finding of a check -> N/A", edit({"verdict": "N/A", "value": None}, **COST),
             FAIL, "error GC601 closed_form on bounce: 1 finding judged before, now N/A"),
    Mutation("only finding of a check -> ERROR", edit({"verdict": "ERROR", "value": None}, **COST),
             FAIL, "error GC601 closed_form on bounce: 1 finding judged before, now ERROR"),
    Mutation("known FAIL -> N/A", edit({"verdict": "N/A", "value": None}, **KNOWN), FAIL,
             "error GC202.* no longer judged, FAIL -> N/A"),
    Mutation("known FAIL -> ERROR", edit({"verdict": "ERROR", "value": None}, **KNOWN), FAIL,
             "error GC202.* FAIL -> ERROR"),
    Mutation("known FAIL -> WARN", edit({"verdict": "WARN", "value": 0.1}, **KNOWN), PASS,
             "note GC202.* better, FAIL -> WARN"),
    Mutation("known FAIL -> PASS", edit({"verdict": "PASS", "value": 0.01}, **KNOWN), PASS,
             "note GC202.* better, FAIL -> PASS"),
    Mutation("WARN -> FAIL", edit({"verdict": "FAIL"}, **WARNED), FAIL,
             "error GC401.* WARN -> FAIL"),
    Mutation("WARN -> PASS", edit({"verdict": "PASS", "value": 0.0}, **WARNED), PASS,
             "note GC401.* better, WARN -> PASS"),
    Mutation("N/A -> FAIL", edit({"verdict": "FAIL"}, **UNSAID), FAIL, "error GC207.* N/A -> FAIL"),
    Mutation("N/A -> ERROR", edit({"verdict": "ERROR"}, **UNSAID), FAIL,
             "error GC207.* N/A -> ERROR"),
    Mutation("N/A -> WARN", edit({"verdict": "WARN"}, **UNSAID), FAIL, "error GC207.* N/A -> WARN"),
    Mutation("N/A -> PASS", edit({"verdict": "PASS", "value": 0.0}, **UNSAID), PASS,
             "note GC207.* judged now, N/A -> PASS"),
    Mutation("every PASS -> FAIL", edit({"verdict": "FAIL"}, verdict="PASS"), FAIL,
             "error GC101.* PASS -> FAIL"),
    Mutation("every PASS -> N/A", edit({"verdict": "N/A", "value": None}, verdict="PASS"), FAIL,
             "error GC101.* judged before, now N/A"),
    Mutation("known ERROR -> FAIL", edit({"verdict": "FAIL"}, **KNOWN), FAIL,
             "error GC202.* ERROR -> FAIL", before=edit({"verdict": "ERROR"}, **KNOWN)),
    Mutation("known ERROR stays", edit({"verdict": "ERROR"}, **KNOWN), PASS, "note 3 known",
             before=edit({"verdict": "ERROR"}, **KNOWN)),
    Mutation("another message, the same verdict", edit({"message": "said otherwise"}, **RIGHT),
             PASS, "note 3 known"),
)  # fmt: skip

VALUES = (
    cost("higher within the noise", {"value": 4.8}, PASS, "note 3 known failures"),
    cost("higher beyond the noise", {"value": 6.0}, FAIL,
         r"error GC601.* worse, 4 ± 0.2 -> 6 ± 0.2 times the loss, beyond .* \(4 × 0.28 = 1.1\)"),
    cost("lower beyond the noise", {"value": 2.0}, PASS, "note GC601.* better, 4 ± 0.2 -> 2 ± 0.2"),
    cost("lower within the noise", {"value": 3.5}, PASS, "note 3 known"),
    cost("shaken in the last digits", {"value": 4.0 * (1 + 1e-12)}, PASS, "note 3 known"),
    cost("NaN under PASS", {"value": NAN}, FAIL, "error GC601.* says PASS, and its value is NaN"),
    cost("NaN under FAIL", {"value": NAN, "verdict": "FAIL"}, FAIL, "error GC601.* PASS -> FAIL"),
    cost("NaN under WARN", {"value": NAN, "verdict": "WARN"}, FAIL, "says WARN, and .* NaN"),
    cost("infinite under PASS", {"value": INF}, FAIL, "error GC601.* inf is not within its limit"),
    cost("minus infinity", {"value": "-Infinity"}, FAIL, "error GC601.* value of -inf"),
    cost("negated", {"value": -4.0}, FAIL, "error GC601.* a value of -4, where none is below 0"),
    cost("its value missing", {"value": None}, FAIL, "error GC601.* value is missing, which was 4"),
    cost("its value missing with its unit", {"value": None, "unit": "", "uncertainty": None}, FAIL,
         "value is missing"),
    cost("above its limit under PASS", {"value": 14.0}, FAIL,
         "error GC601.* says PASS, and its value 14 is not within its limit 13"),
    Mutation("a time above its limit by less than its noise under PASS",
             edit({"value": 13.1, "uncertainty": 0.2}, **COST), PASS, "note 3 known",
             before=edit({"value": 12.9, "uncertainty": 0.2}, **COST)),
    Mutation("an error above its limit by less than its noise under PASS",
             edit({"value": 1.1e-5, "uncertainty": 1e-5}, **RIGHT), FAIL,
             "error GC201.* is not within its limit"),
    Mutation("FAIL relabelled PASS", edit({"verdict": "PASS"}, **KNOWN), FAIL,
             "error GC202.* says PASS, and its value 0.9 is not within its limit 0.05"),
    Mutation("every FAIL relabelled PASS", edit({"verdict": "PASS"}, verdict="FAIL"), FAIL,
             "error GC202.*, x0: contradicts itself"),
    Mutation("infinite WARN relabelled PASS", edit({"verdict": "PASS"}, value=INF), FAIL,
             "error GC501.* says PASS, and its value inf"),
    Mutation("known failure got worse", edit({"value": 1.7}, **KNOWN), FAIL,
             "error GC202.* worse, 0.9"),
    Mutation("known failure got NaN", edit({"value": NAN}, **KNOWN), FAIL, "worse, 0.9.* -> nan"),
    Mutation("known NaN stays", edit({"value": NAN}, **KNOWN), PASS, "note 3 known",
             before=edit({"value": NAN}, **KNOWN)),
    Mutation("known NaN became a number", nothing, PASS, "note GC202.* better, nan",
             before=edit({"value": NAN}, **KNOWN)),
    Mutation("known failure got better", edit({"value": 0.5}, **KNOWN), PASS,
             "note GC202.* better, 0.9"),
    Mutation("a bad point more", edit({"value": 1.0}, **COUNT), FAIL, "error GC204"),
    Mutation("a zero negated", edit({"value": -0.0}, **RIGHT), PASS, "note 3 known"),
    Mutation("within the noise of the differences", edit({"value": 1e-7}, **RIGHT), PASS,
             "note 3 known"),
    Mutation("memory shrinks with the horizon", edit({"value": -2.0}, **BYTES), PASS,
             "note GC103.* better, 1.25"),
    Mutation("memory for each step doubled", edit({"value": 2.5}, **BYTES), FAIL,
             "error GC103.* worse, 1.25"),
    Mutation("states stored above the limit, as stated", edit({"value": 99.0}, **BYTES), PASS,
             "note 3 known", before=edit({"value": 99.0}, **BYTES)),
    Mutation("infinite value became finite", edit({"value": 9.0}, value=INF), PASS,
             "note GC501.* better, inf"),
    Mutation("value swapped between two coordinates",
             both(edit({"value": 3.0}, **SMOOTH), edit({"value": 0.0}, **OTHER)), PASS,
             "note 3 known", before=edit({"value": 0.5}, **SMOOTH)),
)  # fmt: skip

NOISE = (
    cost("PASS -> WARN across the limit within the noise",
         {"value": 4.4, "limit": 4.2, "verdict": "WARN"}, FAIL, "error GC601.* PASS -> WARN"),
    Mutation("PASS -> WARN since the value crossed its limit within the noise",
             both(QUIET, edit({"value": 4.4, "limit": 4.2, "verdict": "WARN"}, **COST)), PASS,
             "warning GC601.* PASS -> WARN .* moved within both runs' noise",
             before=both(QUIET, edit({"limit": 4.2}, **COST))),
    Mutation("WARN -> PASS since the value crossed its limit within the noise",
             both(QUIET, edit({"limit": 4.2}, **COST)), PASS,
             "note GC601.* WARN -> PASS .* moved within both runs' noise",
             before=both(QUIET, edit({"value": 4.4, "limit": 4.2, "verdict": "WARN"}, **COST))),
    Mutation("PASS -> WARN for another reason than its value",
             both(QUIET, edit({"value": 4.1, "verdict": "WARN"}, **COST)), FAIL,
             "error GC601.* PASS -> WARN", before=QUIET),
    cost("PASS -> FAIL across the limit within the noise", {"value": 4.4, "verdict": "FAIL"}, FAIL,
         "error GC601.* PASS -> FAIL"),
    cost("uncertainty inflated, and worse", {"value": 6.0, "uncertainty": 2.0}, PASS,
         "warning GC601.* is worse, and only within the noise because this run's is 10 times"),
    cost("uncertainty inflated to cross the limit as WARN",
         {"value": 14.0, "uncertainty": 50.0, "verdict": "WARN"}, PASS,
         "warning GC601.* PASS -> WARN .* moved within this run's own noise"),
    cost("uncertainty inflated to cross the limit as FAIL",
         {"value": 14.0, "uncertainty": 50.0, "verdict": "FAIL"}, FAIL,
         "error GC601.* PASS -> FAIL"),
    cost("uncertainty inflated, value the same", {"uncertainty": 2.0}, PASS, "note 3 known"),
    cost("uncertainty infinite", {"value": 6.0, "uncertainty": INF}, FAIL, "uncertainty of inf"),
    cost("uncertainty NaN", {"value": 6.0, "uncertainty": NAN}, FAIL, "uncertainty of nan is none"),
    cost("uncertainty negative", {"uncertainty": -0.2}, FAIL, "uncertainty of -0.2 is none"),
    cost("uncertainty missing, value the same", {"uncertainty": None}, PASS, "note 3 known"),
    cost("uncertainty missing, worse by more than the baseline's noise",
         {"value": 5.0, "uncertainty": None}, FAIL, "error GC601.* worse"),
    Mutation("no noise recorded by either, and higher",
             edit({"value": 4.1, "uncertainty": None}, **COST), FAIL, "worse, 4 -> 4.1",
             before=edit({"value": 4.0, "uncertainty": None}, **COST)),
    Mutation("the baseline was noisy", both(QUIET, edit({"value": 6.0}, **COST)), PASS, "3 known",
             before=edit({"value": 4.0, "uncertainty": 1.0}, **COST)),
    cost("noisier and lower", {"value": 3.0, "uncertainty": 3.0}, PASS, "note 3 known"),
)  # fmt: skip

LIMITS = (
    cost("limit loosened to hide a failure", {"value": 20.0, "limit": 100.0}, FAIL,
         "error GC601.* passes only because its limit was 13 and is 100"),
    cost("limit loosened to hide it in the noise",
         {"value": 20.0, "limit": 100.0, "uncertainty": 50.0}, FAIL, "passes only because"),
    cost("limit loosened to infinity", {"value": 20.0, "limit": INF}, FAIL, "and is inf"),
    cost("limit removed", {"value": 20.0, "limit": None}, FAIL, "was 13 and is none"),
    cost("limit NaN", {"limit": NAN}, FAIL, "value 4 is not within its limit nan"),
    Mutation("known failure hidden by a looser limit",
             edit({"limit": 5.0, "verdict": "PASS"}, **KNOWN), FAIL,
             "error GC202.* passes only because its limit was 0.05 and is 5"),
    cost("limit loosened, the value the same", {"limit": 100.0}, PASS,
         r"note GC601: the check's limit was 13 and is 100 \(1 finding\)"),
    cost("limit tightened, still within", {"limit": 5.0}, PASS, "limit was 13 and is 5"),
    Mutation("limits of a whole check loosened", edit({"limit": 1.0}, code="GC201"), PASS,
             r"note GC201: the check's limit was 1e-05 and is 1 \(\d+ findings\)"),
    cost("unit changed", {"unit": "ms"}, FAIL, "its unit was 'times the loss' and is 'ms'"),
    cost("unit lost", {"unit": ""}, FAIL, "its unit was"),
    cost("unit changed with a harmless value", {"unit": "ms", "value": 0.0}, FAIL, "its unit was"),
)  # fmt: skip

ALL: tuple[Mutation, ...] = (*VERDICTS, *VALUES, *NOISE, *LIMITS)
