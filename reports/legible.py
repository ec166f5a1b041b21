"""Text from outside made safe to read: nothing in it can hide, reorder or break what is around it.

Names and messages come from engines and files of anybody. Control characters, bidirectional
overrides, zero-width characters and what is no character at all are shown as `⟨U+202E⟩`.
"""

import unicodedata

HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories: controls, formats (bidirectional and zero-width), halves of surrogate pairs,
separators of lines and paragraphs."""

NAME_LENGTH = 48


def legible(text: str) -> str:
    """The text with everything invisible made visible; its lines and tabs are kept."""
    if text.isascii() and text.isprintable():
        return text
    lines = text.replace("\r\n", "\n")
    return "".join(f"⟨U+{ord(one):04X}⟩" if _hidden(one) else one for one in lines)


def one_line(text: str, length: int = NAME_LENGTH) -> str:
    """Legible text on one line of at most `length` characters.

    Where it is longer its middle is left out, since both ends tell names apart.
    """
    flat = legible(" ".join(text.split()))
    if len(flat) <= length:
        return flat
    head = length // 3
    return f"{flat[:head]}…{flat[head + 1 - length :]}"


def _hidden(character: str) -> bool:
    if character in "\n\t":
        return False
    code = ord(character)
    nobody = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return nobody or unicodedata.category(character) in HIDDEN
