"""What `gradcheck check FILE.py:f --at …` asks for: a function of one argument, and where."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gradcheck import target
from gradcheck.engine import BadInput

Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Call:
    """A function of one argument, its gradient if given, and where to look at them."""

    name: str
    function: Function
    gradient: Function | None
    argument: Any

    @classmethod
    def named(cls, function: str, at: str | None, gradient: str | None) -> Self:
        """From the words of the command line. Raises `BadInput`."""
        found = _function(function)
        slope = None if gradient is None else _function(gradient)
        argument = _defaults(found, function) if at is None else _argument(at)
        if isinstance(argument, Mapping) and _takes(found, argument):
            if len(argument) == 1:
                (argument,) = argument.values()
            else:
                names = tuple(argument)
                found, slope = _by_name(found), slope and _gradient_by_name(slope, names)
        return cls(function.rpartition(":")[2], found, slope, argument)


def _function(name: str) -> Function:
    found = target.load(name)
    if not callable(found):
        raise BadInput(f"{name} is a {type(found).__name__}, which cannot be called")
    return found


def _defaults(function: Function, name: str) -> dict[str, Any]:
    """The default values of all parameters, by name."""
    parameters = inspect.signature(function).parameters
    absent = [p.name for p in parameters.values() if p.default is p.empty]
    if absent or not parameters:
        wanted = json.dumps(dict.fromkeys(absent, 1.0) or 1.0)
        raise BadInput(f"where should {name} be looked at? Say so by --at, such as --at '{wanted}'")
    return {p.name: p.default for p in parameters.values()}


def _argument(at: str) -> Any:
    if target.is_target(at):
        found = target.load(at)
        return _numbers(found) if isinstance(found, (list, tuple)) else found
    try:
        return _numbers(json.loads(at))
    except json.JSONDecodeError as error:
        raise BadInput(
            f"--at is not JSON at character {error.pos + 1} ({error.msg}): write a number, "
            "'[1.0, 2.0]', '{\"x\": [1.0, 2.0]}' or FILE.py:NAME"
        ) from None
    except (RecursionError, ValueError) as error:
        raise BadInput(f"--at is no number, list or object of them: {error}") from None


def _numbers(value: Any) -> Any:
    """Numbers as floats, lists of them as arrays, objects by key."""
    if isinstance(value, dict):
        return {key: _numbers(entry) for key, entry in value.items()}
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(
            f"--at holds {json.dumps(value, default=str):.80}, which is no array of numbers"
        ) from None
    if not np.all(np.isfinite(array)):
        raise BadInput(f"--at holds {json.dumps(value, default=str):.80}, which is not finite")
    return float(array) if array.ndim == 0 else array


def _takes(function: Function, argument: Mapping[str, Any]) -> bool:
    """Are the keys names of the function's parameters?"""
    try:
        inspect.signature(function).bind(**argument)
    except (TypeError, ValueError):
        return False
    return True


def _by_name(function: Callable[..., Any]) -> Function:
    return lambda argument: function(**argument)


def _gradient_by_name(gradient: Callable[..., Any], names: tuple[str, ...]) -> Function:
    """A gradient that returns a tuple, in the order of the names, or a dictionary."""

    def run(argument: Mapping[str, Any]) -> Any:
        answer = gradient(**argument)
        return dict(zip(names, answer, strict=True)) if isinstance(answer, tuple) else answer

    return run
