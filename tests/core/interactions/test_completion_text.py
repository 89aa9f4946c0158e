"""A model's answer, as a person writes it or looks over what a function wrote."""

from __future__ import annotations

from typing import Any

import pytest
import tomli

from mcp_host.core.interactions.completion_text import FieldMisfit, completion_lines, read_completion
from mcp_host.core.interactions.responses import sampled


def _written(draft: dict[str, Any]) -> list[str]:
    return [one.text for one in completion_lines(draft)]


def test_a_draft_is_there_to_be_edited() -> None:
    lines = _written(sampled('Say "hi"\nor not', model="m-1", stop_reason="maxTokens"))
    assert lines == [
        "",
        'model = "m-1"',
        'stop_reason = "maxTokens"',
        'text = """',
        'Say \\"hi\\"',
        "or not",
        '"""',
    ]
    assert read_completion(tomli.loads("\n".join(lines)))["content"]["text"] == 'Say "hi"\nor not'


def test_a_draft_without_a_reason_has_none() -> None:
    lines = _written(sampled("x", stop_reason=None))
    assert '#stop_reason = "endTurn"' in lines
    assert read_completion(tomli.loads("\n".join(lines))) == sampled("x", stop_reason=None)


@pytest.mark.parametrize(
    "content",
    [
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "text",
        None,
    ],
)
def test_a_draft_of_more_than_text_says_that_it_is_not_shown(content: object) -> None:
    lines = _written({**sampled("x"), "content": content})
    assert lines[0] == "# ! what was written for it holds more than text, and is not shown"
    assert tomli.loads("\n".join(lines))["text"] == "\n"


@pytest.mark.parametrize("text", ["\ud800", "x" * 2_000_000])
def test_a_draft_that_no_text_can_hold_begins_empty(text: str) -> None:
    assert _written(sampled(text))[-3:] == ['text = """', "", '"""']


def test_the_line_break_before_the_last_quotes_is_no_part_of_it() -> None:
    assert read_completion({"text": "a\n", "model": "m"}) == sampled("a", model="m", stop_reason=None)
    assert read_completion({"text": "a\n\n", "model": "m", "stop_reason": ""})["content"]["text"] == "a\n"


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ({"model": "m"}, "text"),
        ({"text": " \n", "model": "m"}, "text"),
        ({"text": 1, "model": "m"}, "text"),
        ({"text": "\ud800", "model": "m"}, "text"),
        ({"text": "a"}, "model"),
        ({"text": "a", "model": ""}, "model"),
        ({"text": "a", "model": "m", "stop_reason": 1}, "stop_reason"),
        ({"text": "a", "model": "m", "role": "assistant"}, "role"),
    ],
)
def test_a_member_that_does_not_fit_is_named(table: dict[str, object], name: str) -> None:
    with pytest.raises(FieldMisfit) as caught:
        read_completion(table)
    assert caught.value.name == name
