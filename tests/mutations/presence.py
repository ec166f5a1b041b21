"""Mutations of what is there: findings, checks, jobs, testbeds, engines; names, order, copies."""

import random
from typing import Any

from tests.mutations.mutation import (
    ENGINES,
    EXACT,
    FAIL,
    IDEAL,
    NOTHING,
    PASS,
    Change,
    Data,
    Mutation,
    add,
    add_first,
    both,
    drop,
    edit,
    ended,
    every,
    findings,
    job,
    nothing,
    put,
    renamed,
    without,
)
from tests.mutations.values import COST, KNOWN, RIGHT, UNSAID, WARNED

EXACT_BOUNCE = {"engine": EXACT, "testbed": "bounce"}
PAIR = (EXACT, "bounce")
REFUSED = (IDEAL, "free_fall")
HOSTILE = (
    "<script>alert(1)</script>",
    "x" * 10_000,
    "\u202eelbon\u202c",
    "a\n::error::owned\r\n##[error]owned",
    "\x1b[2J\x1b]0;owned\x07",
    "a\u2028b\x85c\x0bd",
)


def reordered(data: Data) -> None:
    """All lists and all keys in another order."""
    chance = random.Random(1)
    for key in ("findings", "evidence", "jobs"):
        chance.shuffle(data[key])
        data[key] = [dict(sorted(one.items(), reverse=True)) for one in data[key]]


def swapped(data: Data) -> None:
    """The findings of one engine under the other's name, on the testbed that both have."""
    for one in data["findings"]:
        if one["testbed"] == "bounce":
            one["engine"] = next(name for name in ENGINES if name != one["engine"])


def unmeasured(data: Data) -> None:
    """Every measurement gone, the findings kept."""
    for one in data["evidence"]:
        one["artifacts"] = [
            {
                "kind": "missing",
                "engine": one["engine"],
                "testbed": one["testbed"]["name"],
                "measurement": artifact["kind"],
                "reason": "gone",
                "error": True,
            }
            for artifact in one["artifacts"]
        ]


def emptied(*keys: str) -> Change:
    """These lists without entries."""
    return both(*(put([key], []) for key in keys))


def half(data: Data) -> None:
    """Every second finding."""
    data["findings"] = data["findings"][::2]


def no_evidence(engine: str) -> Change:
    """The measurements of one engine gone, its findings kept."""

    def change(data: Data) -> None:
        data["evidence"] = [one for one in data["evidence"] if one["engine"] != engine]

    return change


def copied(change: Data, **wanted: Any) -> Change:
    """One pair more, a copy of closed_form on free_fall under the engine's name `twin`."""

    def added(data: Data) -> None:
        for one in findings(data, engine=EXACT, testbed="free_fall"):
            data["findings"].append({**one, "engine": "twin"})
        data["jobs"].append({"engine": "twin", "testbed": "free_fall", "status": "ok"})
        found = [one for one in data["evidence"] if one["testbed"]["name"] == "free_fall"]
        data["evidence"].append({**found[0], "engine": "twin"})
        if change:
            edit(change, engine="twin", **wanted)(data)

    return added


PRESENCE = (
    Mutation("one finding dropped", drop(**RIGHT), FAIL,
             "error GC201 particles:ideal on bounce, x0: missing: PASS in the baseline"),
    Mutation("a known failure dropped", drop(**KNOWN), FAIL, "error GC202.* missing: FAIL"),
    Mutation("all known failures dropped", drop(verdict="FAIL"), FAIL,
             "error GC202 particles:ideal on bounce: missing: 3 findings"),
    Mutation("a warning dropped", drop(**WARNED), FAIL,
             "error GC401 particles:ideal on bounce: missing: 1 finding"),
    Mutation("a check that says N/A dropped", drop(**UNSAID), FAIL,
             "error GC207 closed_form on bounce: missing: 1 finding"),
    Mutation("one of two coordinates dropped", drop(**EXACT_BOUNCE, subject="x0[1]"), FAIL,
             r"error GC501 closed_form on bounce, x0\[1\]: missing"),
    Mutation("a check dropped on one pair", drop(**EXACT_BOUNCE, code="GC201"), FAIL,
             "error GC201 closed_form on bounce: missing: 4 findings in the baseline"),
    Mutation("a check dropped everywhere", drop(code="GC201"), FAIL,
             "error GC201: missing: \\d+ findings on 3 pairs in the baseline"),
    Mutation("only one check judged (--code GC201)",
             lambda data: data.update(findings=findings(data, code="GC201")), FAIL,
             "error GC202: missing: \\d+ findings on 3 pairs"),
    Mutation("half of the findings gone", half, FAIL, "error .* missing"),
    Mutation("a pair missing", without(EXACT, "bounce"), FAIL,
             "error closed_form on bounce: missing: \\d+ findings in the baseline"),
    Mutation("an engine missing", without(IDEAL), FAIL,
             "error particles:ideal: missing: \\d+ findings on 2 pairs in the baseline"),
    Mutation("a testbed missing", without(testbed="free_fall"), FAIL,
             "error free_fall: missing: \\d+ findings on 2 pairs"),
    Mutation("an unsupported pair missing", without(IDEAL, "free_fall"), FAIL,
             "error particles:ideal on free_fall: missing: 0 findings"),
    Mutation("findings of a pair gone, its job ok", drop(**EXACT_BOUNCE), FAIL,
             "error GC101 closed_form on bounce: missing"),
    Mutation("a job missing, its findings there", job(None, EXACT, "bounce"), FAIL,
             "error closed_form on bounce: its job is missing in the report"),
    Mutation("all jobs missing", emptied("jobs"), FAIL, "its job is missing"),
    Mutation("measurements of one engine gone", no_evidence(IDEAL), FAIL,
             "error particles:ideal on bounce: judged, and the report measured nothing"),
    Mutation("all measurements gone", emptied("evidence"), NOTHING, "error nothing was measured"),
    Mutation("all measurements missing with a reason", unmeasured, NOTHING, "nothing was measured"),
    Mutation("all findings gone", emptied("findings"), NOTHING, "error nothing was judged"),
    Mutation("everything gone", emptied("findings", "evidence", "jobs"), NOTHING,
             "error particles:ideal: missing"),
    Mutation("all findings N/A", every({"verdict": "N/A", "value": None}), NOTHING,
             "error nothing was judged"),
    Mutation("all findings ERROR", every({"verdict": "ERROR", "value": None}), NOTHING,
             "error nothing was judged"),
    Mutation("a testbed of no engine dropped from the summary", put(["summary", "testbeds"], []),
             PASS, "note 3 known"),
    Mutation("the summary says PASS", put(["summary", "verdict"], "PASS"), PASS, "note 3 known"),
    Mutation("the summary says that nothing was measured", put(["summary", "measured"], 0), PASS,
             "note 3 known"),
)  # fmt: skip

JOBS = (
    *(Mutation(f"a job {status}", both(drop(**EXACT_BOUNCE),
                                       job({"status": status, "reason": "signal 11"}, *PAIR)), FAIL,
               f"error closed_form on bounce: ok -> {status}: signal 11")
      for status in ("crashed", "timed out", "out of memory", "interrupted")),
    Mutation("a job crashed with its checks ERROR",
             both(edit({"verdict": "ERROR", "value": None}, **EXACT_BOUNCE),
                  job({"status": "crashed", "reason": "signal 11"}, *PAIR)), FAIL,
             "error closed_form on bounce: ok -> crashed: signal 11"),
    Mutation("a job crashed after a failure was seen",
             both(edit({"verdict": "FAIL"}, **EXACT_BOUNCE, code="GC204"),
                  job({"status": "crashed"}, *PAIR)), FAIL,
             "error GC204 closed_form on bounce: PASS -> FAIL"),
    Mutation("no longer supported",
             both(without(*PAIR), ended("unsupported", "no balls", *PAIR)), FAIL,
             "error closed_form on bounce: ok -> unsupported: no balls"),
    Mutation("now supported", job({"status": "ok", "reason": ""}, *REFUSED), PASS,
             "note particles:ideal on free_fall: better: unsupported -> ok"),
    Mutation("a crash that is known", both(without(*PAIR), ended("crashed", "signal 6", *PAIR)),
             PASS, "note 3 known",
             before=both(without(*PAIR), ended("crashed", "signal 11", *PAIR))),
    Mutation("a crash that is known became a hang", job({"status": "timed out"}, *REFUSED),
             PASS, "note particles:ideal on free_fall: crashed -> timed out",
             before=job({"status": "crashed"}, *REFUSED)),
    Mutation("a known crash is cured", nothing, PASS, "note closed_form on bounce: better",
             before=both(drop(**EXACT_BOUNCE), job({"status": "crashed"}, *PAIR))),
    Mutation("unsupported became crashed", job({"status": "crashed"}, *REFUSED), FAIL,
             "error particles:ideal on free_fall: unsupported -> crashed"),
    Mutation("another reason for the same end", job({"reason": "otherwise"}, *REFUSED), PASS,
             "note 3 known"),
    Mutation("slower jobs", job({"seconds": {"basics": 99.0}}, *PAIR), PASS, "note 3 known"),
    Mutation("a job told twice, once crashed", ended("crashed", "signal 11", *PAIR), FAIL,
             "error closed_form on bounce: ok -> crashed"),
    Mutation("a job told twice, and it is told", ended("crashed", "signal 11", *PAIR), FAIL,
             "warning closed_form on bounce: told 2 times, as crashed and ok"),
)  # fmt: skip

NAMES = (
    Mutation("engine renamed", renamed(engine=(IDEAL, "particles:other")), FAIL,
             "error particles:ideal: missing"),
    Mutation("engine renamed by its case", renamed(engine=(EXACT, "Closed_form")), FAIL,
             "error closed_form: missing"),
    Mutation("testbed renamed", renamed(testbed=("bounce", "bounces")), FAIL,
             "error bounce: missing: \\d+ findings on 2 pairs"),
    Mutation("testbed renamed by a blank", renamed(testbed=("free_fall", "free_fall ")), FAIL,
             "error free_fall: missing"),
    Mutation("code renamed", edit({"code": "GC999"}, code="GC206"), FAIL,
             "error GC206: missing: 3 findings on 3 pairs"),
    Mutation("subject renamed", edit({"subject": "position", "input": "position"}, **RIGHT), FAIL,
             "error GC201.*, x0: missing"),
    Mutation("subject of a known failure renamed", edit({"subject": "v"}, **KNOWN), FAIL,
             "error GC202 .*, v: FAIL, which the baseline lacks"),
    Mutation("engines swapped", swapped, FAIL,
             "error GC202 closed_form on bounce, v0: PASS -> FAIL"),
    Mutation("only the worst input is another", edit({"input": "v0"}, **WARNED), PASS, "3 known"),
    *(Mutation(f"engine under a hostile name {number}", renamed(engine=(EXACT, name)), FAIL,
               "error closed_form: missing") for number, name in enumerate(HOSTILE)),
    *(Mutation(f"a hostile message {number}", edit({"message": name, "verdict": "FAIL"}, **COST),
               FAIL, "error GC601.* PASS -> FAIL") for number, name in enumerate(HOSTILE)),
)  # fmt: skip

ORDER = (
    Mutation("reordered", reordered, PASS, "note 3 known"),
    Mutation("findings reversed", lambda data: data["findings"].reverse(), PASS, "note 3 known"),
    Mutation("reordered, and one dropped", both(drop(**RIGHT), reordered), FAIL, "x0: missing"),
    Mutation("a finding twice", add({}, **RIGHT), PASS,
             "note GC201.*, x0: told 2 times, as PASS: the worst counts"),
    Mutation("a finding twice, the second a failure", add({"verdict": "FAIL"}, **RIGHT), FAIL,
             "error GC201.*, x0: PASS -> FAIL"),
    Mutation("a finding twice, the first a failure", add_first({"verdict": "FAIL"}, **RIGHT), FAIL,
             "warning GC201.*, x0: told 2 times, as FAIL and PASS: the worst counts"),
    Mutation("a failure twice, the second a pass", add({"verdict": "PASS", "value": 0.0}, **KNOWN),
             PASS, "warning GC202.*, v0: told 2 times, as FAIL and PASS"),
    Mutation("a pass before a known failure", add_first({"verdict": "PASS", "value": 0.0}, **KNOWN),
             PASS, "warning GC202.*, v0: told 2 times, as FAIL and PASS"),
    Mutation("a copy with a lower value hides no rise",
             both(edit({"value": 1.7}, **KNOWN), add_first({"value": 0.1}, **KNOWN)), FAIL,
             "error GC202.* worse, 0.9"),
    Mutation("a second failure in other words",
             add({"verdict": "FAIL", "message": "and more"}, **RIGHT), FAIL,
             "error GC201.*, x0: FAIL, which the baseline lacks"),
    Mutation("a second warning in other words",
             add({"verdict": "WARN", "message": "and more"}, **RIGHT), FAIL,
             "error GC201.*, x0: WARN, which the baseline lacks"),
    Mutation("a part no longer judged",
             add({"verdict": "N/A", "message": "a kink", "value": None}, **RIGHT), PASS,
             "note GC201.*, x0: N/A, which the baseline lacks"),
    Mutation("a second warning is gone", nothing, PASS, "note GC201.*, x0: better: no longer WARN",
             before=add({"verdict": "WARN", "message": "and more"}, **RIGHT)),
    Mutation("a second pass is gone", nothing, FAIL, "error GC201.*, x0: missing: PASS",
             before=add({"message": "and more"}, **RIGHT)),
    Mutation("a complaint about the whole is gone", nothing, PASS,
             "note GC208.*: better: no longer FAIL",
             before=add({"verdict": "FAIL", "subject": "", "message": "float32 inside"},
                        engine=IDEAL, code="GC208")),
    Mutation("a complaint about the whole is new",
             add({"verdict": "FAIL", "subject": "", "message": "float32 inside"},
                 engine=IDEAL, code="GC208"), FAIL, "error GC208.*: FAIL, which the baseline la"),
)  # fmt: skip

NEW = (
    Mutation("a pair more, all right", copied({}), PASS, "note twin on free_fall: new: \\d+ PASS"),
    Mutation("a pair more, with a failure", copied({"verdict": "FAIL"}, code="GC204"), FAIL,
             "error GC204 twin on free_fall: FAIL, which the baseline lacks"),
    Mutation("a pair more, with a warning", copied({"verdict": "WARN"}, code="GC204"), FAIL,
             "error GC204 twin on free_fall: WARN, which the baseline lacks"),
    Mutation("a pair more, crashed", ended("crashed", "signal 11", "twin", "bounce"), FAIL,
             "error twin on bounce: crashed: signal 11"),
    Mutation("a pair more, unsupported", ended("unsupported", "no", "twin", "bounce"), PASS,
             "note 3 known"),
    Mutation("a coordinate more", add({"subject": "x0[2]", "message": "x0[2]: right"},
             **EXACT_BOUNCE, code="GC501"), PASS,
             r"note closed_form on bounce: new: 1 PASS \(GC501\)"),
    Mutation("a check more, N/A", add({"code": "GC502", "verdict": "N/A"}, **UNSAID), PASS,
             "note 3 known"),
)  # fmt: skip

ALL: tuple[Mutation, ...] = (*PRESENCE, *JOBS, *NAMES, *ORDER, *NEW)
