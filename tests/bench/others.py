"""What the usual gradient checkers say of a simulation, at their default tolerances.

They are asked for the gradient at the nominal inputs, the one question that they can be asked.
scipy's has no tolerance: the one of its documentation's example, 1e-6, is held against its result
relative to the gradient's norm.
"""

import importlib.util
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np

import gradcheck.engines.jax_program  # noqa: F401  (double precision in JAX)
from gradcheck.engine import AbstractEngine, AbstractSimulation, Array, Inputs, Settings
from gradcheck.reason import reason
from gradcheck.testbed import Testbed
from tests.bench.pipeline import flat, unflat

SCIPY_TOLERANCE = 1e-6


class Answer(StrEnum):
    """What a checker says."""

    RIGHT = "right"
    WRONG = "wrong"
    ALWAYS = "wrong, as of the right engine"
    CANNOT = "cannot be asked"


Said = tuple[Answer, str]


class Flat:
    """The loss and its gradient as functions of one vector of the differentiated inputs."""

    def __init__(self, simulation: AbstractSimulation, nominal: Inputs) -> None:
        self.simulation = simulation
        self.held = {k: v for k, v in nominal.items() if k in simulation.undifferentiated}
        self.free = {k: v for k, v in nominal.items() if k not in self.held}
        self.x = flat(self.free)

    def value(self, x: Array) -> float:
        return self.simulation.value({**unflat(np.asarray(x), self.free), **self.held})

    def pair(self, x: Array) -> tuple[float, Array]:
        value, grads = self.simulation.value_and_grad(
            {**unflat(np.asarray(x), self.free), **self.held}
        )
        return value, flat({name: grads[name] for name in self.free})


def by_jax(function: Flat) -> Said:
    """What `jax.test_util.check_grads` does in reverse mode: `check_vjp` at order 1.

    It is called without its outer shell, which would put the simulation into a callback of a
    compiled program; JAX inside of a callback of JAX can wait for itself forever.
    """
    import jax.numpy as jnp
    from jax.test_util import check_vjp

    def loss(x: Any) -> Any:
        return np.float64(function.value(x))

    def pull(x: Any) -> Any:
        value, grad = function.pair(x)

        def times(cotangent: Any) -> Any:
            return (np.asarray(cotangent) * grad,)

        return np.float64(value), times

    assert jnp.zeros(1).dtype == np.float64, "the engines' own module asks for it"
    return _asserted(check_vjp, loss, pull, (function.x,))


def by_scipy(function: Flat) -> Said:
    """`scipy.optimize.check_grad`: the norm of the difference to forward differences."""
    from scipy.optimize import check_grad

    def gradient(x: Array) -> Array:
        return function.pair(x)[1]

    error = float(check_grad(function.value, gradient, function.x))
    size = float(np.linalg.norm(function.pair(function.x)[1]))
    limit = SCIPY_TOLERANCE * max(1.0, size)
    said = f"difference {error:.2g}, gradient {size:.2g}"
    return (Answer.RIGHT if error <= limit else Answer.WRONG), said


def by_torch(function: Flat) -> Said:
    """`torch.autograd.gradcheck` on a `torch.autograd.Function`."""
    import torch

    class Loss(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(context: Any, x: Any) -> Any:
            context.save_for_backward(x)
            return torch.tensor(function.value(x.detach().numpy()), dtype=torch.float64)

        @staticmethod
        def backward(context: Any, cotangent: Any) -> Any:
            (x,) = context.saved_tensors
            return cotangent * torch.from_numpy(function.pair(x.detach().numpy())[1])

    x = torch.tensor(function.x, dtype=torch.float64, requires_grad=True)
    return _asserted(torch.autograd.gradcheck, Loss.apply, (x,))


CHECKERS: dict[str, Callable[[Flat], Said]] = {
    "jax check_grads": by_jax,
    "scipy check_grad": by_scipy,
    "torch gradcheck": by_torch,
}


def checkers() -> dict[str, Callable[[Flat], Said]]:
    """Those whose library is installed."""
    return {
        name: checker
        for name, checker in CHECKERS.items()
        if importlib.util.find_spec(name.split()[0]) is not None
    }


def ask(engine: AbstractEngine, testbed: Testbed) -> dict[str, Said]:
    """Every installed checker's answer at the nominal inputs, each on a simulation of its own."""
    return {
        name: _answer(checker, engine.simulate(testbed, Settings()), testbed.nominal())
        for name, checker in checkers().items()
    }


def _answer(
    checker: Callable[[Flat], Said], simulation: AbstractSimulation, nominal: Inputs
) -> Said:
    try:
        return checker(Flat(simulation, nominal))
    except Exception as error:
        return Answer.CANNOT, reason(error)


def _asserted(check: Callable[..., object], *arguments: Any) -> Said:
    """A checker that raises where the gradient is wrong, and something else where it cannot."""
    try:
        check(*arguments)
    except AssertionError as error:
        return Answer.WRONG, reason(error)
    except RuntimeError as error:
        if type(error).__name__ == "GradcheckError":
            return Answer.WRONG, reason(error)
        raise
    return Answer.RIGHT, ""
