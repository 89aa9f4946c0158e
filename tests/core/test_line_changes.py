"""Two lists of lines as one that says what went and what came, whoever wrote the lines."""

from __future__ import annotations

import random

import pytest

from mcp_host.core.line_changes import COMPARED_LINES, line_changes


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("", "", ()),
        ("a b", "a b", ("  a", "  b")),
        ("", "a", ("+ a",)),
        ("a", "", ("- a",)),
        ("a b c", "a x c", ("  a", "- b", "+ x", "  c")),
        ("a b c d", "a c d e", ("  a", "- b", "  c", "  d", "+ e")),
        ("a a", "a", ("  a", "- a")),
        ("x a y", "z a w", ("- x", "+ z", "  a", "- y", "+ w")),
    ],
)
def test_what_went_stands_before_what_came_and_what_stayed_in_its_place(
    old: str, new: str, changes: tuple[str, ...]
) -> None:
    assert line_changes(old.split(), new.split()) == changes


def test_both_lists_can_be_read_out_of_their_changes() -> None:
    chosen = random.Random(3)
    for _ in range(300):
        old, new = ([chosen.choice("abcd") for _ in range(chosen.randrange(12))] for _ in range(2))
        changes = line_changes(old, new)
        assert [line[2:] for line in changes if line[:2] in ("- ", "  ")] == old
        assert [line[2:] for line in changes if line[:2] in ("+ ", "  ")] == new


def test_too_many_that_differ_go_and_come_whole_between_what_both_have() -> None:
    old = ["first", *(f"old {number}" for number in range(COMPARED_LINES)), "last"]
    new = ["first", "new", "old 7", "last"]
    went = [f"- {line}" for line in old[1:-1]]
    assert line_changes(old, new) == ("  first", *went, "+ new", "+ old 7", "  last")


def test_the_worst_that_is_compared_and_the_most_that_is_not_are_soon_done() -> None:
    half = COMPARED_LINES // 2
    line_changes([f"{number % 2}" for number in range(half)], [f"{number * number % 3}" for number in range(half)])
    old, new = ([f"argument {number} = {word}" for number in range(20_000)] for word in ("x", "y"))
    assert len(line_changes(old, new)) == 40_000
