"""The signature of a wrong gradient: what its ratio to the right one gives away."""

import math

from gradcheck.finding import Signature
from gradcheck.plateau import SETTLED

LARGEST_POWER = 3
"""Of two, as one slip makes it: a term taken twice or halved, by axis at most (2^3).

Every ratio is near some power of two, the larger the powers that are allowed. Factors that grow
with the horizon are read off their growth (GC207, GC301).
"""


def signature_of(ratio: float, tolerance: float, dt: float) -> Signature:
    """What a ratio engine / reference, known to `tolerance`, says about the fault.

    A ratio that is not known to a tenth names nothing.
    """
    if ratio == 0.0:
        return Signature.LOST_DEPENDENCY
    if not math.isfinite(ratio) or not tolerance <= SETTLED:
        return Signature.PLATEAU
    if abs(ratio + 1) <= tolerance:
        return Signature.SIGN_FLIP
    if dt > 0 and any(abs(ratio / factor - 1) <= tolerance for factor in (dt, 1 / dt)):
        return Signature.TIME_STEP_FACTOR
    return Signature.POWER_OF_TWO if power_of_two(ratio, tolerance) else Signature.PLATEAU


def power_of_two(ratio: float, tolerance: float) -> bool:
    """Is a ratio, known to `tolerance`, 1/8, 1/4, 1/2, 2, 4 or 8?"""
    if not 0 < ratio < math.inf:
        return False
    power = round(math.log2(ratio))
    return 0 < abs(power) <= LARGEST_POWER and abs(ratio / 2.0**power - 1) <= tolerance
