"""JSON text is read as one thing or refused with its place."""

from __future__ import annotations

import contextlib
import json
import random

import pytest

from mcp_host.core.strict_json import JsonRefused, read_json


@pytest.mark.parametrize(
    "text",
    [
        '{"big": 9007199254740993, "small": -0.5, "exponent": 1e3, "zip": "007"}',
        '{"a": {"a": [{"a": 1}, {"a": 2}]}, "b": ["x", "x"]}',
        '["\\ud83d\\ude00", "ü", "tab\\t", "NaN", "quote \\" and {brace"]',
        " 12345678901234567890123 ",
        '{"": {"": null}}',
        "true",
    ],
)
def test_plain_json_reads_as_python_reads_it(text: str) -> None:
    assert read_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "reason", "place", "fragment"),
    [
        ('{"a": 1,\n "a": 2}', "the key stands here for the second time", (2, 2), '"a": 2}'),
        ('{"a": 1, "\\u0061": 2}', "the key stands here for the second time", (1, 10), '"\\u0061": 2}'),
        ('{"a": [1, NaN]}', "JSON has no NaN", (1, 11), "NaN]}"),
        ('{"a": -Infinity}', "JSON has no -Infinity", (1, 7), "-Infinity}"),
        ('{"a": 1e400}', "the number is too large", (1, 7), "1e400}"),
        ('{"a": "\\ud800"}', "the string holds half a surrogate pair, which is no character", (1, 7), '"\\ud800"}'),
        ("{'a': 1}", "JSON strings stand in double quotes", (1, 2), "'a': 1}"),
        ('{"a": 1} and a long tail of text', "there is more text after the end of the JSON value", (1, 10),
         "and a long tail of t"),
        ('{"a": ', "expecting value", (1, 7), ""),
        ('{"a": ' + "9" * 5000 + "}", "the number has more than 4000 digits", (1, 7), "9" * 20),
    ],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_refused_at_its_place(
    text: str, reason: str, place: tuple[int, int], fragment: str
) -> None:
    with pytest.raises(JsonRefused) as refused:
        read_json(text)
    error = refused.value
    assert (error.reason, (error.line, error.column), error.fragment) == (reason, place, fragment)


def test_bottomless_nesting_is_refused() -> None:
    with pytest.raises(JsonRefused):
        read_json("[" * 100_000)


def test_damaged_text_is_read_or_refused_and_never_crashes() -> None:
    chance = random.Random(6)
    for _ in range(5_000):
        text = list('{"a": [1, -2.5e3, "x\\n\\u00e9", {"b": null, "c": true}], "d": NaN}')
        for _ in range(chance.randint(0, 4)):
            text[chance.randrange(len(text))] = chance.choice('{}[]",:\\e019-N \n\ud800')
        with contextlib.suppress(JsonRefused):
            read_json("".join(text))
