"""The loss and its gradient at the nominal inputs, with and without gradients, repeated."""

import numpy as np

from gradcheck.artifact import Basics
from gradcheck.engine import Gradient
from gradcheck.subject import Subject

REPEATS = 3
ELSEWHERE = 1e-3
"""How far away, in typical changes, gradients are asked for in between."""


def measure(subject: Subject) -> Basics:
    """Values before, between and after gradients; gradients with one of another point between.

    The order shows state that one call leaves to the next.
    """
    simulation, nominal = subject.simulation(), subject.nominal
    values = [simulation.value(nominal)]
    first, raw = simulation.value_and_grad(nominal)
    with_grad, gradients = [first], [raw]
    for _ in range(REPEATS - 1):
        elsewhere = subject.batch(ELSEWHERE * subject.joint().vector)
        simulation.value_and_grad(elsewhere)
        values.append(simulation.value(nominal))
        value, gradient = simulation.value_and_grad(nominal)
        with_grad.append(value)
        gradients.append(gradient)
    values.append(simulation.value(nominal))
    pair = subject.batch(np.outer([ELSEWHERE, 0.0], subject.joint().vector))
    rows = subject.tangent.pull(pair, simulation.values_and_grads(pair)[1])
    return Basics(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        steps=subject.testbed.steps,
        dt=subject.testbed.dt,
        inputs={name: np.ravel(array).tolist() for name, array in nominal.items()},
        values=values,
        values_with_grad=with_grad,
        gradients=[subject.split(subject.tangent.pull(nominal, one)) for one in gradients],
        batched=subject.split(rows[1]),
        raw_gradient={name: np.ravel(raw[name]).tolist() for name in subject.names},
        radial=radial(subject, raw),
        undifferentiated=dict(simulation.undifferentiated),
        diagnostics=simulation.diagnostics(nominal),
    )


def radial(subject: Subject, gradient: Gradient) -> dict[str, float]:
    """By input with quaternions, the largest |g . q| / |g| over them; 0 where g vanishes."""
    out = {}
    for one in subject.testbed.inputs:
        if one.name not in subject.names or not one.quaternions:
            continue
        value, grad = np.ravel(subject.nominal[one.name]), np.ravel(gradient[one.name])
        parts = []
        for start in one.quaternions:
            q, g = value[start : start + 4], grad[start : start + 4]
            size = float(np.linalg.norm(g))
            parts.append(0.0 if size == 0 else abs(float(g @ q)) / size)
        out[one.name] = float(np.max(parts))
    return out
