"""Values and gradients at many random states: is everything finite, and if not, since when?"""

import math

import numpy as np
from numpy.typing import NDArray

from gradcheck.artifact import Probes
from gradcheck.engine import Array, Inputs, Knob, Settings
from gradcheck.subject import Subject

RADIUS = 0.5
"""Half the width of the probed box, in typical changes about the nominal inputs.

The box is one typical change wide, and each of n = 2^m points lies in its own n-th of every
coordinate's range: a bad stretch of two n-ths of it (1/500 of 1024) is always met.
"""


def measure(subject: Subject) -> Probes:
    """Scrambled Sobol points; of the first bad one, the inputs struck and the fewest steps."""
    simulation = subject.simulation()
    count = min(subject.budget.probes, subject.engine.probe_limit)
    deltas = points(subject.tangent.size, count, subject.rng("probes")) * subject.tangent.scales
    batch = subject.batch(deltas)
    values, gradients = simulation.values_and_grads(batch)
    good = {name: _finite(gradients[name]) for name in subject.names}
    bad_gradients = ~np.all(list(good.values()), axis=0) if good else np.zeros(len(deltas), bool)
    bad = np.flatnonzero(bad_gradients | ~np.isfinite(values))
    found = Probes(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        count=len(deltas),
        bad_values=int(np.count_nonzero(~np.isfinite(values))),
        bad_gradients=int(np.count_nonzero(bad_gradients)),
    )
    if not bad.size:
        return found
    first = int(bad[0])
    inputs = {name: array[first] for name, array in batch.items()}
    return found.model_copy(
        update={
            "first_bad": {name: np.ravel(array).tolist() for name, array in inputs.items()},
            "bad_inputs": [name for name, fine in good.items() if not fine[first]],
            "bad_forward": not math.isfinite(simulation.value(inputs)),
            "first_bad_horizon": _first_bad_horizon(subject, inputs),
        }
    )


def points(size: int, count: int, rng: np.random.Generator) -> Array:
    """2^m scrambled Sobol points [2^m, size] of the box [-RADIUS, RADIUS]^size, 2^m <= count."""
    from scipy.stats import qmc  # half a second to import

    exponent = max(count, 1).bit_length() - 1
    if size > qmc.Sobol.MAXDIM:  # Latin hypercubes have the same strata in each coordinate
        sample = qmc.LatinHypercube(size, rng=rng).random(2**exponent)
    else:
        sample = qmc.Sobol(size, rng=rng).random_base2(exponent)
    return np.asarray(RADIUS * (2 * sample - 1), np.float64)


def _first_bad_horizon(subject: Subject, inputs: Inputs) -> int | None:
    """The fewest steps at which the gradient or the loss is not finite, by bisection."""
    if subject.testbed.dt <= 0 or not subject.knows(Knob.STEPS):
        return None
    good, bad = 0, subject.testbed.steps
    while bad - good > 1:
        middle = (good + bad) // 2
        value, gradient = subject.simulation(Settings(steps=middle)).value_and_grad(inputs)
        if np.isfinite(value) and all(np.isfinite(gradient[n]).all() for n in subject.names):
            good = middle
        else:
            bad = middle
    return bad


def _finite(rows: Array) -> NDArray[np.bool_]:
    """Which rows [n] of [n, ...] are finite throughout."""
    return np.asarray(np.isfinite(rows).reshape(len(rows), -1).all(axis=1))
