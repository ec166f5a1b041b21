"""`spring_chain`: masses on stiff springs fall on soft ground; each step is an implicit equation.

A chain of four masses, nearly level, comes down sideways and spinning. An implicit step's equation
is solved by a number of iterations, so that three derivatives part: that of the iterations that
ran, of the equation that they approximate, of the motion that the equation approximates. The
stiffest mode has 58 rad/s, 1.2 rad a time step: implicit Euler damps it away, the motion does not.
"""

import functools
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.scene import AnyArray, AnyInputs, Chain
from gradcheck.testbed import Family, Input, Testbed, Truth

COUNT = 4
LENGTH = 0.5
DT = 0.02
STEPS = 25
HORIZON = DT * STEPS
TOLERANCE = 1e-12
# Of complex steps: the square of it is below rounding.
STEP = 1e-20
STATE = ("q0", "v0")
PARAMETERS = ("stiffness", "damping", "contact")


def _start(inputs: AnyInputs, xp: AnyArray) -> tuple[AnyArray, AnyArray]:
    return inputs["q0"], inputs["v0"]


def _outputs(q: AnyArray, v: AnyArray, inputs: AnyInputs, xp: AnyArray) -> AnyArray:
    return xp.concatenate([q.reshape(-1), v.reshape(-1)])


CHAIN = Chain(
    masses=(1.0, 1.5, 0.8, 1.2),
    lengths=(LENGTH, 0.8 * LENGTH, 1.1 * LENGTH),
    width=0.02,
    gravity=9.81,
    start=_start,
    outputs=_outputs,
)


def _rate(state: AnyArray, parameters: AnyArray) -> AnyArray:
    """Time derivative [4 n] of (q, v)."""
    q, v = state.reshape(2, -1, 2)
    inputs = dict(zip(PARAMETERS, parameters, strict=True))
    force = CHAIN.force(q, v, inputs, np)
    return np.concatenate([v.reshape(-1), (force / np.array(CHAIN.masses)[:, None]).reshape(-1)])


def flow(inputs: Inputs, time: float) -> tuple[Array, Array]:
    """(q, v) [4 n] at `time`, and its derivative [4 n, 4 n + 3] by start and parameters.

    The motion and its linearisation (by complex steps) in one ODE, by DOP853 at 1e-12.
    """
    start, parameters = _packed(inputs)
    size, width = start.size, start.size + parameters.size
    turned = 1j * STEP * np.eye(width)[size:]

    def rate(_: float, whole: Array) -> Array:
        state, moves = whole[:size], whole[size:].reshape(width, size)
        linear = [
            _rate(
                state + 1j * STEP * move, parameters + (turned[:, column] if column >= size else 0)
            )
            for column, move in enumerate(moves)
        ]
        return np.concatenate([_rate(state, parameters), np.imag(linear).reshape(-1) / STEP])

    whole = np.concatenate([start, np.eye(width, size).reshape(-1)])
    end = _end(rate, whole, time)
    return end[:size], end[size:].reshape(width, size).T


def motion(inputs: Inputs, time: float) -> Array:
    """(q, v) [4 n] at `time` alone, which takes a small part of the time of `flow`."""
    start, parameters = _packed(inputs)
    return _end(lambda _, state: _rate(state, parameters), start, time)


def _packed(inputs: Inputs) -> tuple[Array, Array]:
    """The state at the start [4 n], and the parameters [3]."""
    start, parameters = (
        np.concatenate([np.ravel(inputs[name]) for name in names]) for names in (STATE, PARAMETERS)
    )
    return start, parameters


def _end(rate: Callable[[float, Array], Array], start: Array, time: float) -> Array:
    end: Array = solve_ivp(rate, (0, time), start, "DOP853", rtol=TOLERANCE, atol=TOLERANCE).y[
        :, -1
    ]
    return end


@functools.lru_cache(maxsize=8)
def _flow(key: tuple[tuple[float, ...], ...]) -> tuple[Array, Array]:
    sizes = dict(zip((*STATE, *PARAMETERS), key, strict=True))
    return flow({name: np.array(value) for name, value in sizes.items()}, HORIZON)


def _truth(inputs: Inputs) -> tuple[Array, Array]:
    return _flow(tuple(tuple(map(float, np.ravel(inputs[n]))) for n in (*STATE, *PARAMETERS)))


def _jacobian(inputs: Inputs) -> Gradient:
    """By input [4 n, *shape]."""
    jacobian, out, at = _truth(inputs)[1], {}, 0
    for name in (*STATE, *PARAMETERS):
        size = np.size(inputs[name])
        out[name] = jacobian[:, at : at + size].reshape(-1, *np.shape(inputs[name]))
        at += size
    return out


TESTBED = Testbed(
    name="spring_chain",
    question="Whose derivative is it: of the iterations, of the step's equation, of the motion?",
    family=Family.HORIZON,
    source="four masses, three springs, smooth penalty contact; implicit Euler by iterations",
    inputs=(
        Input(
            "q0",
            np.array([[0.0, 0.25], [0.5, 0.3], [0.88, 0.38], [1.4, 0.47]]),
            scale=0.01,
            unit="m",
        ),
        Input(
            "v0",
            np.array([[0.5, -1.0], [0.8, -1.2], [0.3, -0.8], [0.6, -1.5]]),
            scale=0.1,
            unit="m/s",
        ),
        Input("stiffness", np.array([1000.0]), scale=100.0, unit="N/m"),
        Input("damping", np.array([2.0]), scale=1.0, unit="N s/m"),
        Input("contact", np.array([2000.0]), scale=200.0, unit="N/m"),
    ),
    outputs=tuple(
        f"{axis}{mass}" for axis in ("position ", "velocity ") for mass in range(2 * COUNT)
    ),
    # All count, none like another; a velocity of 10 m/s as a place of 1 m.
    weights=(
        *(0.9, -0.5, 0.3, 0.7, -0.8, 0.4, 0.6, -1.1),
        *(0.05, 0.08, -0.06, 0.03, 0.09, -0.04, -0.07, 0.1),
    ),
    scenes=(CHAIN, CHAIN.equations()),
    dt=DT,
    steps=STEPS,
    truth=Truth(
        source="the motion and its linearised equations by DOP853 at 1e-12",
        outputs=lambda inputs: motion(inputs, HORIZON),
        jacobian=_jacobian,
        accuracy=1e-9,
    ),
)
