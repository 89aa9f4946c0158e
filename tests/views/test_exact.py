"""What is shown exactly can be read in one way, is whole, and cannot pass for a line of ours."""

from __future__ import annotations

import random

import pytest
import tomli

from mcp_host.views.exact import (
    CONTINUED,
    add_exact,
    entry_pieces,
    hidden_characters,
    line_pieces,
    list_pieces,
    quoted,
    string_pieces,
    value_pieces,
    word_pieces,
)
from mcp_host.views.view import Page
from tests.views.samples import HOSTILE, assert_safe

TEXTS = (
    "",
    "plain",
    'say "x" \\ y',
    "tab\tline\nbreak\r\n",
    "\x00\x1b[2J\x7f",
    "\u202e\u200b\ufe0f",
    "\U000e0041",
    "é 世界",
)


def _drawn(pieces: tuple[str, ...]) -> tuple[str, ...]:
    page = Page()
    add_exact(page, pieces, lead=("  ",), column=2, group="McpTool")
    view = page.view(filetype="f", title="")
    assert_safe(view)
    return view.lines


def _joined(lines: tuple[str, ...]) -> str:
    assert all(line.startswith(CONTINUED) for line in lines[1:])
    return lines[0].removeprefix("  ") + "".join(line.removeprefix(CONTINUED) for line in lines[1:])


@pytest.mark.parametrize("text", TEXTS)
def test_a_quoted_text_is_toml_for_exactly_this_text_and_shows_all_of_it(text: str) -> None:
    assert tomli.loads(f"v = {quoted(text)}") == {"v": text}
    assert quoted(text).isprintable()
    assert hidden_characters(quoted(text)) == ()


def test_the_lines_of_any_text_join_to_exactly_this_text() -> None:
    draw = random.Random(7)
    alphabet = ["a", " ", "   ", "\n", "\t", "\\", '"', "↪ ", "\u200b", "\U000e0041", "é", "x" * 300, " " * 900]
    for _ in range(200):
        text = "".join(draw.choices(alphabet, k=draw.randrange(40)))
        assert tomli.loads(f"v = {_joined(_drawn(string_pieces(text)))}") == {"v": text}


def test_a_long_text_is_shown_whole_over_as_many_lines_as_it_needs() -> None:
    text = "0123456789" * 10_000
    lines = _drawn(string_pieces(text))
    assert len(lines) == 125
    assert _joined(lines) == f'"{text}"'
    assert not any("…" in line for line in lines)


def test_a_text_of_invisible_characters_only_is_whole_too() -> None:
    text = "\U000e0041" * 5_000
    assert tomli.loads(f"v = {_joined(_drawn(string_pieces(text)))}") == {"v": text}


def test_a_line_break_goes_on_behind_a_mark_and_stays_an_escape() -> None:
    assert _drawn(string_pieces('set -e\n  Runs        "ls"\n')) == (
        '  "set -e\\n',
        '↪   Runs        \\"ls\\"\\n"',
    )


def test_names_are_bare_only_where_they_read_in_one_way() -> None:
    assert word_pieces("/home/me/a b.toml") == ("/home/me/a b.toml",)
    for text in ("", " a", "a  b", "a\nb", 'a"', "a\u200bb", "a\u00a0b", "x" * 900):
        assert word_pieces(text) == string_pieces(text)


def test_a_list_is_filled_into_lines_and_parses_back() -> None:
    names = [f"tool_{number}" for number in range(500)]
    lines = list_pieces(names)
    assert 5 < len(lines) < 12
    assert tomli.loads(f"v = [{' '.join(lines)}]") == {"v": names}
    assert list_pieces(["a", "b\nc"]) == ('"a", "b\\n', 'c"')


def test_an_entry_is_written_as_one_would_write_it() -> None:
    assert entry_pieces((), ('"x"',)) == ('"x"',)
    assert entry_pieces(("TOKEN",), ('"x"', 'y"')) == ('TOKEN = "x"', 'y"')
    assert entry_pieces(("a b\n",), ("1",)) == ('"a b\\n" = 1',)
    assert entry_pieces(("pairs", 0, "preview"), ('"x"',)) == ('pairs[0].preview = "x"',)
    assert entry_pieces(("k" * 900,), ("1",)) == (f'"{"k" * 800}', f'{"k" * 100}" = 1')


def test_values_that_are_no_texts_are_written_as_toml_writes_them() -> None:
    values: tuple[object, ...] = (True, False, 3, 1.5, [], {})
    assert [*map(value_pieces, values)] == [("true",), ("false",), ("3",), ("1.5",), ("[]",), ("{}",)]


def test_a_line_of_a_file_shows_its_tabs_and_the_blanks_it_ends_with() -> None:
    assert line_pieces("+\ta ") == ("+^Ia·",)
    assert line_pieces("a\nb") == ("a", "b")
    assert line_pieces("") == ("",)


def test_hidden_characters_are_named_once_and_breaks_are_none_of_them() -> None:
    assert hidden_characters("a\u202eb\u202e\x1b\u00a0 \n\t") == ("U+202E", "U+001B", "U+00A0")
    assert hidden_characters("❤\ufe0f é 世界") == ()


def test_hostile_pieces_stay_on_their_lines() -> None:
    for pieces in (
        string_pieces(HOSTILE),
        word_pieces(HOSTILE),
        line_pieces(HOSTILE),
        entry_pieces((HOSTILE,), ("1",)),
    ):
        _drawn(pieces)
