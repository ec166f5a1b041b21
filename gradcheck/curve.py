"""A loss along one direction, sampled at many step sizes, and what its differences say.

Pure arithmetic on recorded numbers: both measuring and judging read slopes here, so the slope
that a report prints is the slope that was judged.
"""

from typing import Literal

import numpy as np

from gradcheck.plateau import (
    RUN,
    SCATTER_STEPS,
    SETTLED,
    UNREAD,
    Bools,
    Floats,
    Reading,
    quantum,
    read,
    runs,
    saturation,
    scatter,
)
from gradcheck.record import Record

NOISE_SHARE = 1e-3
"""Part of the loss's extent below which a motion of it is noise: solvers leave 1e-4 and less."""


class Slope(Record):
    """A slope read off a run of step sizes, never off one step."""

    value: float
    uncertainty: float
    lowest_step: float
    highest_step: float


class Curve(Record):
    """f(x + h d) and f(x - h d) for rising steps h, beside the engine's derivative along d.

    `gradient` is <g, d>; `steps` h are in the direction's own unit (d is scaled by the input's
    `scale` where it is a coordinate, so that h = 1e-6 means a millionth of a typical change).
    `noise` is the absolute noise floor of f. `boundary` is the step at which the state moves as
    far as in one time step (speed * dt): below it differences see the program, above it the
    physics. None for a scene without contact or without time steps. `extent` is how far f moves
    at most along any of the curves that were measured together; 0 where that was not recorded.
    """

    label: str
    role: Literal["coordinate", "random", "named"]
    input: str | None
    index: int | None
    direction: dict[str, list[float]]
    scale: float
    gradient: float
    forward_mode: float | None = None
    complex_step: float | None = None
    value: float
    steps: list[float]
    plus: list[float]
    minus: list[float]
    noise: float
    boundary: float | None = None
    extent: float = 0.0

    def forward(self) -> Floats:
        """(f(x + h d) - f(x)) / h at every step [n]."""
        return (self._plus() - self.value) / self._steps()

    def backward(self) -> Floats:
        """(f(x) - f(x - h d)) / h at every step [n]."""
        return (self.value - self._minus()) / self._steps()

    def central(self) -> Floats:
        """(f(x + h d) - f(x - h d)) / 2h at every step [n]."""
        return (self._plus() - self._minus()) / (2 * self._steps())

    def noise_floor(self) -> float:
        """Absolute noise of f: the measured one, rounding of f, its quantum, and the scatter.

        The scatter is the smaller one of the two sides: noise is on both, a kink or a jump close
        by on one. Steps at which f saturates scatter without being noisy.
        """
        linear = self._steps() < self.saturation()
        sides = [
            scatter(self._steps()[linear], side[linear]) for side in (self._plus(), self._minus())
        ]
        return max(self.noise, self._rounding(), self.quantum(), min(sides))

    def quantum(self) -> float:
        """Step in which f moves where it is rounded, as in float32; 0 where it is not."""
        return quantum(self.value, (self._plus(), self._minus()))

    def saturation(self) -> float:
        """The step from which f moves as far as it ever does: differences at it and above say
        nothing of the slope, however well they agree. Infinite where there is no such step.

        So it is in a chaotic rollout, where amplification times step is of order one. What moves
        f by a small part of `extent` only, or by its rounding, is noise and no saturation.
        """
        plus, minus = self._plus() - self.value, self._minus() - self.value
        moved = np.fmax(np.abs(plus), np.abs(minus))
        noise = max(self._rounding(), self.quantum()) / SETTLED
        if not np.nanmax(moved, initial=0.0) > max(noise, NOISE_SHARE * self.extent):
            return np.inf
        gap = (plus - minus)[:SCATTER_STEPS]
        if np.ptp(gap) <= SETTLED * abs(gap[0]):
            return np.inf  # a jump at x moves f as far at every step, and by the same
        return saturation(self._steps(), moved)

    def program(self) -> Slope:
        """The slope of the program: the plateau at steps below `boundary` and `saturation`.

        Its value is NaN and its uncertainty infinite where no run of steps is finite, or left
        below saturation.
        """
        return _slope(self._read(self.central(), 1.0, self._below()))

    def physics(self) -> Slope | None:
        """The slope of the physics: the plateau at steps from `boundary` on.

        None without a boundary, with fewer than a run of steps between it and saturation, and
        where none settles (to a tenth of itself, or of the program's slope where that is larger).
        """
        if self.boundary is None:
            return None
        above = ~self._below()
        if np.count_nonzero(above) < RUN:
            return None
        reading = self._read(self.central(), 1.0, above)
        scale = np.fmax(abs(reading.value), abs(self.program().value))
        return _slope(reading) if reading.settled(float(scale)) else None

    def one_sided(self) -> tuple[Slope, Slope]:
        """The left and the right slope, at steps below `boundary`."""
        left, right = self._sides()
        return _slope(left), _slope(right)

    def kink(self) -> bool:
        """Whether the left and the right slope settle apart, at steps below `boundary`.

        Apart means by ten times their uncertainties together. Curvature cannot do this: it moves
        the slopes within a run as much as it moves the two sides apart.
        """
        left, right = self._sides()
        return not self.jump() and left.differs(right)

    def jump(self) -> bool:
        """Whether f jumps at x: f(x + h d) - f(x - h d) tends to a constant that noise does not
        explain, so that the difference quotient grows as 1/h, and the quotient settles nowhere.
        """
        keep = self._below()
        gap = self._gap(keep)
        if gap.value == 0.0 or not gap.settled(gap.value):
            return False
        reading = self._read(self.central(), 1.0, keep)
        return not reading.settled(reading.value)

    def jump_size(self) -> float:
        """f(x+) - f(x-) as read at the smallest run of steps; NaN where none is finite."""
        return self._gap(self._below()).value

    def movement(self) -> float:
        """The largest |f(x ± h d) - f(x)| / h over the largest run of finite steps, less noise.

        How far the loss moves over a typical change, whatever its slope at x. 0 where it does
        not move beyond its noise, NaN where no step is finite.
        """
        change = np.fmax(np.abs(self._plus() - self.value), np.abs(self._minus() - self.value))
        rate = (change - 2 * self.noise_floor()) / self._steps()
        finite = rate[np.isfinite(rate)][-RUN:]
        return float(max(0.0, finite.max())) if finite.size else np.nan

    def taylor_orders(self) -> list[tuple[float, float]]:
        """Orders of the Taylor remainder |f(x + h d) - f(x) - h <g, d>| between steps.

        Pairs (larger step, order), from the largest step down; only while the remainder stays
        above the noise. 2 for a right gradient, tending to 1 for a wrong one; empty where the
        loss is linear.
        """
        step = self._steps()
        remainder = np.abs(self._plus() - self.value - step * self.gradient)
        if not np.isfinite(self.gradient):
            return []
        floor = 2 * self.noise_floor()
        orders = []
        for large in range(len(step) - 1, 0, -1):
            small = large - 1
            if not (remainder[small] > floor and remainder[large] > floor):
                break
            order = np.log(remainder[large] / remainder[small]) / np.log(step[large] / step[small])
            orders.append((float(step[large]), float(order)))
        return orders

    def _rounding(self) -> float:
        return float(np.finfo(np.float64).eps) * abs(self.value)

    def _steps(self) -> Floats:
        return np.asarray(self.steps, np.float64)

    def _plus(self) -> Floats:
        return _finite(self.plus)

    def _minus(self) -> Floats:
        return _finite(self.minus)

    def _below(self) -> Bools:
        """Steps of the program: below the boundary, and never fewer than one run."""
        step = self._steps()
        keep = step < (np.inf if self.boundary is None else self.boundary)
        keep[:RUN] = True
        return keep

    def _gap(self, keep: Bools) -> Reading:
        """f(x + h d) - f(x - h d) over the smallest run of steps."""
        found = runs(
            (self._plus() - self._minus())[keep], np.full(keep.sum(), 2 * self.noise_floor())
        )
        return found.reading(0, self._steps()[keep]) if len(found.value) else UNREAD

    def _sides(self) -> tuple[Reading, Reading]:
        keep = self._below()
        return self._read(self.backward(), 2.0, keep), self._read(self.forward(), 2.0, keep)

    def _read(self, slopes: Floats, noises: float, keep: Bools) -> Reading:
        """The plateau of `slopes` at the steps `keep`; `noises` noise floors enter each one.

        Only steps below saturation count, and fewer than a run of them say nothing.

        Steps at which nothing moved are set aside where float32 could not have resolved the
        motion that the rest of the curve foretells: a loss that is computed in float32, or at an
        input that is, has a false plateau of zeros at small steps.
        """
        step = self._steps()
        linear = step < self.saturation()
        if not linear.all():
            keep = keep & linear
            if np.count_nonzero(keep) < RUN:
                return UNREAD
        error = noises * self.noise_floor() / step
        moved = keep & ((self._plus() != self.value) | (self._minus() != self.value))
        reading = read(step[moved], slopes[moved], error[moved])
        if reading.settled(reading.value):
            still = step[keep & ~moved]
            size = max(1.0, abs(self.value / reading.value)) if reading.value else np.inf
            if np.all(still <= np.finfo(np.float32).eps * size):
                return reading
        return read(step[keep], slopes[keep], error[keep])


def _finite(values: list[float]) -> Floats:
    """The values with every infinity as NaN, which is what a difference of infinities is."""
    array = np.asarray(values, np.float64)
    return np.where(np.isfinite(array), array, np.nan)


def _slope(reading: Reading) -> Slope:
    return Slope(**reading._asdict())
