"""Foreign words are folded to fit, keep what they say, and never become a line of ours."""

from __future__ import annotations

from random import Random

import pytest

from mcp_host.core.interactions.text_lines import caution, commented, folded, line, words_of_server
from mcp_host.core.rendering.text import display_width
from tests.core.interactions.samples import HOSTILE


def test_a_line_is_folded_between_words() -> None:
    assert folded("one two three four", 9) == ("one two", "three", "four")
    assert folded("short", 9) == ("short",)
    assert folded("  kept   inside", 20) == ("  kept   inside",)
    assert folded("", 9) == ("",)


def test_a_word_that_is_too_long_is_cut_and_wide_letters_count_twice() -> None:
    assert folded("a" * 20, 8) == ("a" * 8, "a" * 8, "a" * 4)
    assert folded("語" * 5, 4) == ("語語", "語語", "語")
    assert folded("x " + "y" * 10, 4) == ("x", "yyyy", "yyyy", "yy")


def test_no_line_is_too_wide_and_no_letter_is_lost() -> None:
    chance = Random(2)
    for _ in range(500):
        text = "".join(chance.choice("ab 語e\u0301 -") for _ in range(chance.randrange(200))).strip()
        lines = folded(text, 11)
        assert all(display_width(one) <= 11 for one in lines)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_marks_that_take_no_room_do_not_heap_up() -> None:
    assert max(map(len, folded("a" + "\u0301" * 1000, 10))) <= 20


@pytest.mark.parametrize("text", HOSTILE)
def test_each_line_of_foreign_words_is_a_safe_comment(text: str) -> None:
    lines = [one.text for one in commented(words_of_server(text, most_lines=50, most_characters=10_000))]
    assert all(one == "#" or one.startswith("#   ") for one in lines)
    assert all(one.replace("\ufe0f", "").isprintable() and display_width(one) <= 80 for one in lines)


def test_what_is_left_out_is_counted() -> None:
    lines = [one.text for one in words_of_server("x\n" * 100, most_lines=2, most_characters=10)]
    assert lines == ["  x", "  x", "  … 190 characters and 3 lines more"]
    lines = [one.text for one in words_of_server("one\n\ntwo\n", most_lines=9, most_characters=99)]
    assert lines == ["  one", "", "  two"]


def test_a_caution_goes_on_below_itself() -> None:
    assert [one.text for one in caution("word " * 20)] == [
        "! " + " ".join(["word"] * 15),
        "  " + " ".join(["word"] * 5),
    ]


def test_a_comment_keeps_its_pieces_and_its_address() -> None:
    (one,) = commented([line("a ", ("b", "host"), url="https://b")])
    assert (one.text, one.pieces[-1], one.url) == ("# a b", ("b", "host"), "https://b")
