"""Raw answers of a program are held against what is asked, as a person's are."""

from __future__ import annotations

import pytest

from mcp_host.core.interactions.answers import read_answers
from mcp_host.core.interactions.requests import Asked, InputRequest
from mcp_host.core.interactions.responses import accepted_form, roots_answer, sampled
from mcp_host.problems import ProblemError
from tests.core.interactions.samples import (
    asked,
    fields,
    form_request,
    roots_request,
    sampling_request,
    url_request,
)

FORM = form_request({**fields(a={"type": "string", "maxLength": 3}), "required": ["a"]}, key="form")
URL = url_request("https://a.b", key="url")
SAMPLING = sampling_request(key="sampling")
ALL = asked(FORM, URL, SAMPLING, roots_request())


def _refused(question: Asked, answers: object) -> list[str]:
    with pytest.raises(ProblemError) as caught:
        read_answers(question, answers)
    assert caught.value.problem.type == "arguments-invalid"
    return caught.value.problem.detail.split("\n")


def test_each_request_but_that_for_folders_is_answered_by_its_key() -> None:
    answers = {"form": accepted_form({"a": "x"}), "url": {"action": "accept"}, "sampling": sampled("hi")}
    assert read_answers(ALL, answers) == answers


def test_the_answer_to_a_lone_request_needs_no_key() -> None:
    assert read_answers(asked(FORM), accepted_form({"a": "x"})) == {"form": accepted_form({"a": "x"})}
    assert read_answers(asked(SAMPLING), sampled("hi")) == {"sampling": sampled("hi")}
    assert read_answers(asked(FORM), {"form": {"action": "decline"}}) == {"form": {"action": "decline"}}


def test_answers_may_be_json_text() -> None:
    text = '{"action": "accept", "content": {"a": "x"}}'
    assert read_answers(asked(FORM), text) == {"form": accepted_form({"a": "x"})}
    assert read_answers(asked(FORM), f'{{"form": {text}}}') == {"form": accepted_form({"a": "x"})}
    assert _refused(asked(FORM), '{"action": accept}') == [
        "The answers cannot be read as JSON: at 1:12, expecting value"
    ]


def test_a_no_has_no_content() -> None:
    answers = {"form": {"action": "decline", "content": {"a": "secret"}}, "url": {"action": "cancel"}}
    assert read_answers(asked(FORM, URL), answers) == {"form": {"action": "decline"}, "url": {"action": "cancel"}}


def test_an_empty_table_of_lua_is_an_empty_content() -> None:
    question = asked(form_request(fields(a={"type": "string"})))
    assert read_answers(question, {"action": "accept", "content": []}) == {"request": accepted_form({})}
    assert read_answers(question, {"action": "accept"}) == {"request": accepted_form({})}


def test_what_is_missing_or_unknown_is_named() -> None:
    assert _refused(ALL, {"form": accepted_form({"a": "x"}), "two words": {}}) == [
        '"two words" is nothing that was asked',
        "url: there is no answer to it",
        "sampling: there is no answer to it",
    ]
    assert _refused(ALL, None) == ["The answers must be an object: what is answered to each key."]


@pytest.mark.parametrize(
    ("request_", "answer", "fault"),
    [
        (FORM, 7, "form: the answer must be an object"),
        (FORM, {}, 'form: action must be "accept", "decline" or "cancel"'),
        (FORM, {"action": "yes"}, 'form: action must be "accept", "decline" or "cancel"'),
        (FORM, {"action": "accept"}, "form: a is required"),
        (FORM, {"action": "accept", "content": "x"}, "form: content must be an object"),
        (FORM, accepted_form({"a": "long"}), "form: a must have at most 3 characters, has 4"),
        (FORM, {"action": "accept", "contents": {}}, "form: contents is no member of an answer: "),
        (FORM, accepted_form({"a": "\ud800"}), "form: the answer holds half a surrogate pair"),
        (URL, accepted_form({"a": 1}), "url: content must be left out: what is asked for is a visit"),
        (SAMPLING, {"action": "decline"}, 'sampling: role must be "assistant"'),
        (SAMPLING, {**sampled("x"), "model": ""}, "sampling: model must be the name of what generated it"),
        (SAMPLING, {**sampled("x"), "content": []}, "sampling: content must be a block"),
        (SAMPLING, {**sampled("x"), "content": {"type": "text"}}, "sampling: content must be a block"),
        (SAMPLING, {**sampled("x"), "stopReason": 1}, "sampling: stopReason must be text"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(request_: InputRequest, answer: object, fault: str) -> None:
    told = _refused(asked(request_), {request_.key: answer})
    assert told[0].startswith(fault)


def test_what_nobody_knows_how_to_answer_is_refused() -> None:
    strange = InputRequest(key="x", method="elicitation/create", params={"mode": "dance"})
    assert _refused(asked(strange), {"x": {"action": "accept"}}) == ["x: nobody here knows how to answer this"]


def test_blocks_of_tools_may_be_answered_by_a_program() -> None:
    result: dict[str, object] = {**sampled("x"), "content": [{"type": "tool_use", "id": "1", "name": "n", "input": {}}]}
    assert read_answers(asked(SAMPLING), {"sampling": result}) == {"sampling": result}


def test_folders_are_not_to_be_answered_here() -> None:
    assert _refused(asked(URL, roots_request()), {"url": {"action": "accept"}, "folders": roots_answer(("/",))}) == [
        "folders is nothing that was asked"
    ]
