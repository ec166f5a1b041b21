"""Where values lie along an axis of a figure, and where its ticks are."""

import math
import sys
from dataclasses import dataclass

MOST_TICKS = 5
MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"
HUGE = sys.float_info.max
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Tick:
    """A place on the axis, with its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high` (data, both above zero where `log`), drawn over [start, end]."""

    low: float
    high: float
    log: bool
    start: float
    end: float

    @classmethod
    def around(
        cls, extent: tuple[float, float] | None, log: bool, start: float, end: float
    ) -> "Axis":
        """An axis that shows the extent with a margin; of nothing at all, a plain one."""
        if extent is None:
            return cls(0.1 if log else 0.0, 10.0 if log else 1.0, log, start, end)
        low, high = extent
        if log:
            first, last = math.log10(low), math.log10(high)
            margin = max(0.05 * (last - first), 0.1)
            # Powers of ten outside what a float holds would overflow.
            return cls(
                10.0 ** max(first - margin, -307.0),
                10.0 ** min(last + margin, 308.0),
                log,
                start,
                end,
            )
        margin = 0.07 * (high / 2 - low / 2) * 2 or 0.05 * abs(high) or 1.0
        return cls(max(low - margin, -HUGE), min(high + margin, HUGE), log, start, end)

    def place(self, value: float) -> float:
        """Where a value is drawn. Zero and less lie at the low end of a logarithmic axis."""
        if self.log:
            if value <= self.low:
                return self.start
            first, last = math.log(self.low), math.log(self.high)
            part = (math.log(value) - first) / (last - first)
        else:
            # Divided first: the difference of two huge numbers may overflow.
            span = self.high / 2 - self.low / 2
            part = (value / 2 - self.low / 2) / span
        return self.start + part * (self.end - self.start)

    def ticks(self) -> list[Tick]:
        """At most five ticks at round values."""
        return self._log_ticks() if self.log else self._linear_ticks()

    def _linear_ticks(self) -> list[Tick]:
        # Halved first: the difference of two huge numbers may overflow.
        rough = (self.high / 2 - self.low / 2) / (MOST_TICKS / 2)
        if not 0 < rough < math.inf:
            return []
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * one for one in (1, 2, 5, 10) if power * one >= rough * (1 - 1e-9))
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        # Values that share their leading digits need them all to be told apart.
        digits = 1 + max(0, math.ceil(math.log10(max(abs(first), abs(last), 1))))
        return [Tick(one * step, number(one * step, digits)) for one in range(first, last + 1)]

    def _log_ticks(self) -> list[Tick]:
        first, last = math.log10(self.low), math.log10(self.high)
        decades = range(math.ceil(first), math.floor(last) + 1)
        if len(decades) >= 2:
            stride = math.ceil(len(decades) / MOST_TICKS)
            return [Tick(10.0**one, power(one)) for one in decades if one % stride == 0]
        out = []
        for decade in range(math.floor(first), math.floor(last) + 1):
            values = [factor * 10.0**decade for factor in (1, 2, 5)]
            out += [Tick(one, number(one, 6)) for one in values if self.low <= one <= self.high]
        return out


def power(exponent: int) -> str:
    """A power of ten."""
    return "1" if exponent == 0 else "10" + str(exponent).translate(SUPERSCRIPTS)


def number(value: float, digits: int = 3) -> str:
    """A number to so many significant digits, with a typographic minus and power of ten."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{value or 0.0:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        times = "" if mantissa in ("1", "-1") else f"{mantissa} {TIMES} "
        sign = MINUS if mantissa == "-1" else ""
        text = f"{sign}{times}{power(int(exponent))}"
    return text.replace("-", MINUS)
