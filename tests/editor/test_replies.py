"""How answers travel to the editor: whole when small, in slices when long."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from mcp_host.editor.replies import SLICE_BYTES, SLICE_LINES, problem_message, send_answer
from mcp_host.host.answers import Answer
from mcp_host.problems import Problem
from mcp_host.views.view import Page, View

pytestmark = pytest.mark.anyio


def _view(lines: list[str]) -> View:
    page = Page()
    for line in lines:
        page.line((line, "McpMuted"))
    return page.view(filetype="mcp-result", title="a title")


async def _sent(answer: Answer, want: Any) -> list[Mapping[str, Any]]:
    messages: list[Mapping[str, Any]] = []
    with anyio.fail_after(5):
        await send_answer(messages.append, 7, answer, want)
    return messages


async def test_a_small_document_comes_whole() -> None:
    answer = Answer(kind="result", document={"content": [], "host": {"call": "c1"}}, exit=5)
    assert await _sent(answer, "document") == [
        {"reply": 7, "value": {"exit": 5, "kind": "result", "document": {"content": [], "host": {"call": "c1"}}}}
    ]


async def test_a_long_document_comes_as_slices_of_its_text() -> None:
    document = {"text": "é" * SLICE_BYTES}
    *slices, last = await _sent(Answer(kind="result", document=document), "document")
    assert len(slices) > 1
    assert json.loads("".join(message["text"] for message in slices)) == document
    assert last == {"reply": 7, "value": {"exit": 0, "kind": "result"}}


async def test_text_is_ascii_so_that_no_control_character_of_a_server_reaches_a_terminal() -> None:
    (piece, _) = await _sent(Answer(kind="result", document={"text": "\x1b]52;c;\x07\x9b\u202e\ud800"}), "text")
    assert piece["text"] == '{"text": "\\u001b]52;c;\\u0007\\u009b\\u202e\\ud800"}'


async def test_a_view_comes_as_slices_of_lines_and_then_its_marks() -> None:
    lines = [f"line {number}" for number in range(SLICE_LINES + 1)]
    answer = Answer(kind="result", document={"host": {"call": "c1"}}, view=lambda: _view(lines))
    first, second, last = await _sent(answer, "view")
    assert [*first["lines"], *second["lines"]] == lines
    value = last["value"]
    assert (value["host"], value["view"]["line_count"], value["view"]["title"]) == ({"call": "c1"}, 1001, "a title")
    assert value["view"]["marks"][0] == [0, 0, 6, "McpMuted"]
    assert "lines" not in value["view"]


async def test_long_lines_make_slices_of_their_own() -> None:
    lines = ["x" * (SLICE_BYTES // 2 + 1)] * 3
    view = View(lines=tuple(lines), marks=(), items=(), filetype="mcp-result", title="")
    *slices, _ = await _sent(Answer(kind="result", document={}, view=lambda: view), "view")
    assert [len(message["lines"]) for message in slices] == [1, 1, 1]


def test_a_problem_says_its_exit_code_and_leaves_out_what_it_does_not_have() -> None:
    problem = Problem(type="server-unknown", title="There is no server named x", detail="d", hint="h", alias="x")
    assert problem_message(3, problem) == {
        "reply": 3,
        "problem": {
            "type": "server-unknown",
            "title": "There is no server named x",
            "detail": "d",
            "hint": "h",
            "alias": "x",
            "retryable": False,
            "causes": [],
        },
        "exit": 3,
    }
