"""JSON with comments, trailing commas or in JSON5: what it says, on which lines, and where it stops being any of it."""

from __future__ import annotations

import pytest

from mcp_host.core.importing.json_text import JSON5_LIMIT, NotJson, read_json_text

COMMENTED = """\ufeff// first
{
  "a": "http://no.comment//here", /* over
    two lines */ "b": [
    1,
    { "c": "\\"// not\\" one" }, // one
  ],
}
"""


def test_comments_and_trailing_commas_are_read_over_and_lines_stay_right() -> None:
    json_text = read_json_text(COMMENTED)
    assert json_text.value == {"a": "http://no.comment//here", "b": [1, {"c": '"// not" one'}]}
    paths = [(), ("a",), ("b",), ("b", 0), ("b", 1), ("b", 1, "c"), ("b", 7), ("b", 1, "nothing", "at all"), ("no",)]
    assert [json_text.line_of(path) for path in paths] == [1, 3, 4, 5, 6, 6, 4, 6, 1]


def test_json5_is_read_with_its_lines() -> None:
    json_text = read_json_text("{\n  a: 'x',\n  'b-c': {\n    a: 0x10,\n    \"@d\": [+1,],\n  },\n}")
    assert json_text.value == {"a": "x", "b-c": {"a": 16, "@d": [1]}}
    paths = [("a",), ("b-c",), ("b-c", "a"), ("b-c", "@d", 0), ("e",)]
    assert [json_text.line_of(path) for path in paths] == [2, 3, 4, 5, 1]


def test_a_doubled_key_counts_the_last_time_and_is_told() -> None:
    json_text = read_json_text('{"a": {"x": 1,\n"y": 2,\n"x": [3]}}')
    assert json_text.value == {"a": {"x": [3], "y": 2}}
    assert (json_text.doubled(("a",)), json_text.line_of(("a", "x"))) == (("x",), 3)
    assert json_text.doubled(()) == json_text.doubled(("a", "x")) == json_text.doubled(("b",)) == ()


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        ("", "expecting value", 1, 1),
        ('{"a": 1 // c\n  "b": 2}', "expecting ',' delimiter", 2, 3),
        ('{"a": 1} {"b": 2}', "there is more text after the end", 1, 10),
        ('/* c */ {\n"a": }', "expecting value", 2, 6),
        ('{"a": "x', "unterminated string starting at", 1, 7),
        ("[" * 100_000, "it is nested too deeply", 1, 1),
        ("{a: " * 5000, "expecting property name enclosed in double quotes", 1, 2),
        ("{a: 1, " + " " * JSON5_LIMIT + "}", "expecting property name enclosed in double quotes", 1, 2),
        ("/*" * 100_000, "expecting value", 1, 200_001),
    ],
)
def test_what_is_no_json_is_told_with_its_place(text: str, reason: str, line: int, column: int) -> None:
    with pytest.raises(NotJson) as caught:
        read_json_text(text)
    assert (caught.value.reason, caught.value.line) == (reason, line)
    assert caught.value.column == column or text.startswith("/*" * 9)


@pytest.mark.parametrize("text", ["9" * 5000, "NaN", "-Infinity", r'"\ud800"', '{"a": 1e999}', "null", "[]", "'x'"])
def test_odd_values_do_not_raise(text: str) -> None:
    json_text = read_json_text(text)
    assert json_text.line_of(("a", 0)) == 1
    assert json_text.doubled(("a",)) == ()
