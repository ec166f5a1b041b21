"""How a cost grows with the horizon."""

import math

import numpy as np


def growth_exponent(steps: list[int], costs: list[float]) -> float:
    """The exponent p of cost = a + b steps^p between the shortest and the longest horizon.

    A constant part (buffers, compiled code) is taken off by looking at increments over the
    shortest horizon, in a least-squares line of their logarithms: 0 for a constant cost, 1 for a
    linear one. Increments that are not positive say "constant". NaN for fewer than 3 horizons.
    """
    if len(steps) < 3 or not all(map(math.isfinite, costs)):
        return math.nan
    order = np.argsort(steps)
    n = np.asarray(steps, np.float64)[order]
    cost = np.asarray(costs, np.float64)[order]
    more, longer = cost[1:] - cost[0], n[1:] - n[0]
    if not np.all(more > 0) or not np.all(longer > 0):
        return 0.0
    return float(np.polyfit(np.log(longer), np.log(more), 1)[0])


def power(steps: list[int], costs: list[float]) -> float:
    """The exponent p of cost = b steps^p by least squares of logarithms: for times, whose constant
    part is small and whose noise may exceed an increment. NaN for fewer than 3 positive costs."""
    told = [(n, cost) for n, cost in zip(steps, costs, strict=True) if 0 < cost < math.inf]
    if len({n for n, _ in told}) < 3:
        return math.nan
    n, cost = np.log(np.array(told, np.float64)).T
    return float(np.polyfit(n, cost, 1)[0])


def per_step(steps: list[int], costs: list[float]) -> float:
    """Cost of one more step, from the shortest to the longest horizon; NaN for one horizon."""
    low, high = int(np.argmin(steps)), int(np.argmax(steps))
    if steps[high] == steps[low]:
        return math.nan
    return (costs[high] - costs[low]) / (steps[high] - steps[low])
