"""First-order against zeroth-order estimates of the slope of a loss's mean under noise."""

from typing import NamedTuple

import numpy as np

from gradcheck.artifact import Smoothing, SmoothRow
from gradcheck.direction import chosen
from gradcheck.engine import AbstractSimulation, Array, Unsupported
from gradcheck.measure.sweep import tangent_index
from gradcheck.subject import Subject
from gradcheck.taxonomy import Realization, Retention
from gradcheck.testbed import Family

DEFAULT_NOISE = 0.1
"""Standard deviation on the swept input, in typical changes, where a testbed states no noise."""

REFERENCE = 16
"""How many times the budget the reference gets where there is no exact value."""

REVERSE_COST = 4.0
"""Loss evaluations that a reverse-mode gradient counts for (cheap gradient principle: Griewank,
Walther, Evaluating Derivatives, SIAM 2008, section 4.6)."""

PROBES = 1024
"""The engine's `probe_limit` at which a gradient counts as cheap; fewer scale the budget down."""

CHUNK = 4096
"""Inputs made at once."""


class Estimate(NamedTuple):
    """Mean, its standard error, and the variance of one sample, by tangent coordinate [size]."""

    mean: Array
    error: Array
    variance: Array
    samples: int


def measure(subject: Subject) -> Smoothing:
    """Both estimates of every coordinate from one set of samples each, at equal budget."""
    sigma, coordinates = noise(subject)
    simulation, rng = subject.simulation(), subject.rng("smoothing")
    cost, budget = gradient_cost(subject), evaluations(subject)
    first = first_order(subject, simulation, sigma, max(2, int(budget / cost)), rng)
    zeroth = zeroth_order(subject, simulation, sigma, budget // 2, rng)
    exact = _exact(subject)
    if exact is None:
        pairs = REFERENCE * budget // 2
        reference = zeroth_order(subject, simulation, sigma, pairs, subject.rng("reference"))
    else:
        reference = Estimate(exact, np.zeros_like(exact), np.zeros_like(exact), 0)
    return Smoothing(
        engine=subject.engine_name,
        testbed=subject.testbed.name,
        seed=subject.seed,
        gradient_cost=cost,
        rows=[
            _row(subject, name, index, sigma, budget, first, zeroth, reference, exact)
            for name, index in coordinates
        ],
    )


def noise(subject: Subject) -> tuple[Array, list[tuple[str, int]]]:
    """Standard deviations [size], and the coordinates (input, index) to estimate a slope by.

    Without noise of its own, a testbed with contact gets some on the input of its sweep.
    """
    testbed, tangent, sweep = subject.testbed, subject.tangent, subject.testbed.sweep
    sigma = np.zeros(tangent.size)
    if testbed.noise:
        for name, size in testbed.noise.items():
            sigma[tangent.parts[name]] = size
        coordinates = [
            (name, index)
            for name in testbed.noise
            if name in subject.names
            for index in chosen(testbed.input(name).tangent_size, subject.budget.smooth_coordinates)
        ]
    elif testbed.family is Family.CONTACT and sweep is not None:
        one = testbed.input(sweep.input)
        sigma[tangent.parts[one.name]] = DEFAULT_NOISE * one.scale
        index = tangent_index(one, sweep.index)
        coordinates = [(one.name, index)] if one.name in subject.names else []
    else:
        raise Unsupported(f"testbed {testbed.name} has neither noise nor a contact to sweep")
    if not coordinates:
        raise Unsupported(f"{subject.engine_name} differentiates no input that has noise")
    return sigma, coordinates


def gradient_cost(subject: Subject) -> float:
    """Loss evaluations that one gradient counts for, from the card, so that it is the same on
    every machine: 4 for reverse mode and adjoints, 1 + D for forward mode (nothing retained),
    2 D for central differences, of D differentiated entries."""
    card = subject.engine.card
    entries = sum(int(subject.nominal[name].size) for name in subject.names)
    if card.realization is Realization.DIFFERENCES:
        return 2.0 * entries
    return 1.0 + entries if card.retention is Retention.NOTHING else REVERSE_COST


def evaluations(subject: Subject) -> int:
    """The budget: a power of two, by the number of time steps and what a gradient costs."""
    least, most = subject.budget.evaluations
    steps = subject.testbed.steps if subject.testbed.dt > 0 else 1
    share = min(1.0, subject.engine.probe_limit / PROBES)
    wanted = int(np.clip(subject.budget.work * share / steps, least, most))
    return 1 << (wanted.bit_length() - 1)


def first_order(
    subject: Subject,
    simulation: AbstractSimulation,
    sigma: Array,
    count: int,
    rng: np.random.Generator,
) -> Estimate:
    """Means of the engine's gradients at noisy inputs."""
    batch = subject.batch(sigma * rng.standard_normal((count, len(sigma))))
    return _estimate(subject.tangent.pull(batch, simulation.values_and_grads(batch)[1]))


def zeroth_order(
    subject: Subject,
    simulation: AbstractSimulation,
    sigma: Array,
    pairs: int,
    rng: np.random.Generator,
) -> Estimate:
    """Antithetic score-function estimates, (f(x + s z) - f(x - s z)) z / 2 s, of `pairs` pairs.

    Suh et al., Do Differentiable Simulators Give Better Policy Gradients?, ICML 2022.
    """
    samples = []
    weights = np.divide(1.0, sigma, out=np.zeros_like(sigma), where=sigma > 0)
    for begin in range(0, pairs, CHUNK):
        z = rng.standard_normal((min(CHUNK, pairs - begin), len(sigma)))
        values = simulation.values(subject.batch(np.concatenate([sigma * z, -sigma * z])))
        with np.errstate(invalid="ignore"):
            change = (values[: len(z)] - values[len(z) :]) / 2
        samples.append(change[:, None] * z * weights)
    return _estimate(np.concatenate(samples))


def _estimate(samples: Array) -> Estimate:
    with np.errstate(invalid="ignore"):
        variance = samples.var(axis=0, ddof=1)
    return Estimate(samples.mean(axis=0), np.sqrt(variance / len(samples)), variance, len(samples))


def _exact(subject: Subject) -> Array | None:
    truth = subject.testbed.truth
    if truth is None or truth.smoothed is None or not subject.testbed.noise:
        return None
    return subject.tangent.pull(subject.nominal, truth.smoothed(subject.nominal))


def _row(
    subject: Subject,
    name: str,
    index: int,
    sigma: Array,
    budget: int,
    first: Estimate,
    zeroth: Estimate,
    reference: Estimate,
    exact: Array | None,
) -> SmoothRow:
    at = subject.tangent.parts[name].start + index
    return SmoothRow(
        label=subject.testbed.input(name).labels()[index],
        input=name,
        index=index,
        sigma=float(sigma[at]),
        budget=budget,
        first_mean=float(first.mean[at]),
        first_error=float(first.error[at]),
        first_variance=float(first.variance[at]),
        first_count=first.samples,
        zeroth_mean=float(zeroth.mean[at]),
        zeroth_error=float(zeroth.error[at]),
        zeroth_variance=float(zeroth.variance[at]),
        zeroth_count=zeroth.samples,
        reference_mean=float(reference.mean[at]),
        reference_error=float(reference.error[at]),
        exact=None if exact is None else float(exact[at]),
    )
