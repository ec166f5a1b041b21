"""The project's configuration: where it is found, and what is said of a bad one."""

from pathlib import Path

import pytest

from gradcheck.config import Config, find, load
from gradcheck.engine import BadInput
from gradcheck.policy import GateLimit, Policy

GOOD = """
[audit]
engines = ["mine"]
seed = 3

[engines.mine]
target = "sim.py:Mine"
python = "venv/bin/python"

[gate]
baseline = "ci/baseline.json"
new_warnings = "warn"

[[gate.rule]]
code = "GC501"
policy = "off"

[[gate.rule]]
engine = "mine"
policy = "warn"

[[gate.limit]]
code = "GC601"
testbed = "bounce"
limit = 8
"""


def test_without_a_file_everything_is_left_to_the_command(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert find(tmp_path) == Config()


def test_the_nearest_file_above_is_read(tmp_path: Path) -> None:
    (tmp_path / "gradcheck.toml").write_text(GOOD)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    found = find(tmp_path / "deep" / "er")
    assert found.audit.engines == ["mine"]
    assert found.audit.seed == 3
    assert found.engines["mine"].target == "sim.py:Mine"
    assert found.folder == tmp_path.resolve()
    assert found.gate.baseline == "ci/baseline.json"
    assert [(one.code, one.engine, one.policy) for one in found.gate.rule] == [
        ("GC501", "*", Policy.OFF),
        ("*", "mine", Policy.WARN),
    ]
    assert found.gate.limit == [GateLimit(code="GC601", testbed="bounce", limit=8.0)]


def test_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    (tmp_path / "gradcheck.toml").write_text(GOOD)
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    assert find(tmp_path / "clone") == Config()


def test_pyproject_has_a_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.gradcheck.audit]\nprofile = "full"\n')
    assert find(tmp_path).audit.profile == "full"


def test_a_pyproject_that_says_nothing_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "gradcheck.toml").write_text(GOOD)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert find(tmp_path / "sub").audit.seed == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[audit\n", "is not TOML.*line 1"),
        ("[audits]\n", "unknown key audits; there are audit, engines, gate"),
        ("[audit]\nengine = []\n", "unknown key audit.engine; there are engines, testbeds"),
        ("[engines.a]\npyhton = 'x'\n", "unknown key engines.a.pyhton; there are target, python"),
        ("[audit]\nseed = -1\n", "audit.seed: Input should be greater than or equal to 0"),
        ("audit = 3\n", "audit: Input should be"),
        ("[gate]\nrules = []\n", "unknown key gate.rules; there are baseline, noise, new_warnings"),
        ("[gate]\nnoise = 0.5\n", "gate.noise: Input should be greater than or equal to 1"),
        ("[gate]\nnoise = inf\n", "gate.noise: Input should be a finite number"),
        (
            "[[gate.rule]]\ncod = 'GC501'\npolicy = 'off'\n",
            "unknown key gate.rule.0.cod; there are code, engine, testbed, policy",
        ),
        ("[[gate.rule]]\npolicy = 'of'\n", "gate.rule.0.policy: Input should be 'off', 'warn' or"),
        ("[[gate.rule]]\ncode = 'GC501'\n", "gate.rule.0.policy: Field required"),
        ("[[gate.limit]]\nlimit = 8.0\n", "gate.limit.0.code: Field required"),
        ("[[gate.limit]]\ncode = 'GC601'\nlimit = nan\n", "gate.limit.0.limit: Input should be a"),
        (
            "[[gate.limit]]\ncode = 'GC601'\nmost = 8.0\n",
            "unknown key gate.limit.0.most; there are code, engine, testbed, limit",
        ),
    ],
)
def test_a_bad_file_is_told_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "gradcheck.toml"
    file.write_text(text)
    with pytest.raises(BadInput, match=complaint) as caught:
        load(file)
    assert "\n" not in str(caught.value)


def test_text_in_another_encoding_is_told(tmp_path: Path) -> None:
    file = tmp_path / "gradcheck.toml"
    file.write_bytes("[audit]\nout = 'ü'\n".encode("latin-1"))
    with pytest.raises(BadInput, match="not UTF-8"):
        load(file)


@pytest.mark.parametrize("name", ['""', '" "', '"two\\nlines"', '"a\\u202Eb"'])
def test_a_name_that_no_log_can_show_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "gradcheck.toml"
    file.write_text(f'[engines.{name}]\ntarget = "a.py:B"\n')
    with pytest.raises(BadInput, match="a name needs letters") as caught:
        load(file)
    assert str(caught.value).isprintable()


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    file = tmp_path / "gradcheck.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load(file).audit.seed == 3
