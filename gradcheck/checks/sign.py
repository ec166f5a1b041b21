"""The signature of a wrong gradient: what its ratio to the right one gives away."""

import math

from gradcheck.finding import Signature


def signature_of(ratio: float, tolerance: float, dt: float) -> Signature:
    """What a ratio engine / reference, known to `tolerance`, says about the fault."""
    if ratio == 0.0:
        return Signature.LOST_DEPENDENCY
    if not math.isfinite(ratio):
        return Signature.PLATEAU
    if abs(ratio + 1) <= tolerance:
        return Signature.SIGN_FLIP
    if dt > 0 and any(abs(ratio / factor - 1) <= tolerance for factor in (dt, 1 / dt)):
        return Signature.TIME_STEP_FACTOR
    if ratio > 0:
        power = round(math.log2(ratio))
        if power != 0 and abs(ratio / 2.0**power - 1) <= tolerance:
            return Signature.POWER_OF_TWO
    return Signature.PLATEAU
