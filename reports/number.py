"""Numbers as the report writes them."""

import math

MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(exponent: int) -> str:
    """A power of ten."""
    return {0: "1", 1: "10"}.get(exponent, "10" + str(exponent).translate(SUPERSCRIPTS))


def counted(count: int, noun: str) -> str:
    """`1 finding`, `2 findings`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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
