"""Per-sample clipping relative to the median norm of the batch.

A rare sample whose cotangent is unbounded (a stiff contact met at the wrong moment, a chaotic
trajectory) otherwise decides the mean of the whole batch. A bound relative to the median needs no
scale to be known in advance, and follows the scale as it changes from step to step.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import model_validator

from gradcheck.engine import BadInput
from gradcheck.record import Record
from gradcheck.remedies.arrays import AnyArray, namespace, spread


class MedianClip(Record):
    """Scale each sample's cotangent down to `factor` times the batch's median norm, after every
    backward step. Raises `BadInput` for a factor below 1, which would clip the median itself."""

    kind: Literal["median clip"] = "median clip"
    factor: float = 10.0

    @model_validator(mode="after")
    def _factor_spares_the_median(self) -> "MedianClip":
        if not 1 <= self.factor < np.inf:
            raise BadInput(f"factor is {self.factor:g}: give a finite number of at least 1")
        return self

    def describe(self) -> str:
        """As the report names it."""
        return (
            f"per-sample clipping at {self.factor:g} x the median norm of the batch, "
            "every backward step"
        )


class Clipped(NamedTuple):
    """`parts`: arrays [batch, ...], as given or scaled. Of each sample [batch]: its norm before
    (0 where it is not finite), whether it was scaled down, whether it was not finite and is now
    zero. `bound`: the norm that none exceeds but by rounding, infinite where no sample is live."""

    parts: tuple[AnyArray, ...]
    norms: AnyArray
    bounded: AnyArray
    non_finite: AnyArray
    bound: AnyArray


def clip(cotangents: AnyArray, factor: float) -> Clipped:
    """`clip_together` of one array [batch, ...]: the cotangents are `parts[0]` of the answer."""
    return clip_together((cotangents,), factor)


def clip_together(parts: Sequence[AnyArray], factor: float) -> Clipped:
    """Clip samples whose cotangents are spread over several arrays [batch, ...].

    The norm of a sample is the Euclidean one over all of its entries. A sample above `factor` times
    the median is scaled down to that bound, its direction kept; every other one is returned bit for
    bit. Samples meet in the median only.

    - A sample with NaN or infinity has no direction: it becomes zero, is told in `non_finite`, and
      takes no part in the median.
    - A sample that is exactly zero says nothing of the scale and takes no part either. So the
      median is zero only where all are, and then nothing is clipped.
    - Of an even number the lower of the two middle norms is the median: it belongs to a sample,
      and of two samples the larger one is bounded. A batch of one is its own median.

    Norms are computed relative to the largest entry, so that squares do not overflow: in float32
    they would from 1e19 on.

    Raises `BadInput` for parts whose batches differ or are empty.
    """
    shapes = [part.shape for part in parts]
    if not all(shape[:1] == shapes[0][:1] and shape[:1] > (0,) for shape in shapes):
        raise BadInput(
            f"cotangents have shapes {shapes}: give [batch, ...], the same batch for all"
        )
    xp = namespace(parts[0])
    # NumPy warns where one branch of a `where`, or a norm, overflows.
    with np.errstate(over="ignore", invalid="ignore"):
        largest = _largest(parts, xp)
        finite = xp.isfinite(largest)
        live = finite & (largest > 0)
        unit = xp.where(live, largest, 1)
        scaled = [xp.where(spread(live, p), p, 0) / spread(unit, p) for p in parts]
        relative = xp.sqrt(sum(_squares(p, xp) for p in scaled))
        norms = xp.where(live, unit * relative, 0)
        bound = factor * _median(norms, live, xp)
        bounded = live & (norms > bound)
        shrink = bound / xp.where(live, relative, 1)
        clipped = tuple(
            xp.where(
                spread(bounded, p),
                (s * spread(shrink, p)).astype(p.dtype),
                xp.where(spread(finite, p), p, 0),
            )
            for p, s in zip(parts, scaled, strict=True)
        )
    return Clipped(clipped, norms, bounded, ~finite, bound)


def _largest(parts: Sequence[AnyArray], xp: Any) -> AnyArray:
    """The largest absolute entry of each sample [batch], NaN where one is NaN."""
    found = None
    for part in parts:
        flat = xp.abs(part.reshape(part.shape[0], -1))
        # A part of no entries has no largest one.
        one = xp.max(flat, axis=1) if flat.shape[1] else xp.zeros(part.shape[:1], part.dtype)
        found = one if found is None else xp.maximum(found, one)
    return found


def _squares(part: AnyArray, xp: Any) -> AnyArray:
    return xp.sum(part.reshape(part.shape[0], -1) ** 2, axis=1)


def _median(norms: AnyArray, live: AnyArray, xp: Any) -> AnyArray:
    """The lower median of the live ones; infinite where there are none."""
    ordered = xp.sort(xp.where(live, norms, xp.inf))
    return ordered[xp.maximum(xp.sum(live) - 1, 0) // 2]
