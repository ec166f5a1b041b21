"""A backward pass over the steps of a rollout, from the products that each step exposes."""

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradcheck.engine import BadInput
from gradcheck.remedies.arrays import AnyArray, namespace
from gradcheck.remedies.clip import MedianClip, clip_together
from gradcheck.remedies.remedy import BackwardRemedy, Effect
from gradcheck.remedies.truncate import Truncation

Pullback = Callable[[AnyArray], AnyArray]


@dataclass(frozen=True)
class Backward:
    """`cotangents[t]` [batch, n]: the derivative of each sample's loss by its state t, for
    t = 0 ... T; the gradient by the initial state comes first. That by an input which enters step t
    is the step's own product with `cotangents[t + 1]`.

    `counts[i]` [2]: how many cotangents remedy i changed, and found not finite.
    """

    cotangents: tuple[AnyArray, ...]
    remedies: tuple[BackwardRemedy, ...]
    counts: tuple[AnyArray, ...]

    def effects(self) -> tuple[Effect, ...]:
        """The counts as records of a report (not inside jit)."""
        total = (len(self.cotangents) - 1) * self.cotangents[0].shape[0]
        return tuple(map(effect, self.remedies, self.counts, [total] * len(self.remedies)))


def effect(remedy: BackwardRemedy, counts: AnyArray, total: int) -> Effect:
    """One remedy's two counts as a record."""
    changed, non_finite = (int(one) for one in counts)
    return Effect(remedy=remedy, changed=changed, non_finite=non_finite, total=total)


def backward(
    pullbacks: AnyArray | Sequence[Pullback],
    cotangent: AnyArray,
    remedies: Sequence[BackwardRemedy] = (),
    along: Mapping[int, AnyArray] | None = None,
) -> Backward:
    """Carry `cotangent` [batch, n], the derivative of the loss by the last state, to the first.

    pullbacks: the steps in the order of time. Either their Jacobians, [T, n, n] as
    `AbstractSimulation.step_jacobians` returns them, for cotangents at one trajectory, or
    [T, batch, n, n] for a trajectory a sample; or T functions from cotangents [batch, n] after the
    step to those before it.
    along: derivatives [batch, n] of losses along the way by state t, by t.

    `remedies` act in their order on what comes out of each step, before `along` is added. Without
    any, the numbers are those of the plain recursion, bit for bit. Steps that a truncation leaves
    without a gradient are not asked. Raises `BadInput` for shapes that do not fit, and for a remedy
    that does not act on a backward pass.
    """
    require_backward(remedies)
    xp = namespace(cotangent)
    if cotangent.ndim != 2:
        raise BadInput(f"cotangent has shape {cotangent.shape}: give [batch, n]")
    functions = _functions(pullbacks, cotangent)
    steps, losses = len(functions), dict(along or {})
    for t, loss in losses.items():
        if not 0 <= t < steps or loss.shape != cotangent.shape:
            raise BadInput(
                f"along[{t}] has shape {loss.shape}: give {cotangent.shape} at states 0 to "
                f"{steps - 1}; the loss of the last state is `cotangent`"
            )
    found, alive = [cotangent], True
    counts = tuple(xp.zeros(2, int) for _ in remedies)
    for t in reversed(range(steps)):
        if alive:
            flow = functions[t](found[-1])
            (flow,), more = apply((flow,), remedies, t, steps)
            counts = tuple(a + b for a, b in zip(counts, more, strict=True))
            alive = not any(one.cuts(t, steps) for one in remedies if isinstance(one, Truncation))
        else:
            flow = xp.zeros_like(cotangent)
        if t in losses:
            flow, alive = flow + losses[t], True
        found.append(flow)
    return Backward(tuple(reversed(found)), tuple(remedies), counts)


def apply(
    parts: Sequence[AnyArray], remedies: Sequence[BackwardRemedy], index: Any, steps: int | None
) -> tuple[tuple[AnyArray, ...], tuple[AnyArray, ...]]:
    """The cotangents [batch, ...] of the state before step `index`, and each remedy's counts [2]:
    samples that it changed, samples that were not finite."""
    xp = namespace(parts[0])
    parts, counts = tuple(parts), []
    for remedy in remedies:
        if isinstance(remedy, MedianClip):
            parts, _, bounded, non_finite, _ = clip_together(parts, remedy.factor)
            counts.append(xp.stack([xp.sum(bounded), xp.sum(non_finite)]))
        else:
            cut = remedy.cuts(index, steps)
            lost = xp.sum(cut & _nonzero(parts))
            parts = tuple(xp.where(cut, xp.zeros_like(part), part) for part in parts)
            counts.append(xp.stack([lost, xp.zeros_like(lost)]))
    return parts, tuple(counts)


def _nonzero(parts: Sequence[AnyArray]) -> AnyArray:
    """Which samples [batch] have a gradient at all?"""
    found = [(part != 0).reshape(part.shape[0], -1).any(axis=1) for part in parts]
    return functools.reduce(operator.or_, found)


def require_backward(remedies: Sequence[Any]) -> None:
    """Raise `BadInput` for what does not act between the steps of a backward pass."""
    for one in remedies:
        if not isinstance(one, BackwardRemedy):
            said = one.describe() if hasattr(one, "describe") else repr(one)
            raise BadInput(f"{said}: this does not act on a backward pass; leave it out here")


def _functions(pullbacks: Any, cotangent: AnyArray) -> list[Pullback]:
    """The steps as functions. A product with a Jacobian is one row times a matrix a sample."""
    if not hasattr(pullbacks, "ndim"):
        functions = list(pullbacks)
        if not all(callable(one) for one in functions):
            raise BadInput("pullbacks are no functions: give functions, or one array of Jacobians")
        return functions
    batch, n = cotangent.shape
    if pullbacks.shape[1:] not in ((n, n), (batch, n, n)):
        raise BadInput(
            f"Jacobians have shape {pullbacks.shape}: give [T, {n}, {n}], or "
            f"[T, {batch}, {n}, {n}] with a trajectory a sample"
        )

    def pull(jacobian: AnyArray) -> Pullback:
        if jacobian.ndim == 2:
            return lambda rows: rows @ jacobian
        return lambda rows: (rows[:, None, :] @ jacobian)[:, 0, :]

    return [pull(jacobian) for jacobian in pullbacks]
