"""JUnit XML: read by a parser of it, complete, valid XML whatever the names."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from pathlib import Path

from junitparser import Error, Failure, JUnitXml, Skipped

from gradcheck.finding import Verdict
from gradcheck.report import Report
from gradcheck.reports.junit import junit
from tests.reports import hostile, sample

# What XML 1.0 has no place for, not even escaped.
INVALID = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Element -> its children in their order, and its attributes: what Jenkins and GitLab read.
CHILDREN = {
    "testsuites": ("testsuite",),
    "testsuite": ("properties", "testcase", "system-out", "system-err"),
    "testcase": ("skipped", "error", "failure", "system-out", "system-err"),
    **dict.fromkeys(["skipped", "error", "failure", "system-out"], ()),
}
COUNTS = {"name", "tests", "failures", "errors", "skipped", "time"}
ATTRIBUTES = {
    "testsuites": COUNTS,
    "testsuite": COUNTS | {"timestamp"},
    "testcase": {"classname", "name", "time"},
    **{kind: {"type", "message"} for kind in ("skipped", "error", "failure")},
    "system-out": set(),
}


@cache
def report() -> Report:
    return sample.report()


def check_structure(root: ET.Element) -> None:
    """The elements that the format has, in its order, with its attributes and counts."""
    for one in root.iter():
        order = CHILDREN[one.tag]
        places = [order.index(child.tag) for child in one]
        assert places == sorted(places)
        assert set(one.attrib) <= ATTRIBUTES[one.tag]
    for suite in root:
        cases = list(suite)
        assert int(suite.attrib["tests"]) == len(cases)
        names = Counter((case.attrib["classname"], case.attrib["name"]) for case in cases)
        assert max(names.values()) == 1
        assert re.fullmatch(r"\d+\.\d{3}", suite.attrib["time"])
        assert "T" in suite.attrib["timestamp"]


def test_a_parser_accepts_it_and_counts_as_the_report_does(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_bytes(junit(report()))
    suites = JUnitXml.fromfile(str(file))
    assert isinstance(suites, JUnitXml)
    counts = report().summary.counts
    assert suites.failures == counts[Verdict.FAIL]
    # One job timed out.
    assert suites.errors == counts[Verdict.ERROR] + 1
    # One pair is unsupported, one engine is not installed.
    assert suites.skipped == counts[Verdict.NOT_APPLICABLE] + 2
    assert suites.tests == len(report().findings) + len(report().jobs) + 1
    assert abs(suites.time - 16 * 0.5) < 1e-9
    cases = {(case.classname, case.name): case for suite in suites for case in suite}
    (failure,) = cases["flipped.bounce", "GC201 position"].result
    assert isinstance(failure, Failure)
    assert failure.type == "GC201"
    assert "differences of the program give -1" in failure.message
    assert "Located at position[1]; first bad step 32" in failure.text
    assert "import gradcheck" in failure.text
    (error,) = cases["flipped.drop", "GC201"].result
    assert isinstance(error, Error)
    (skipped,) = cases["exact.free_fall", "GC401"].result
    assert isinstance(skipped, Skipped)
    assert skipped.message == "this testbed has no contact"
    warned = cases["exact.bounce", "GC401 position"]
    assert warned.is_passed
    assert "there is no derivative at position[1]" in str(warned.system_out)
    assert cases["exact.bounce", "GC201"].is_passed


def test_how_jobs_ended_is_told() -> None:
    root = ET.fromstring(junit(report()))
    suites = {suite.attrib["name"]: suite for suite in root}
    (lost,) = suites["differences on double_pendulum"]
    assert lost.attrib["name"] == "measuring"
    assert lost.find("error") is not None
    assert lost[0].attrib["message"] == "timed out: no answer within 30 s"
    (refused,) = suites["differences on drop"]
    assert refused[0].tag == "skipped"
    (absent,) = suites["newton"]
    assert absent[0].tag == "skipped"
    assert "not installed" in absent[0].attrib["message"]
    ran = suites["exact on bounce"]
    assert ran.attrib["time"] == ran[0].attrib["time"] == "0.500"


def test_the_structure_is_that_of_the_format() -> None:
    check_structure(ET.fromstring(junit(report())))


def test_hostile_names_leave_valid_xml() -> None:
    content = junit(hostile.report())
    root = ET.fromstring(content)
    check_structure(root)
    text = content.decode("utf-8")
    assert not INVALID.search(text)
    assert "\u202e" not in text
    assert "<script" not in text
    assert any(suite.attrib["name"].startswith("<script>alert(1)") for suite in root)
    assert hostile.LONG[:600] not in text


def test_two_findings_of_one_name_are_two_cases() -> None:
    made = sample.report(engines=("exact",), testbeds=("bounce",))
    twice = made.model_copy(update={"findings": made.findings * 2})
    root = ET.fromstring(junit(twice))
    check_structure(root)
    assert "GC201 #2" in {case.attrib["name"] for case in root[0]}


def test_a_report_of_nothing_is_valid() -> None:
    empty = Report.build(provenance=sample.PROVENANCE, evidence=[], findings=[], jobs=[], checks={})
    root = ET.fromstring(junit(empty))
    assert root.attrib["tests"] == "0"
