"""Nothing that comes from outside can hide, reorder or end what stands around it."""

import unicodedata

import pytest

from gradcheck.reports.legible import legible, one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("grün 漢字 שלום ∂θ", "grün 漢字 שלום ∂θ"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\x00\x07\x1bb", "a⟨U+0000⟩⟨U+0007⟩⟨U+001B⟩b"),
        ("a\u200bb\ufeff", "a⟨U+200B⟩b⟨U+FEFF⟩"),
        ("a\u2028b", "a⟨U+2028⟩b"),
        ("a\ud800b", "a⟨U+D800⟩b"),
        ("a\ufffe\uffff\U0001fffe", "a⟨U+FFFE⟩⟨U+FFFF⟩⟨U+1FFFE⟩"),
        ("two\r\nlines\n\tand tabs", "two\nlines\n\tand tabs"),
        ("back\rover", "back⟨U+000D⟩over"),
    ],
)
def test_what_is_invisible_is_shown(text: str, shown: str) -> None:
    assert legible(text) == shown


def test_no_control_or_format_character_is_left() -> None:
    every = "".join(
        map(chr, [*range(0x3100), *range(0xD700, 0x1_0100), *range(0xE_0000, 0xE_0100)])
    )
    kept = set(legible(every)) - {"\n", "\t"}
    assert not {one for one in kept if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert legible(every).encode("utf-8")


def test_one_line_is_one_line() -> None:
    assert one_line("a\n b\r\n\tc\u2028d") == "a b c d"
    assert one_line("") == ""


def test_a_long_name_keeps_both_ends() -> None:
    short = one_line("path/to/" + "very/" * 2000 + "engine.py:MyEngine")
    assert len(short) == 48
    assert short.startswith("path/to/")
    assert short.endswith("engine.py:MyEngine")
    assert len(one_line("\u202e" * 10_000)) == 48
