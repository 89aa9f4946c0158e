"""The questions of a VS Code file, and the variables that answer them."""

from __future__ import annotations

import pytest

from mcp_host.core.importing.inputs import Input, read_inputs
from tests.core.importing.reading import VS_CODE, needed, read_server


def asked(
    question: dict[str, object], text: str = "x ${input:the-answer}", key: str = "WORD"
) -> tuple[object, list[str]]:
    entry = {"command": "x", "env": {key: text}}
    candidate = read_server(entry, VS_CODE, inputs=[{"id": "the-answer", "type": "promptString", **question}])
    return candidate.table["env"], needed(candidate)


@pytest.mark.parametrize(
    ("question", "written", "names"),
    [
        ({}, "x ${THE_ANSWER}", ["THE_ANSWER"]),
        ({"default": "a b"}, "x ${THE_ANSWER:-a b}", []),
        ({"default": ""}, "x ${THE_ANSWER}", ["THE_ANSWER"]),
        ({"default": "{a}"}, "x ${THE_ANSWER}", ["THE_ANSWER"]),
        ({"default": 3}, "x ${THE_ANSWER}", ["THE_ANSWER"]),
        ({"default": "s3cret", "password": True}, "x ${THE_ANSWER}", ["THE_ANSWER"]),
        ({"default": "ghp_abcdef1"}, "x ${THE_ANSWER}", ["THE_ANSWER"]),
        ({"type": "pickString", "options": ["a", {"label": "B", "value": "b"}]}, "x ${THE_ANSWER}", ["THE_ANSWER"]),
        ({"type": "pickString", "options": ["a"], "default": "a"}, "x ${THE_ANSWER:-a}", []),
        ({"type": "command", "command": "ext.ask"}, "x ${THE_ANSWER}", ["THE_ANSWER"]),
    ],
)
def test_a_question_becomes_a_variable(question: dict[str, object], written: str, names: list[str]) -> None:
    assert asked(question) == ({"WORD": written}, names)


def test_an_answer_that_fills_a_variable_has_its_name() -> None:
    assert asked({"password": True}, "${input:the-answer}", "API_KEY") == ({"API_KEY": "${API_KEY}"}, ["API_KEY"])
    assert asked({"default": "a"}, "${input:the-answer}", "API_KEY") == ({"API_KEY": "${API_KEY}"}, ["API_KEY"])
    assert asked({"default": "a"}, "${input:the-answer}", "WORD") == ({"WORD": "${NOTES_WORD:-a}"}, [])


def test_options_and_the_line_of_the_question_are_told() -> None:
    inputs = [{"id": "zone", "type": "pickString", "options": ["eu", {"label": "US", "value": "us"}, "ghp_abcdef1", 3]}]
    candidate = read_server({"command": "x", "args": ["${input:zone}"]}, VS_CODE, inputs=inputs)
    assert candidate.table["args"] == ["${NOTES_ZONE}"]
    assert candidate.notes == ("VS Code asks for `NOTES_ZONE`: one of eu, us.",)
    assert candidate.secrets[0].line == f'export NOTES_ZONE="…"  # VS Code asks for it: {VS_CODE}:1'


def test_a_question_that_nobody_asks_is_a_variable_too() -> None:
    candidate = read_server({"command": "x", "args": ["${input:zone}"]}, VS_CODE, inputs="none")
    assert candidate.table["args"] == ["${NOTES_ZONE}"]
    assert candidate.notes == ("The file asks for `NOTES_ZONE` by an input that it does not define; set the variable.",)


def test_what_is_no_question_is_passed_over() -> None:
    value = [1, {}, {"id": 3}, {"id": ""}, {"id": "a", "type": "promptString"}]
    assert read_inputs(value, ("inputs",), {}) == {"a": Input(id="a", path=("inputs", 4))}
    assert read_inputs(None, ("inputs",), {}) == {}


def test_a_proposal_is_in_no_repr() -> None:
    assert "tell no one" not in repr(Input(id="a", path=None, default="tell no one"))
