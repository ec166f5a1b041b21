"""A function of the user as an engine with one testbed of its own: `gradcheck.check(f, x)`."""

import abc
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcheck.engine import (
    AbstractEngine,
    AbstractSimulation,
    BadInput,
    EngineCard,
    Gradient,
    Inputs,
    Settings,
    Unsupported,
    require_knobs,
)
from gradcheck.engines.argument import Argument, is_tensor, to_numpy
from gradcheck.reason import reason
from gradcheck.testbed import Family, Input, Testbed

Function = Callable[[Any], Any]


class FunctionEngine(AbstractEngine):
    """One function at one argument. It answers for `testbed`, which it makes, and for no other."""

    def __init__(self, function: Function, argument: Argument, name: str, card: EngineCard) -> None:
        self.function = function
        self.argument = argument
        self.card = card
        self.testbed = _testbed(argument, name)

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        require_knobs(self.card, settings)
        if testbed is not self.testbed:
            raise Unsupported("a function answers for its own argument, not for a scene")
        return self.at(settings)

    @abc.abstractmethod
    def at(self, settings: Settings) -> AbstractSimulation:
        """The function under these settings."""


class PairEngine(FunctionEngine):
    """A function and its gradient, both written by the user in any library."""

    def __init__(
        self, function: Function, gradient: Function, argument: Argument, name: str
    ) -> None:
        card = EngineCard(name="function and gradient", version="", knobs=())
        super().__init__(function, argument, name, card)
        self.gradient = gradient
        self._try()

    def _try(self) -> None:
        """Raise `BadInput` for answers that are no value and gradient, before measuring."""
        arrays = self.argument.arrays()
        try:
            _, gradient = Pair(self).value_and_grad(arrays)
        except BadInput:
            raise
        except Exception as error:
            raise BadInput(f"f or its gradient raises at x: {reason(error)}") from None
        for name, array in arrays.items():
            if gradient[name].shape != array.shape:
                raise BadInput(
                    f"the gradient by {name} has shape {gradient[name].shape}: return the shape "
                    f"of {name}, {array.shape}"
                )

    def at(self, settings: Settings) -> AbstractSimulation:
        return Pair(self)


class Pair(AbstractSimulation):
    """Calls the two functions."""

    def __init__(self, engine: PairEngine) -> None:
        self.engine = engine

    def value(self, inputs: Inputs) -> float:
        argument = self.engine.argument.rebuild(inputs)
        return scalar(to_numpy(self.engine.function(argument)))

    def value_and_grad(self, inputs: Inputs) -> tuple[float, Gradient]:
        argument = self.engine.argument
        answer = self.engine.gradient(argument.rebuild(inputs))
        if argument.names == ("x",):
            return self.value(inputs), {"x": to_numpy(answer)}
        try:
            gradient = argument.arrays(answer)
        except ValueError as error:
            raise BadInput(f"grad(x) is not built like x: {error}") from None
        return self.value(inputs), gradient


def function_engine(
    function: Function, x: Any, gradient: Function | None, name: str | None
) -> FunctionEngine:
    """The engine that suits the function. Raises `BadInput` for one that nothing here can
    differentiate."""
    if not callable(function):
        raise BadInput(f"f is a {type(function).__name__}, which cannot be called: give a function")
    argument = Argument.of(x)
    name = name or getattr(function, "__name__", None) or type(function).__name__
    module = _is_module(function)
    if module:
        from gradcheck.engines.torch_function import in_float64

        function = in_float64(function)
    function, gradient = _staying(function), gradient and _staying(gradient)
    if gradient is not None:
        return PairEngine(function, gradient, argument, name)
    if any(map(is_tensor, argument.leaves)) or module:
        from gradcheck.engines.torch_function import TorchFunctionEngine

        return TorchFunctionEngine(function, argument, name)
    from gradcheck.engines.jax_function import JaxFunctionEngine

    return JaxFunctionEngine(function, argument, name)


def _staying(function: Function) -> Function:
    """The function, where calling sys.exit() is an error of it and not an exit."""

    @functools.wraps(function)
    def run(argument: Any) -> Any:
        try:
            return function(argument)
        except SystemExit as error:
            raise BadInput(f"the function calls sys.exit({error.code})") from None

    return run


def scalar(array: Any) -> float:
    """The one number in the answer of a function. Raises `BadInput` for more than one."""
    if np.size(array) != 1:
        raise BadInput(
            f"f returns an array of shape {np.shape(array)}: return one number, "
            "for example a sum with fixed random weights"
        )
    return float(np.reshape(array, ()))


def _is_module(function: Function) -> bool:
    return any(base.__module__.startswith("torch.nn") for base in type(function).__mro__)


def _testbed(argument: Argument, name: str) -> Testbed:
    return Testbed(
        name=name,
        question=f"Is the gradient of {name} right?",
        family=Family.SMOOTH,
        source="the function given",
        inputs=tuple(
            Input(key, value, scale=typical_size(value)) for key, value in argument.arrays().items()
        ),
        outputs=("value",),
        weights=(1.0,),
        scenes=(),
    )


def typical_size(value: Any) -> float:
    """Unit of changes of an input: a tenth of its largest entry, or of 1 where it is zero.

    Not more, since nobody has said where the function is defined: gradients are asked for within
    half of it on both sides.
    """
    return 0.1 * (float(np.max(np.abs(value), initial=0.0)) or 1.0)
