"""Everything a terminal would obey or an eye would miss is shown escaped, fast, and can be encoded."""

from __future__ import annotations

import pytest

from mcp_host.core.rendering.text import (
    clipped,
    display_width,
    encodable,
    safe_line,
    safe_lines,
    safe_text,
)

HOSTILE = "A\x1b[2J\x1b]0;PWNED\x07\x1b]8;;http://evil/\x07click\x9b6n\x08hide\x7f"


def test_terminal_escapes_are_shown_and_not_sent() -> None:
    assert safe_text(HOSTILE) == "A^[[2J^[]0;PWNED^G^[]8;;http://evil/^Gclick<9b>6n^Hhide^?"


def test_newlines_and_tabs_stay_in_a_text_and_nowhere_else() -> None:
    assert safe_text("a\n\tb\r\x00") == "a\n\tb^M^@"
    assert safe_line("a\n\tb\r\n c\x00") == "a ⏎ ^Ib ⏎ c^@"


@pytest.mark.parametrize(
    "code",
    [
        *(
            0x00AD,
            0x034F,
            0x061C,
            0x115F,
            0x1160,
            0x17B4,
            0x200B,
            0x200D,
            0x200E,
            0x2028,
            0x2029,
            0x202E,
            0x2060,
            0x2066,
        ),
        *(0x2800, 0x3164, 0xFEFF, 0xFFA0, 0xFE00, 0xFE0F, 0xE0001, 0xE0041, 0xE007F, 0xE0100, 0xD800, 0xDFFF),
    ],
)
def test_an_invisible_code_point_is_made_visible(code: int) -> None:
    assert safe_text(f"é{chr(code)}b") == f"é<U+{code:04X}>b"
    assert safe_line(f"é{chr(code)}b") == f"é<U+{code:04X}>b"


@pytest.mark.parametrize("code", [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)])
def test_no_control_character_is_left(code: int) -> None:
    for shown in (safe_text(f"a{chr(code)}é"), safe_line(f"a{chr(code)}é"), safe_text(f"a{chr(code)}")):
        assert shown.isprintable()
        assert len(shown) > 2


def test_an_everyday_emoji_stays_and_hidden_selectors_do_not() -> None:
    assert safe_text("⚠\ufe0f ok, x\ufe0f, ⚠\ufe0f\ufe0f") == "⚠\ufe0f ok, x<U+FE0F>, ⚠\ufe0f<U+FE0F>"


def test_what_is_safe_comes_back_the_same() -> None:
    plain = "Grüße, мир, 世界: {a: 1} – “x”"
    assert safe_text(plain) == plain
    assert safe_line(safe_line(HOSTILE)) == safe_line(HOSTILE)


def test_lines_end_at_lf_and_at_cr_lf() -> None:
    assert safe_lines("a\r\nb\n\nc\rd\n") == ("a", "b", "", "c^Md")
    assert safe_lines("") == ("",)
    assert safe_lines("\n") == ("",)
    assert safe_lines("a\u2028b\x0bc\x85d") == ("a<U+2028>b^Kc<85>d",)


def test_lone_surrogates_are_replaced_in_values_that_travel() -> None:
    value = {"a\ud800": ["x\udfff", 1, None, ("y",)], "b": True}
    assert encodable(value) == {"a\ufffd": ["x\ufffd", 1, None, ["y"]], "b": True}


def test_widths_count_terminal_cells() -> None:
    assert display_width("abc") == 3
    assert display_width("世界e\u0301") == 5
    assert clipped("abcdef", 4) == "abc…"
    assert clipped("abcd", 4) == "abcd"
