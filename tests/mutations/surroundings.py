"""Mutations of the files, of where the numbers come from, and of the project's settings."""

import json
from collections.abc import Callable

from tests.mutations.mutation import (
    BAD,
    EXACT,
    FAIL,
    IDEAL,
    NOTHING,
    PASS,
    Change,
    Data,
    Mutation,
    both,
    drop,
    edit,
    findings,
    job,
    nothing,
    put,
    renamed,
    without,
)
from tests.mutations.values import COST, KNOWN, QUIET, RIGHT

WORSE = both(QUIET, edit({"value": 6.0}, **COST))
CRASHED = job({"status": "crashed"}, EXACT, "bounce")
FAILED = edit({"verdict": "FAIL", "value": 2.0}, **RIGHT)


def content(text: str | bytes) -> Change:
    """A report with this content."""
    return lambda data: text


def cut(share: float) -> Change:
    """The report's file cut short."""

    def change(data: Data) -> str:
        text = json.dumps(data)
        return text[: int(share * len(text))]

    return change


def in_baseline(old: str, new: str) -> Callable[[str], str]:
    """Another text in the baseline's file, which must hold the old one."""

    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


FILES = (
    Mutation("report cut short", cut(0.5), BAD, "is not JSON .*cut short"),
    Mutation("report cut by its last character", cut(0.99999), BAD, "is not JSON"),
    Mutation("report empty", content(""), BAD, "is not JSON"),
    Mutation("report no JSON", content("<html></html>"), BAD, "is not JSON"),
    Mutation("report binary", content(b"\xff\xfe\x00\x01"), BAD, "it is not UTF-8 text"),
    Mutation("report a list", content("[]"), BAD, "has report schema None"),
    Mutation("report null", content("null"), BAD, "has report schema None"),
    Mutation("report an empty object", content("{}"), BAD, "has report schema None"),
    Mutation("report nested without end", content("[" * 100_000), BAD, "is not JSON"),
    Mutation("report with a number without end", content('{"schema_version": ' + "1" * 5000 + "}"),
             BAD, "is not JSON"),
    Mutation("report of another schema", put(["schema_version"], 1), BAD, "has report schema 1"),
    Mutation("report without its schema", put(["schema_version"], None), BAD, "schema None"),
    Mutation("report with an unknown field", put(["mood"], "good"), BAD, "is not a report at mood"),
    Mutation("report with an unknown verdict", edit({"verdict": "FINE"}, **RIGHT), BAD,
             r"not a report at findings\.\d+\.verdict"),
    Mutation("report with a text for a value", edit({"value": "low"}, **RIGHT), BAD,
             "not a report at findings"),
    Mutation("report with an unknown status", job({"status": "fine"}, EXACT, "bounce"), BAD,
             "not a report at jobs"),
    Mutation("report without findings", lambda data: data.pop("findings") and None, BAD,
             "not a report at findings"),
    Mutation("a finding of a later schema", edit({"confidence": 1}, **RIGHT), BAD,
             "not a report at findings"),
    Mutation("baseline cut short", nothing, BAD, "is not JSON .*cut short",
             baseline=lambda text: text[: len(text) // 2]),
    Mutation("baseline empty", nothing, BAD, "is not JSON", baseline=lambda text: ""),
    Mutation("baseline binary", nothing, BAD, "not UTF-8", baseline=lambda text: b"\xff\xfe\x00"),
    Mutation("baseline a list", nothing, BAD, "neither a baseline nor a report",
             baseline=lambda text: "[]"),
    Mutation("baseline nested without end", nothing, BAD, "not JSON",
             baseline=lambda text: "[" * 100_000),
    Mutation("baseline with a number without end", nothing, BAD, "not JSON",
             baseline=lambda text: "1" * 5000),
    Mutation("baseline of another schema", nothing, BAD, "has baseline schema 2",
             baseline=in_baseline('"schema_version": 1', '"schema_version": 2')),
    Mutation("baseline of another kind", nothing, BAD, "neither a baseline nor a report",
             baseline=in_baseline("gradcheck baseline", "something else")),
    Mutation("baseline with an unknown field", nothing, BAD, "not a baseline at findings",
             baseline=in_baseline('"verdict": "PASS"', '"verdict": "PASS", "mood": 1')),
    Mutation("baseline with an unknown verdict", nothing, BAD, "not a baseline at findings",
             baseline=in_baseline('"PASS"', '"FINE"')),
    Mutation("baseline without findings", nothing, BAD, "holds no judged finding",
             baseline=lambda text: json.dumps({**json.loads(text), "findings": []})),
    Mutation("baseline in other words of JSON", nothing, PASS, "note 3 known",
             baseline=lambda text: json.dumps(json.loads(text), indent=4)),
    Mutation("baseline reordered", nothing, PASS, "note 3 known", baseline=lambda text: json.dumps(
        {**json.loads(text), "findings": json.loads(text)["findings"][::-1]})),
    Mutation("a line of the baseline deleted", nothing, PASS, "note .* new: 1 PASS", baseline=lambda
             text: "\n".join(line for line in text.split("\n")
                             if not ("GC701" in line and EXACT in line and "bounce" in line))),
    Mutation("a known failure deleted from the baseline", nothing, FAIL,
             "error GC202.*, v0: FAIL, which the baseline lacks", before=drop(**KNOWN)),
    Mutation("the baseline edited to a pass", nothing, FAIL, "error GC202.*, v0: PASS -> FAIL",
             before=edit({"verdict": "PASS", "value": 0.0}, **KNOWN)),
)  # fmt: skip


def elsewhere(name: str, key: str, value: object, says: str, was: object = None) -> Mutation:
    """Another entry of the provenance, by its place (`versions numpy`). was: what it was before."""
    path = ["provenance", *key.split(" ", 1)]
    before = None if was is None else put(path, was)
    return Mutation(name, put(path, value), PASS, f"^note {says}", before=before)


def newer(data: Data) -> None:
    """Another version of one engine."""
    for one in data["evidence"]:
        if one["engine"] == IDEAL:
            one["card"]["version"] = "2"


OTHER = "other than in the baseline:"
ORIGIN = (
    elsewhere("another seed", "seed", 7, f"{OTHER} seed 0 -> 7"),
    elsewhere("another profile", "profile", "full", f"{OTHER} profile quick -> full"),
    elsewhere("another library", "versions numpy", "9.9", f"{OTHER} version numpy .* -> 9.9"),
    elsewhere("a library more", "versions torch", "2.4", f"{OTHER} version torch none -> 2.4"),
    elsewhere("another gradcheck of the same schema", "versions gradcheck", "9.0",
              f"{OTHER} version gradcheck .* -> 9.0"),
    elsewhere("another device", "device", "NVIDIA H200", f"{OTHER} device .* -> NVIDIA H200"),
    elsewhere("another processor", "platform", "Linux-6.1-aarch64-with-glibc2.36",
              f"{OTHER} platform .* -> Linux-aarch64"),
    elsewhere("another kernel of the same machine", "platform",
              "Linux-7.1-9-azure-x86_64-with-glibc2.36", "3 known",
              was="Linux-6.1-x86_64-with-glibc2.36"),
    elsewhere("another number of cores", "cores", 64, f"{OTHER} cores .* -> 64"),
    elsewhere("another precision", "precision", "float32", f"{OTHER} precision float64 -> float32"),
    elsewhere("another Python", "python", "3.13.0", f"{OTHER} python .* -> 3.13.0"),
    elsewhere("another setting", "settings jobs", "7", f"{OTHER} setting jobs .* -> 7"),
    elsewhere("another time limit", "settings time limit (s)", "7", "3 known"),
    elsewhere("another command", "command", "gradcheck", "3 known"),
    elsewhere("another time", "started", "2030-01-01T00:00:00+00:00", "3 known"),
    Mutation("another version of the engine", newer, PASS,
             f"note {OTHER} engine particles:ideal 1 -> 2"),
    Mutation("another seed hides no failure", both(put(["provenance", "seed"], 7), FAILED), FAIL,
             "error GC201.* PASS -> FAIL"),
)  # fmt: skip


def told(name: str, settings: Data, code: int, says: str, change: Change = FAILED) -> Mutation:
    """A failure of GC201 on particles:ideal, under these settings."""
    return Mutation(name, change, code, says, settings=settings)


SETTINGS = (
    told("policy warn", {"rule": [{"code": "GC201", "policy": "warn"}]}, PASS,
         "warning GC201.* PASS -> FAIL"),
    told("policy off", {"rule": [{"code": "GC201", "policy": "off"}]}, PASS, "note 3 known"),
    told("policy off leaves the others on", {"rule": [{"code": "GC202", "policy": "off"}]}, FAIL,
         "error GC201"),
    told("policy for another engine", {"rule": [{"engine": EXACT, "policy": "off"}]}, FAIL,
         "error GC201"),
    told("policy for a family of engines", {"rule": [{"engine": "particles:*", "policy": "warn"}]},
         PASS, "warning GC201"),
    told("policy for a family of checks", {"rule": [{"code": "GC2*", "policy": "warn"}]}, PASS,
         "warning GC201"),
    told("policy for another testbed", {"rule": [{"testbed": "free_fall", "policy": "off"}]}, FAIL,
         "error GC201"),
    told("the last rule that fits decides", {"rule": [{"engine": IDEAL, "policy": "off"},
         {"code": "GC201", "policy": "error"}]}, FAIL, "error GC201"),
    told("a later rule for others does not", {"rule": [{"code": "GC201", "policy": "warn"},
         {"engine": EXACT, "policy": "error"}]}, PASS, "warning GC201"),
    told("everything off", {"rule": [{"policy": "off"}]}, NOTHING, "error nothing was judged"),
    told("a rule that fits nothing", {"rule": [{"engine": "mjx", "policy": "off"}]}, FAIL,
         "warning a rule for code \\*, engine mjx, testbed \\* fits nothing in either audit"),
    told("policy off for a missing engine", {"rule": [{"engine": IDEAL, "policy": "off"}]}, PASS,
         "", without(IDEAL)),
    told("policy warn for a missing engine", {"rule": [{"engine": IDEAL, "policy": "warn"}]}, PASS,
         "warning particles:ideal: missing", without(IDEAL)),
    told("a check's policy excuses no crash", {"rule": [{"code": "GC201", "policy": "off"}]}, FAIL,
         "error closed_form on bounce: ok -> crashed", CRASHED),
    told("policy warn for a crash", {"rule": [{"engine": EXACT, "policy": "warn"}]}, PASS,
         "warning closed_form on bounce: ok -> crashed", CRASHED),
    told("one check kept strict of an engine that crashed", {"rule": [{"engine": EXACT,
         "policy": "warn"}, {"code": "GC201", "policy": "error"}]}, FAIL,
         "error closed_form on bounce: ok -> crashed",
         both(drop(engine=EXACT, testbed="bounce"), CRASHED)),
    told("new warnings told only", {"new_warnings": "warn"}, PASS, "warning GC201.* PASS -> WARN",
         edit({"verdict": "WARN"}, **RIGHT)),
    told("new warnings off", {"new_warnings": "off"}, PASS, "note 3 known",
         edit({"verdict": "WARN"}, **RIGHT)),
    told("new warnings told only, a failure", {"new_warnings": "warn"}, FAIL, "error GC201"),
    Mutation("an absolute limit allows a rise", WORSE, PASS, "note 3 known", before=QUIET,
             settings={"limit": [{"code": "GC601", "limit": 8.0}]}),
    Mutation("an absolute limit exceeded", WORSE, FAIL,
             "error GC601.* 6 times the loss is above the gate's limit 5", before=QUIET,
             settings={"limit": [{"code": "GC601", "engine": EXACT, "limit": 5.0}]}),
    Mutation("an absolute limit exceeded by a known failure", nothing, FAIL,
             "error GC202.*, x0: 2 relative is above the gate's limit 1",
             settings={"limit": [{"code": "GC202", "limit": 1.0}]}),
    Mutation("an absolute limit and NaN", edit({"value": "NaN"}, **KNOWN), FAIL,
             "nan relative is above the gate's limit",
             settings={"limit": [{"code": "GC202", "limit": 9.0}]}),
    Mutation("an absolute limit allows a WARN within it",
             both(WORSE, edit({"verdict": "WARN", "limit": 5.0}, **COST)), PASS,
             "note GC601.* PASS -> WARN .*allowed by the gate's limit", before=QUIET,
             settings={"limit": [{"code": "GC601", "limit": 8.0}]}),
    Mutation("an absolute limit allows no FAIL", both(WORSE, edit({"verdict": "FAIL"}, **COST)),
             FAIL, "error GC601.* PASS -> FAIL", before=QUIET,
             settings={"limit": [{"code": "GC601", "limit": 8.0}]}),
    Mutation("an absolute limit for another testbed", WORSE, FAIL, "error GC601.* worse",
             before=QUIET, settings={"limit": [{"code": "GC601", "testbed": "x", "limit": 8.0}]}),
    Mutation("an absolute limit that fits nothing", nothing, PASS,
             "warning a limit for code GC601, engine \\*, testbed x fits nothing",
             settings={"limit": [{"code": "GC601", "testbed": "x", "limit": 8.0}]}),
    Mutation("the last absolute limit decides", WORSE, FAIL, "above the gate's limit 5",
             before=QUIET, settings={"limit": [{"code": "GC601", "limit": 8.0},
                                               {"code": "GC60*", "limit": 5.0}]}),
    Mutation("less noise asked for", both(QUIET, edit({"value": 4.8}, **COST)), FAIL,
             r"beyond the noise of both runs \(2 × 0.28 = 0.57\)", before=QUIET,
             settings={"noise": 2.0}),
)  # fmt: skip


def slower(data: Data) -> None:
    """Every cost a millionth higher."""
    for one in findings(data, code="GC601"):
        one["value"] *= 1 + 1e-6


COMBINED = (
    Mutation("better, reordered, another seed and within the noise",
             both(QUIET, edit({"value": 4.5}, **COST), edit({"value": 0.5}, **KNOWN),
                  put(["provenance", "seed"], 3), lambda data: data["findings"].reverse()),
             PASS, "note GC202.* better", before=QUIET),
    Mutation("better in one, worse in another",
             both(edit({"value": 0.5}, **KNOWN), FAILED), FAIL, "error GC201"),
    Mutation("renamed on both sides", renamed(engine=(IDEAL, "mine")), PASS, "note 3 known",
             before=renamed(engine=(IDEAL, "mine"))),
    Mutation("every cost a millionth higher", slower, PASS, "note 3 known"),
)  # fmt: skip

ALL: tuple[Mutation, ...] = (*FILES, *ORIGIN, *SETTINGS, *COMBINED)
