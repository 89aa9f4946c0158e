"""A person sees all that a server wants a model to answer, and how, before anything is generated."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.sampling_text import request_texts, sampling_lines


def _lines(**params: object) -> list[str]:
    return [one.text for one in sampling_lines(params)]


def _message(*content: object, role: str = "user") -> dict[str, object]:
    return {"role": role, "content": list(content)}


def test_what_is_null_is_absent() -> None:
    tool = {"name": "weather"}
    assert _lines(tools=None, toolChoice=None, temperature=None, stopSequences=None) == _lines()
    assert _lines(tools=[tool], toolChoice={"mode": None}) == _lines(tools=[tool])


@pytest.mark.behaviour("sampling.request-reviewable")
def test_everything_that_is_asked_for_is_there_to_be_read() -> None:
    lines = _lines(
        systemPrompt="Be brief.",
        messages=[
            {"role": "user", "content": {"type": "text", "text": "One:\n  two"}},
            _message({"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Paris"}}, role="assistant"),
            _message({"type": "tool_result", "toolUseId": "c1", "content": [{"type": "text", "text": "18°C"}]}),
            _message({"type": "image", "data": "A" * 4000, "mimeType": "image/png"}, {"type": "audio"}),
        ],
        maxTokens=100,
        modelPreferences={
            "hints": [{"name": "sonnet"}, {"name": "claude"}],
            "costPriority": 0.3,
            "speedPriority": 0,
            "intelligencePriority": 1,
        },
        temperature=0.1,
        stopSequences=["\n\n", "END"],
        includeContext="thisServer",
        tools=[{"name": "weather", "inputSchema": {"type": "object"}}],
        toolChoice={"mode": "required"},
        metadata={"trace": 1},
    )
    assert lines == [
        "system prompt:",
        "  Be brief.",
        "user:",
        "  One:",
        "    two",
        "assistant:",
        "  calls the tool weather (c1) with:",
        "    {",
        '      "city": "Paris"',
        "    }",
        "user:",
        "  the tool's result (c1):",
        "  18°C",
        "user:",
        "  [image, image/png, about 3.0 kB: not shown]",
        "  [audio, type not given, without data: not shown]",
        "at most 100 tokens",
        'model, if possible: "sonnet", "claude"',
        "what matters, from 0 to 1: low cost 0.3, speed 0, intelligence 1",
        "temperature: 0.1",
        'stops at: "\\n\\n", "END"',
        "context: it would like thisServer; nothing is added",
        'tools that the model may call: "weather" (choice: required)',
        'metadata: {"trace": 1}',
    ]


def test_only_what_is_said_is_shown() -> None:
    assert _lines(messages=[{"role": "user", "content": "?"}], includeContext="none") == ["user:", '    "?"']
    assert _lines() == ["! it holds no message"]


@pytest.mark.parametrize("messages", ["text", 7, {"role": 1}, [None], [{"content": {"type": "text"}}], [{}], [[]]])
def test_a_request_of_any_shape_is_shown_and_nothing_raises(messages: object) -> None:
    assert _lines(messages=messages)


def test_a_failed_tool_says_so_and_what_is_in_results_of_results_is_shown_as_it_came() -> None:
    inner: dict[str, object] = {"type": "tool_result", "toolUseId": "c2", "content": []}
    assert _lines(messages=[_message({"type": "tool_result", "isError": True, "content": [inner]})])[:3] == [
        "user:",
        "  the tool's result ((not named)), which failed:",
        "    {",
    ]


def test_what_is_too_long_to_be_read_is_cut_and_says_so() -> None:
    many = [_message({"type": "text", "text": "x"})] * 20_000
    lines = _lines(messages=many, maxTokens=5)
    assert lines[-2:] == ["! the rest of it is not shown: it is too long to be read", "at most 5 tokens"]
    assert len(lines) == 15_002
    assert _lines(messages=[_message({"type": "text", "text": "y" * 600_000})])[-1] == "  … 100,000 characters more"


def test_long_lists_and_words_are_cut() -> None:
    lines = _lines(messages=[{"role": "user"}], stopSequences=[f"stop {number}" for number in range(30)])
    assert lines[1].startswith('stops at: "stop 0"')
    assert " ".join(lines).endswith("and 10 more")


def test_all_its_texts_can_be_searched() -> None:
    params: dict[str, object] = {
        "systemPrompt": "a",
        "messages": [_message({"type": "text", "text": "b"}, 1), {"content": {"text": "c"}}, None],
    }
    assert list(request_texts(params)) == ["a", "b", "c"]
