"""JSON is laid out token by token and stays the same JSON."""

from __future__ import annotations

import json

import pytest

from mcp_host.core.rendering.json_text import INDENT_DEPTH_CAP, LINES_CAP, indented_json, json_text, safe_json


def test_a_value_is_shown_one_member_a_line() -> None:
    value: object = json.loads(r'{"a": [1, {"b": []}, "é \n\t"], "z": {}, "n": null}')
    assert safe_json(value) == (
        "{",
        '  "a": [',
        "    1,",
        "    {",
        '      "b": []',
        "    },",
        r'    "é \n\t"',
        "  ],",
        '  "z": {},',
        '  "n": null',
        "}",
    )


@pytest.mark.parametrize(("value", "shown"), [(3, "3"), ("x", '"x"'), (None, "null"), ([], "[]"), ({}, "{}")])
def test_a_scalar_is_one_line(value: object, shown: str) -> None:
    assert safe_json(value) == (shown,)


def test_numbers_keep_their_digits_and_doubled_members_stay() -> None:
    text = '{"a":1.10,"a":1e400,"b":12345678901234567890.5,"s":"a  ,{ b"}'
    assert "".join(line.strip() for line in indented_json(text)).replace('": ', '":') == text


def test_what_is_unsafe_becomes_an_escape_of_json_so_the_document_keeps_its_meaning() -> None:
    value = {"k\u202e": "\x1b[2J \x9b \ud800 \U000e0041 \u2028 \u200b ⚠\ufe0f"}
    lines = safe_json(value)
    assert lines == (
        "{",
        r'  "k\u202e": "\u001b[2J \u009b \ud800 \udb40\udc41 \u2028 \u200b ⚠\ufe0f"',
        "}",
    )
    assert json.loads("\n".join(lines)) == value


def test_every_json_comes_back_with_the_same_meaning() -> None:
    text = (
        r"""{"": [[], [[]], {}, {"x": [true, false, null, -1.5e-7, "\"\\", "\\u001b"]}], "k": {"l": {"m": [{}, 1]}}}"""
    )
    value: object = json.loads(text)
    assert json.loads("\n".join(safe_json(value))) == value
    assert json.loads("\n".join(indented_json(json.dumps(value, indent=7)))) == value


@pytest.mark.parametrize("text", ["hello world", "", "{", "[1,]", '{"a":\x1b}'])
def test_a_text_that_is_not_json_stays_as_it_is(text: str) -> None:
    assert indented_json(text) == (text.replace("\x1b", "^["),)


def test_a_value_that_json_cannot_spell_is_shown_all_the_same() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert safe_json(loop) == ('"(this value cannot be written as JSON)"',)
    assert json_text({"a": {1}}) == '{"a":"{1}"}'


def test_deep_brackets_do_not_grow_into_blanks() -> None:
    lines = indented_json("[" + ",".join(["[" * 200 + "]" * 200] * 100) + "]")
    assert max(map(len, lines)) <= 2 * INDENT_DEPTH_CAP + 3


def test_past_the_lines_of_a_buffer_the_rest_stays_compact_and_whole() -> None:
    value = list(range(LINES_CAP + 500))
    lines = safe_json(value)
    assert len(lines) == LINES_CAP + 1
    assert json.loads("".join(lines)) == value
