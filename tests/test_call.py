"""The words of `gradcheck check`: which function is called how, and where."""

from pathlib import Path

import numpy as np
import pytest

from gradcheck.call import Call
from gradcheck.engine import BadInput

SOURCE = """
import numpy as np

x0 = np.array([1.0, 2.0])
x_list = [1.0, 2.0]
def of_one(x): return x[0] ** 2 + x[1]
def of_two(mass, q): return mass * q[0]
def slopes(mass, q): return q[0], np.array([mass])
def of_tree(tree): return tree["a"] + tree["b"]
def with_defaults(x=3.0, y=np.ones(2)): return x * y[0]
number = 5
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "losses.py"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize("at", ["[1.0, 2]", '{"x": [1, 2]}', "FILE:x0", "FILE:x_list"])
def test_one_argument(file: Path, at: str) -> None:
    call = Call.named(f"{file}:of_one", at.replace("FILE", str(file)), None)
    np.testing.assert_array_equal(call.argument, [1.0, 2.0])
    assert call.argument.dtype == np.float64
    assert call.function(call.argument) == 3.0
    assert call.name == "of_one"


def test_parameters_by_name_with_a_gradient_in_their_order(file: Path) -> None:
    call = Call.named(f"{file}:of_two", '{"mass": 2, "q": [3]}', f"{file}:slopes")
    assert call.function(call.argument) == 6.0
    assert call.gradient is not None
    assert call.gradient(call.argument) == {"mass": 3.0, "q": np.array([2.0])}


def test_a_dictionary_as_the_one_argument(file: Path) -> None:
    call = Call.named(f"{file}:of_tree", '{"a": 1, "b": 2}', None)
    assert call.function(call.argument) == 3.0


def test_default_values(file: Path) -> None:
    call = Call.named(f"{file}:with_defaults", None, None)
    assert call.function(call.argument) == 3.0
    assert call.argument.keys() == {"x", "y"}


@pytest.mark.parametrize(
    ("function", "at", "text"),
    [
        ("of_two", None, """--at '{"mass": 1.0, "q": 1.0}'"""),
        ("of_one", "[1.0,", "--at is not JSON at character 6"),
        ("of_one", '"here"', 'holds "here", which is no array of numbers'),
        ("of_one", "[[1], [1, 2]]", "which is no array of numbers"),
        ("of_one", "[NaN]", "which is not finite"),
        ("number", "1.0", "is a int, which cannot be called"),
    ],
)
def test_errors(file: Path, function: str, at: str | None, text: str) -> None:
    with pytest.raises(BadInput) as error:
        Call.named(f"{file}:{function}", at, None)
    assert text in str(error.value)


@pytest.mark.parametrize("at", ["[" * 3000 + "]" * 3000, "1" * 5001], ids=["deep", "long"])
def test_json_that_python_refuses(file: Path, at: str) -> None:
    with pytest.raises(BadInput, match="--at is no number, list or object"):
        Call.named(f"{file}:of_one", at, None)


def test_a_name_too_long_for_the_file_system() -> None:
    with pytest.raises(BadInput, match="there is no file a"):
        Call.named("a" * 300 + ".py:f", "1", None)
